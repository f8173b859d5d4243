-- Which worker delivers to an endpoint, and for how long: one row for each endpoint that was lately delivered to. In a table of its own,
-- because leases are renewed every few seconds: endpoints would be written, and their rows locked, as often. What is in it can be lost.
create table webhook_leases (
  endpoint_id bigint not null,
  -- null: no worker; until then the endpoint is paused.
  holder uuid,
  leased_until timestamptz(3) not null,
  constraint webhook_leases_pkey primary key (endpoint_id)
);
