-- For the filter by created_at.
create index concurrently tags_workspace_id_created_at_id_idx on tags (workspace_id, created_at, id);
