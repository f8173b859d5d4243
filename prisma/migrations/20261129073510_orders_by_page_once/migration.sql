-- The index by page and id serves the same.
drop index concurrently if exists orders_workspace_id_page_id_idx;
