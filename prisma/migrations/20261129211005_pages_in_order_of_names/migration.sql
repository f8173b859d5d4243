-- For lists in the order of names.
create index concurrently pages_visible_name_order_idx on pages (workspace_id, (lower(name) collate "C"), id) where discarded_at is null;
