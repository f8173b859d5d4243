-- Pages are listed and counted without those that were discarded: a workspace may have any number of these between two
-- that are visible.
create index pages_visible on pages (workspace_id, id) where discarded_at is null;
