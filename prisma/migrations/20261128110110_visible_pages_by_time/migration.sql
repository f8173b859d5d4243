-- Pages in the order of their changes without those that were discarded, as they are by id: a workspace may have any number of these between
-- two that are visible, and a list would pass over each. Made before the index that has `is_shown` too: while the planner knows nothing of the
-- table, it takes the younger one of two that it finds equally good.
create index concurrently pages_visible_updated_at_id_idx on pages (workspace_id, updated_at, id) where discarded_at is null;
