-- For the search of funnels.
create index concurrently funnels_search_idx on funnels using gin (workspace_id, search_words(coalesce(name, '') || ' ' || coalesce(current_path, '')) gin_trgm_ops) with (gin_pending_list_limit = 1024);
