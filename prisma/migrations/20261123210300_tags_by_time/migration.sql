-- Lists of tags in the order of their changes.
create index concurrently tags_workspace_id_updated_at_id_idx on tags (workspace_id, updated_at, id);
