-- Orders that have a total, for saved filters.
create index concurrently orders_workspace_id_total_amount_id_idx on orders (workspace_id, total_amount, id);
