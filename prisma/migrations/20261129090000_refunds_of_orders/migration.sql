-- For what an order shows of its refunds: a subscription may have thousands of payments and no refund.
create index concurrently order_refunds_idx on order_transactions (workspace_id, order_id) include (amount) where adjusted_transaction_id is not null;
