-- For the filter by created_at.
create index concurrently order_restocks_workspace_id_created_at_id_idx on order_restocks (workspace_id, created_at, id);
