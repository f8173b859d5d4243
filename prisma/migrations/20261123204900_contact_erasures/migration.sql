-- Who has been erased: recorded with the erasure, so that what was written of the contact until then is shown to nobody and sent to nobody
-- from that moment on, however long it takes to blank it (src/store/erased.ts, src/store/erasing.ts). Nothing personal.
create table contact_erasures (
  workspace_id bigint not null,
  -- It may have been deleted.
  contact_id bigint not null,
  -- The last ids that were drawn by then: events and audit entries above them are of what happened afterwards.
  events_through bigint not null,
  entries_through bigint not null,
  -- Of the last erasure, where there were several.
  erased_at timestamptz(3) not null,
  -- When everything was blanked; null until then.
  done_at timestamptz(3),
  constraint contact_erasures_pkey primary key (workspace_id, contact_id)
);

-- checked: no running version knows the table
call open_to_tenants('contact_erasures', 'select, insert, update');

alter table contact_erasures add constraint contact_erasures_workspace_id_fkey
  foreign key (workspace_id) references workspaces (id) on delete cascade;

-- What is left to do.
create index contact_erasures_erased_at_idx on contact_erasures (erased_at) where done_at is null;
