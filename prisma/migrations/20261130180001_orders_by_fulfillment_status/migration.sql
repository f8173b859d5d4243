-- For the filter by fulfillment status.
create index concurrently orders_workspace_id_fulfillment_status_id_idx on orders (workspace_id, fulfillment_status, id);
