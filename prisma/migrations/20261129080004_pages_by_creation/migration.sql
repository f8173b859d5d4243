-- For the filter by created_at.
create index concurrently pages_workspace_id_created_at_id_idx on pages (workspace_id, created_at, id);
