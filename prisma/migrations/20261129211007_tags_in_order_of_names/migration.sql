-- For lists in the order of names.
create index concurrently tags_workspace_id_name_order_idx on tags (workspace_id, (lower(name) collate "C"), id);
