-- The pages that a step of a funnel shows, and those that none does, in the order of their ids. Without those that were discarded, which no
-- step shows and no list has: there may be any number of them.
create index concurrently pages_visible_is_shown_id_idx on pages (workspace_id, is_shown, id) where discarded_at is null;
