-- For the search of products by the SKUs of their variants.
create index concurrently product_variants_search_idx on product_variants using gin (workspace_id, search_words(coalesce("left"(sku, 500), '')) gin_trgm_ops) with (gin_pending_list_limit = 1024);
