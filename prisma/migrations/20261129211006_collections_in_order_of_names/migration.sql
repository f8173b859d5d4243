-- For lists in the order of names.
create index concurrently product_collections_workspace_id_name_order_idx on product_collections (workspace_id, (lower(name) collate "C"), id);
