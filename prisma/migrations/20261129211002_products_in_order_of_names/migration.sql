-- For lists in the order of names.
create index concurrently products_workspace_id_name_order_idx on products (workspace_id, (lower(name) collate "C"), id);
