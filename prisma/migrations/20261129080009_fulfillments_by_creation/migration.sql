-- For the filter by created_at.
create index concurrently fulfillments_workspace_id_created_at_id_idx on fulfillments (workspace_id, created_at, id);
