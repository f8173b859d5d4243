-- The orders of a page, for whoever deletes it.
create index concurrently orders_workspace_id_page_id_idx on orders (workspace_id, page_id);
