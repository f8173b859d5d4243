-- For lists in the order of names.
create index concurrently product_tags_workspace_id_name_order_idx on product_tags (workspace_id, (lower(name) collate "C"), id);
