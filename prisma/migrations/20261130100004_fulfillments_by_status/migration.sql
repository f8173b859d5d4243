-- For the filter by status.
create index concurrently fulfillments_workspace_id_status_id_idx on fulfillments (workspace_id, status, id);
