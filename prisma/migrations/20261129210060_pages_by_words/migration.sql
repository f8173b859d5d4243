-- For the search of pages.
create index concurrently pages_search_idx on pages using gin (workspace_id, search_words(coalesce(name, '') || ' ' || coalesce(current_path, '')) gin_trgm_ops) with (gin_pending_list_limit = 1024);
