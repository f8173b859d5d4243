-- The same of the pages with a theme.
create index concurrently pages_visible_theme_id_id_idx on pages (workspace_id, theme_id, id) where discarded_at is null;
