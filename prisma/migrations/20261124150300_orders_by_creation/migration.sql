-- Orders that were created in a span of time, for saved filters.
create index concurrently orders_workspace_id_created_at_id_idx on orders (workspace_id, created_at, id);
