-- The index in the order of names serves the same.
drop index concurrently if exists products_workspace_id_name_prefix_idx;
