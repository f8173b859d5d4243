-- For the filter by created_at.
create index concurrently images_workspace_id_created_at_id_idx on images (workspace_id, created_at, id);
