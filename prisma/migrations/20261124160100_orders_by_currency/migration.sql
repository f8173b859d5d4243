-- Orders in a currency, for saved filters.
create index concurrently orders_workspace_id_currency_id_idx on orders (workspace_id, currency, id);
