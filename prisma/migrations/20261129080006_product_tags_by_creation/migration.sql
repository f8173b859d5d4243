-- For the filter by created_at.
create index concurrently product_tags_workspace_id_created_at_id_idx on product_tags (workspace_id, created_at, id);
