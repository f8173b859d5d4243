-- Where the log was when each credential wrote last, for reads from replicas. Not logged: a write would wait for the disk a second time.
-- What is lost with a crash is noticed (src/store/replicas/write-positions.ts).
create unlogged table write_positions (
  credential text not null,
  token text collate "C" not null,
  written_at timestamptz(3) not null,
  constraint write_positions_pkey primary key (credential)
);
