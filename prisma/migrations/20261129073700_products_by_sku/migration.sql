-- For the filter of products by the stock-keeping unit of a variant.
create index concurrently product_variants_sku_product_id_idx on product_variants (workspace_id, sku, product_id) where sku is not null;
