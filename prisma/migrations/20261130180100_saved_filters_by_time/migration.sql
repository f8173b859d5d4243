-- Lists of saved filters in the order of their changes.
create index concurrently refine_filters_workspace_id_updated_at_id_idx on refine_filters (workspace_id, updated_at, id);
