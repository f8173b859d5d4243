-- For the filter by result.
create index concurrently order_transactions_workspace_id_order_id_result_id_idx on order_transactions (workspace_id, order_id, result, id);
