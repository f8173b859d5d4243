-- Outgoing webhooks (DESIGN §13): what an endpoint needs to be delivered to, its deliveries, and their attempts.

-- Until now endpoints could only be seen. Those that there are have no secret that anybody knows: they receive nothing until they
-- are given one and activated.
alter table webhook_endpoints
  add column row_version integer not null default 1,
  -- Both sealed with the secret key. During a rotation the previous secret signs as well.
  add column secret bytea,
  -- `updated_at` as the change left it that the secret is from.
  add column secret_changed_at timestamptz(3),
  add column previous_secret bytea,
  add column previous_secret_until timestamptz(3),
  -- One delivery at a time, in the order of the events.
  add column strict_order boolean not null default false,
  add column max_deliveries_per_second integer,
  add column deactivated_at timestamptz(3),
  add column deactivation_reason text,
  -- Since when every attempt has failed.
  add column failing_since timestamptz(3),
  -- Whose rights stand behind the subscription; null: the operator's.
  add column actor_kind text,
  add column actor_id text,
  add column client_id text;
update webhook_endpoints set deactivated_at = current_timestamp, deactivation_reason = 'requested';
alter table webhook_endpoints
  add constraint webhook_endpoints_secret_check check (secret is not null or deactivated_at is not null),
  add constraint webhook_endpoints_secret_changed_at_check check ((secret is null) = (secret_changed_at is null)),
  add constraint webhook_endpoints_previous_secret_check check ((previous_secret is null) = (previous_secret_until is null)),
  add constraint webhook_endpoints_max_deliveries_per_second_check check (max_deliveries_per_second between 1 and 1000),
  add constraint webhook_endpoints_deactivated_at_check check ((deactivated_at is null) = (deactivation_reason is null)),
  add constraint webhook_endpoints_deactivation_reason_check
    check (deactivation_reason in ('requested', 'failing', 'gone', 'unauthorized')),
  add constraint webhook_endpoints_actor_kind_check check (actor_kind in ('api_key', 'oauth')),
  add constraint webhook_endpoints_actor_id_check check ((actor_id is null) = (actor_kind is null)),
  add constraint webhook_endpoints_client_id_check check ((client_id is not null) = (actor_kind is not distinct from 'oauth'));

-- Where it happened: what endpoints are limited by.
alter table events add column page_id bigint, add column funnel_id bigint;
-- What is kept for a time is found by its time. Rows stand in the order of time: a small index of ranges will do.
create index events_created_at_idx on events using brin (created_at);

-- What an endpoint is to be told: a row for each event and each endpoint that is subscribed, made in the transaction of the change.
-- It refers to the endpoint and the event by no foreign key: each change would lock the endpoint's row, and either may be gone first.
create sequence webhook_deliveries_id_seq;
create table webhook_deliveries (
  id bigint not null default draw_id(16, 'webhook_deliveries_id_seq'),
  public_id text not null generated always as (public_id(16, id)) stored,
  workspace_id bigint not null,
  endpoint_id bigint not null,
  event_id bigint not null,
  event_type text not null,
  status text not null default 'pending',
  attempt_count integer not null default 0,
  -- Made before it was last sent again: the waits between attempts begin anew then.
  attempts_before integer not null default 0,
  next_attempt_at timestamptz(3) default current_timestamp,
  -- Of the last attempt; null where there was no answer.
  response_code integer,
  delivered_at timestamptz(3),
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null default current_timestamp,
  constraint webhook_deliveries_pkey primary key (workspace_id, id, created_at),
  constraint webhook_deliveries_workspace_id_fkey
    foreign key (workspace_id) references workspaces (id) on delete restrict,
  constraint webhook_deliveries_status_check check (status in ('pending', 'delivered', 'failed', 'canceled')),
  constraint webhook_deliveries_attempts_before_check check (attempts_before between 0 and attempt_count),
  constraint webhook_deliveries_next_attempt_at_check check ((next_attempt_at is not null) = (status = 'pending')),
  constraint webhook_deliveries_delivered_at_check check ((delivered_at is not null) = (status = 'delivered'))
) partition by range (created_at);
create table webhook_deliveries_default partition of webhook_deliveries default;
alter sequence webhook_deliveries_id_seq owned by webhook_deliveries.id;
create index webhook_deliveries_id_idx on webhook_deliveries using hash (id);
create index webhook_deliveries_workspace_id_endpoint_id_id_idx on webhook_deliveries (workspace_id, endpoint_id, id);
create index webhook_deliveries_pending_idx on webhook_deliveries (workspace_id, endpoint_id, next_attempt_at, id)
  where status = 'pending';
create index webhook_deliveries_workspace_id_endpoint_id_status_id_idx
  on webhook_deliveries (workspace_id, endpoint_id, status, id);
create index webhook_deliveries_workspace_id_event_id_idx on webhook_deliveries (workspace_id, event_id);
create index webhook_deliveries_created_at_idx on webhook_deliveries using brin (created_at);

-- Each try to deliver, and what came of it. Of the answer no more than its start is kept; it is blanked with the event.
create table webhook_attempts (
  workspace_id bigint not null,
  delivery_id bigint not null,
  number integer not null,
  started_at timestamptz(3) not null,
  duration_ms integer not null,
  url text not null,
  request_headers json not null,
  response_code integer,
  -- Why there is no answer.
  error text,
  response_start text,
  constraint webhook_attempts_pkey primary key (workspace_id, delivery_id, number, started_at),
  constraint webhook_attempts_workspace_id_fkey
    foreign key (workspace_id) references workspaces (id) on delete restrict,
  constraint webhook_attempts_number_check check (number > 0),
  -- An answer may break off behind its status.
  constraint webhook_attempts_error_check check (error is not null or response_code is not null)
) partition by range (started_at);
create table webhook_attempts_default partition of webhook_attempts default;
create index webhook_attempts_started_at_idx on webhook_attempts using brin (started_at);
