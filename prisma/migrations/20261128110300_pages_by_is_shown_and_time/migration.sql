-- The same in the order of their changes.
create index concurrently pages_visible_is_shown_updated_at_id_idx on pages (workspace_id, is_shown, updated_at, id) where discarded_at is null;
