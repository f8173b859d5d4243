-- For the filter by name.
create index concurrently products_workspace_id_name_id_idx on products (workspace_id, name, id);
