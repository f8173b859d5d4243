-- For lists in the order of names.
create index concurrently funnels_workspace_id_name_order_idx on funnels (workspace_id, (lower(name) collate "C"), id);
