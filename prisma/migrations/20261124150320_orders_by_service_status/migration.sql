-- Orders that have a service status, for saved filters.
create index concurrently orders_workspace_id_service_status_id_idx on orders (workspace_id, service_status, id);
