-- For the search of products by their names.
create index concurrently products_search_idx on products using gin (workspace_id, search_words(coalesce(name, '')) gin_trgm_ops) with (gin_pending_list_limit = 1024);
