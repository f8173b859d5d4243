-- Clients put the variants and the prices of a product in an order.
alter table products
  add column variant_ids bigint[] not null default array[]::bigint[],
  add column price_ids bigint[] not null default array[]::bigint[];
