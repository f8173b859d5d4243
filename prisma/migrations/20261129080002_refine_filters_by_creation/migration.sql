-- For the filter by created_at.
create index concurrently refine_filters_workspace_id_created_at_id_idx on refine_filters (workspace_id, created_at, id);
