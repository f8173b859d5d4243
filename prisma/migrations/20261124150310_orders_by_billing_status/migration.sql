-- Orders that have a billing status, for saved filters.
create index concurrently orders_workspace_id_billing_status_id_idx on orders (workspace_id, billing_status, id);
