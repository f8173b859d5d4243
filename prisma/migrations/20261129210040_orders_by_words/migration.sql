-- For the search of orders by their numbers.
create index concurrently orders_search_idx on orders using gin (workspace_id, search_words(coalesce(order_number::text, '')) gin_trgm_ops) with (gin_pending_list_limit = 1024);
