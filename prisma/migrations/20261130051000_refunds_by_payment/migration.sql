-- For the list of the refunds of a payment, and its last one.
create index concurrently order_transactions_workspace_id_adjusted_transaction_id_id_idx on order_transactions (workspace_id, adjusted_transaction_id, id);
