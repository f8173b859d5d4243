-- For the filter by created_at.
create index concurrently order_invoices_workspace_id_created_at_id_idx on order_invoices (workspace_id, created_at, id);
