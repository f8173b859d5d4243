-- When each tag was applied to a product or a funnel, and the funnels with a tag. The lists `tag_ids` stay what they are: the tags that a
-- client gave, in the client's order.

-- The default is for versions before, which do not know the column: whatever one statement applies has the same time.
-- checked: the default is evaluated once, so no row is written
alter table tagged_products add column applied_at timestamptz(3) not null default statement_timestamp();

-- A tag is applied when the product is changed. One that stays keeps its time.
-- checked: the same rows for the triggers of a version before, in one column more
create or replace function keep_tagged_products(of_workspace bigint, ids bigint[]) returns void language plpgsql as $$
begin
  perform from products p where p.workspace_id = of_workspace and p.id = any(ids) order by p.id for no key update;
  delete from tagged_products m where m.workspace_id = of_workspace and m.product_id = any(ids)
    and not exists (select from products p where p.workspace_id = m.workspace_id and p.id = m.product_id and m.tag_id = any(p.tag_ids));
  insert into tagged_products as m (workspace_id, product_id, tag_id, name, created_at, price, applied_at)
    select p.workspace_id, p.id, g.id, p.name, p.created_at, (select min(r.amount) from product_prices r
      where r.workspace_id = p.workspace_id and r.product_id = p.id and r.visible and not r.archived), p.updated_at
    from products p cross join lateral (select distinct unnest(p.tag_ids) as id) g
    where p.workspace_id = of_workspace and p.id = any(ids)
    on conflict (workspace_id, product_id, tag_id) do update
      set name = excluded.name, created_at = excluded.created_at, price = excluded.price
      where (m.name, m.created_at, m.price) is distinct from (excluded.name, excluded.created_at, excluded.price);
end
$$;

-- One workspace at a time, which over Citus is one shard.
-- checked: whoever changes the tags of a product waits meanwhile, some seconds for 100,000 products
do $$
declare
  one record;
begin
  for one in select w.id from workspaces w order by w.id loop
    update tagged_products m set applied_at = p.updated_at from products p
      where m.workspace_id = one.id and p.workspace_id = one.id and p.id = m.product_id;
  end loop;
end
$$;

create table tagged_funnels (
  workspace_id bigint not null,
  funnel_id bigint not null,
  -- The tag may have been deleted.
  tag_id bigint not null,
  applied_at timestamptz(3) not null default statement_timestamp(),
  constraint tagged_funnels_pkey primary key (workspace_id, funnel_id, tag_id),
  constraint tagged_funnels_workspace_id_funnel_id_fkey
    foreign key (workspace_id, funnel_id) references funnels (workspace_id, id) on delete cascade on update no action
);
-- checked: no running version knows the table
call open_to_tenants('tagged_funnels', 'select, insert, update, delete');

-- Locks the funnels, so that of two changes at once the later one sees both.
create function keep_tagged_funnels(of_workspace bigint, ids bigint[]) returns void language plpgsql as $$
begin
  perform from funnels f where f.workspace_id = of_workspace and f.id = any(ids) order by f.id for no key update;
  delete from tagged_funnels m where m.workspace_id = of_workspace and m.funnel_id = any(ids)
    and not exists (select from funnels f where f.workspace_id = m.workspace_id and f.id = m.funnel_id and m.tag_id = any(f.tag_ids));
  insert into tagged_funnels (workspace_id, funnel_id, tag_id, applied_at)
    select f.workspace_id, f.id, g.id, f.updated_at
    from funnels f cross join lateral (select distinct unnest(f.tag_ids) as id) g
    where f.workspace_id = of_workspace and f.id = any(ids)
    on conflict (workspace_id, funnel_id, tag_id) do nothing;
end
$$;

create function keep_tagged_funnels_of_change() returns trigger language plpgsql as $$
declare
  touched record;
begin
  for touched in execute case tg_op
    when 'INSERT' then 'select n.workspace_id, array_agg(n.id) as ids from written n where n.tag_ids <> ''{}'' group by n.workspace_id'
    else 'select n.workspace_id, array_agg(n.id) as ids from were o join written n on n.workspace_id = o.workspace_id and n.id = o.id
      where o.tag_ids is distinct from n.tag_ids group by n.workspace_id'
    end
  loop
    perform keep_tagged_funnels(touched.workspace_id, touched.ids);
  end loop;
  return null;
end
$$;

-- checked: a version before writes funnels as it did, and no column that it knows is changed
do $$
declare
  distributed boolean := false;
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute 'select exists (select from pg_catalog.pg_dist_partition where logicalrelid = $1)' into distributed
      using 'funnels'::regclass;
  end if;
  if distributed then
    return;
  end if;
  create trigger keep_tagged_funnels_added after insert on funnels referencing new table as written
    for each statement execute function keep_tagged_funnels_of_change();
  create trigger keep_tagged_funnels_changed after update on funnels referencing old table as were new table as written
    for each statement execute function keep_tagged_funnels_of_change();
end
$$;

-- The triggers' locks keep funnels from being changed meanwhile.
-- checked: whoever changes a funnel waits meanwhile, a second for 100,000 funnels
do $$
declare
  one record;
begin
  for one in select w.id from workspaces w order by w.id loop
    insert into tagged_funnels (workspace_id, funnel_id, tag_id, applied_at)
      select f.workspace_id, f.id, g.id, f.updated_at
      from funnels f cross join lateral (select distinct unnest(f.tag_ids) as id) g where f.workspace_id = one.id;
  end loop;
end
$$;

create index tagged_funnels_tag_id_funnel_id_idx on tagged_funnels (workspace_id, tag_id, funnel_id);
