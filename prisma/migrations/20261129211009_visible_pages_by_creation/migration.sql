-- For lists in the order of creation, and the filter by created_at, without the discarded pages.
create index concurrently pages_visible_created_at_id_idx on pages (workspace_id, created_at, id) where discarded_at is null;
