-- The orders of a product, for saved filters.
create index concurrently order_line_items_workspace_id_product_id_order_id_idx on order_line_items (workspace_id, product_id, order_id);
