-- The products with a tag, in each order that a collection can have: so a collection reads its first products, not all of them.
create table tagged_products (
  workspace_id bigint not null,
  product_id bigint not null,
  -- The tag may have been deleted.
  tag_id bigint not null,
  name text not null,
  created_at timestamptz(3) not null,
  -- The lowest that is visible and not archived.
  price numeric,
  constraint tagged_products_pkey primary key (workspace_id, product_id, tag_id),
  constraint tagged_products_workspace_id_product_id_fkey
    foreign key (workspace_id, product_id) references products (workspace_id, id) on delete cascade on update no action
);
-- checked: no running version knows the table
call open_to_tenants('tagged_products', 'select, insert, update, delete');

-- Locks the products, so that of two changes at once the later one sees both.
create function keep_tagged_products(of_workspace bigint, ids bigint[]) returns void language plpgsql as $$
begin
  perform from products p where p.workspace_id = of_workspace and p.id = any(ids) order by p.id for no key update;
  delete from tagged_products m where m.workspace_id = of_workspace and m.product_id = any(ids)
    and not exists (select from products p where p.workspace_id = m.workspace_id and p.id = m.product_id and m.tag_id = any(p.tag_ids));
  insert into tagged_products as m (workspace_id, product_id, tag_id, name, created_at, price)
    select p.workspace_id, p.id, g.id, p.name, p.created_at, (select min(r.amount) from product_prices r
      where r.workspace_id = p.workspace_id and r.product_id = p.id and r.visible and not r.archived)
    from products p cross join lateral (select distinct unnest(p.tag_ids) as id) g
    where p.workspace_id = of_workspace and p.id = any(ids)
    on conflict (workspace_id, product_id, tag_id) do update
      set name = excluded.name, created_at = excluded.created_at, price = excluded.price
      where (m.name, m.created_at, m.price) is distinct from (excluded.name, excluded.created_at, excluded.price);
end
$$;

create function keep_tagged_products_of_change() returns trigger language plpgsql as $$
declare
  touched record;
begin
  for touched in execute case tg_table_name || ' ' || tg_op
    when 'products INSERT' then 'select n.workspace_id, array_agg(n.id) as ids from written n where n.tag_ids <> ''{}'' group by n.workspace_id'
    when 'products UPDATE' then 'select n.workspace_id, array_agg(n.id) as ids
      from were o join written n on n.workspace_id = o.workspace_id and n.id = o.id
      where (o.tag_ids, o.name, o.created_at) is distinct from (n.tag_ids, n.name, n.created_at)
        and (o.tag_ids <> ''{}'' or n.tag_ids <> ''{}'') group by n.workspace_id'
    when 'product_prices UPDATE' then 'select n.workspace_id, array_agg(distinct n.product_id) as ids
      from were o join written n on n.workspace_id = o.workspace_id and n.id = o.id
      where (o.amount, o.visible, o.archived) is distinct from (n.amount, n.visible, n.archived) group by n.workspace_id'
    else 'select n.workspace_id, array_agg(distinct n.product_id) as ids from written n group by n.workspace_id'
    end
  loop
    perform keep_tagged_products(touched.workspace_id, touched.ids);
  end loop;
  return null;
end
$$;

-- checked: a version before writes products and prices as it did, and no column that it knows is changed
do $$
declare
  distributed boolean := false;
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute 'select exists (select from pg_catalog.pg_dist_partition where logicalrelid = $1)' into distributed
      using 'products'::regclass;
  end if;
  if distributed then
    return;
  end if;
  create trigger keep_tagged_products_added after insert on products referencing new table as written
    for each statement execute function keep_tagged_products_of_change();
  create trigger keep_tagged_products_changed after update on products referencing old table as were new table as written
    for each statement execute function keep_tagged_products_of_change();
  create trigger keep_tagged_products_priced after insert on product_prices referencing new table as written
    for each statement execute function keep_tagged_products_of_change();
  create trigger keep_tagged_products_repriced after update on product_prices referencing old table as were new table as written
    for each statement execute function keep_tagged_products_of_change();
  create trigger keep_tagged_products_unpriced after delete on product_prices referencing old table as written
    for each statement execute function keep_tagged_products_of_change();
end
$$;

-- The triggers' locks keep products and prices from being changed meanwhile. One workspace at a time, which over Citus is one shard.
-- checked: whoever changes a product or a price waits meanwhile, some seconds for 100,000 products
do $$
declare
  one record;
begin
  for one in select w.id from workspaces w order by w.id loop
    insert into tagged_products (workspace_id, product_id, tag_id, name, created_at, price)
      select p.workspace_id, p.id, g.id, p.name, p.created_at, (select min(r.amount) from product_prices r
        where r.workspace_id = one.id and r.product_id = p.id and r.visible and not r.archived)
      from products p cross join lateral (select distinct unnest(p.tag_ids) as id) g where p.workspace_id = one.id;
  end loop;
end
$$;

create index tagged_products_tag_id_product_id_idx on tagged_products (workspace_id, tag_id, product_id);
create index tagged_products_tag_id_name_product_id_idx on tagged_products (workspace_id, tag_id, name, product_id);
create index tagged_products_tag_id_created_at_product_id_idx on tagged_products (workspace_id, tag_id, created_at, product_id);
create index tagged_products_tag_id_price_product_id_idx on tagged_products (workspace_id, tag_id, price, product_id);
create index tagged_products_tag_id_price_desc_product_id_idx on tagged_products (workspace_id, tag_id, price desc nulls last, product_id);
