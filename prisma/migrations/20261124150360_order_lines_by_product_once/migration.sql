-- The index with the order too serves the same.
drop index concurrently order_line_items_workspace_id_product_id_idx;
