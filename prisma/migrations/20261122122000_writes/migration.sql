-- What every change writes besides its row (DESIGN §12, §13): a row version, an audit entry, events, the record of its
-- idempotency key.

-- Counts the changes of a row and of what is shown with it: whoever waited for the row's lock can tell that it was changed meanwhile.
alter table contacts add column row_version integer not null default 1;
alter table tags add column row_version integer not null default 1;

-- They are merged change by change: this bounds what they grow to.
alter table contacts add constraint contacts_custom_attributes_size
  check (octet_length(custom_attributes::text) <= 65536) not valid;

-- An applied tag is an object of its own.
create sequence contact_tags_id_seq;
alter table contact_tags
  add column id bigint not null default draw_id(13, 'contact_tags_id_seq'),
  add column row_version integer not null default 1;
alter table contact_tags add column public_id text not null generated always as (public_id(13, id)) stored;
alter sequence contact_tags_id_seq owned by contact_tags.id;
create index contact_tags_id_idx on contact_tags using hash (id);
create index contact_tags_workspace_id_contact_id_id_idx on contact_tags (workspace_id, contact_id, id);

-- Who changed what, and what it was like before and after, in the form of REST's JSON. What was erased has neither.
-- Both tables grow without end: they are partitioned by time.
create sequence audit_entries_id_seq;
create table audit_entries (
  id bigint not null default draw_id(14, 'audit_entries_id_seq'),
  public_id text not null generated always as (public_id(14, id)) stored,
  workspace_id bigint not null,
  action text not null,
  subject_type text not null,
  subject_id bigint not null,
  -- The contact whose data it holds: erased with it.
  contact_id bigint,
  actor_kind text not null,
  -- The public id of an API key; `sub` of an access token.
  actor_id text not null,
  -- The OAuth client.
  client_id text,
  request_id text not null,
  before json,
  after json,
  erased_at timestamptz(3),
  created_at timestamptz(3) not null default current_timestamp,
  constraint audit_entries_pkey primary key (workspace_id, id, created_at),
  constraint audit_entries_workspace_id_fkey foreign key (workspace_id) references workspaces (id) on delete restrict,
  constraint audit_entries_actor_kind_check check (actor_kind in ('api_key', 'oauth')),
  constraint audit_entries_client_id_check check ((client_id is not null) = (actor_kind = 'oauth')),
  constraint audit_entries_erased_at_check check (erased_at is null or (before is null and after is null))
) partition by range (created_at);
create table audit_entries_default partition of audit_entries default;
alter sequence audit_entries_id_seq owned by audit_entries.id;
create index audit_entries_id_idx on audit_entries using hash (id);
create index audit_entries_workspace_id_contact_id_idx on audit_entries (workspace_id, contact_id);

-- The transactional outbox: what happened, in the transaction in which it happened. `data` is what REST showed of the subject then.
create sequence events_id_seq;
create table events (
  id bigint not null default draw_id(15, 'events_id_seq'),
  public_id text not null generated always as (public_id(15, id)) stored,
  workspace_id bigint not null,
  uuid uuid not null default gen_random_uuid(),
  event_type text not null,
  subject_type text not null,
  subject_id bigint not null,
  -- The contact whose data it holds: erased with it.
  contact_id bigint,
  data json,
  api_version integer not null default 2,
  erased_at timestamptz(3),
  created_at timestamptz(3) not null default current_timestamp,
  constraint events_pkey primary key (workspace_id, id, created_at),
  constraint events_workspace_id_fkey foreign key (workspace_id) references workspaces (id) on delete restrict,
  constraint events_event_type_check check (event_type ~ '^[a-z_/-]+(\.[a-z_]+)+$'),
  constraint events_erased_at_check check ((erased_at is null) = (data is not null))
) partition by range (created_at);
create table events_default partition of events default;
alter sequence events_id_seq owned by events.id;
create index events_id_idx on events using hash (id);
create index events_workspace_id_contact_id_idx on events (workspace_id, contact_id);

-- The first answer to a request with an idempotency key: which one it was, and the audit entry that has what was answered.
create table idempotency_records (
  workspace_id bigint not null,
  -- SHA-256 of the credential, the method, the path and the key.
  key_hash bytea not null,
  -- SHA-256 of what was asked for.
  request_hash bytea not null,
  outcome text not null,
  -- What REST showed of the object, is in this audit entry.
  audit_entry_id bigint not null,
  created_at timestamptz(3) not null default current_timestamp,
  constraint idempotency_records_pkey primary key (workspace_id, key_hash),
  constraint idempotency_records_workspace_id_fkey
    foreign key (workspace_id) references workspaces (id) on delete cascade,
  constraint idempotency_records_outcome_check check (outcome in ('created', 'updated', 'removed'))
);
create index idempotency_records_key_hash_idx on idempotency_records using hash (key_hash);
create index idempotency_records_created_at_idx on idempotency_records (created_at);
