-- For the filter by created_at.
create index concurrently funnels_workspace_id_created_at_id_idx on funnels (workspace_id, created_at, id);
