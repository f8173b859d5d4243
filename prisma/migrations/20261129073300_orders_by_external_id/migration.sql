-- For the filter by external_id. Most orders have none, and no entry.
create index concurrently orders_external_id_id_idx on orders (workspace_id, external_id, id) where external_id is not null;
