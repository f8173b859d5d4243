-- The same in the order of their changes.
create index concurrently pages_visible_theme_id_updated_at_id_idx on pages (workspace_id, theme_id, updated_at, id) where discarded_at is null;
