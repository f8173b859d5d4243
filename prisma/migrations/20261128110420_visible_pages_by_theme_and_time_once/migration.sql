-- The index of the visible pages alone serves the same lists. Themes are never deleted, so no foreign key looks for discarded ones.
drop index concurrently if exists pages_workspace_id_theme_id_updated_at_id_idx;
