-- For the filter by status.
create index concurrently order_transactions_workspace_id_order_id_status_id_idx on order_transactions (workspace_id, order_id, status, id);
