-- The index with the id serves what this one did.
drop index concurrently if exists order_transactions_workspace_id_adjusted_transaction_id_idx;
