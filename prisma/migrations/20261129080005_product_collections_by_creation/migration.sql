-- For the filter by created_at.
create index concurrently product_collections_workspace_id_created_at_id_idx on product_collections (workspace_id, created_at, id);
