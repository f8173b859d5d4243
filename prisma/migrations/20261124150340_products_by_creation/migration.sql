-- Products that were created in a span of time, for saved filters.
create index concurrently products_workspace_id_created_at_id_idx on products (workspace_id, created_at, id);
