-- For the filter by page_id, and for the reference.
create index concurrently orders_workspace_id_page_id_id_idx on orders (workspace_id, page_id, id);
