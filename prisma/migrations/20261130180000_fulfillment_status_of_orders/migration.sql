-- The fulfillment status of an order, from its invoices, for lists of the orders that still have to be shipped: no index of orders has what
-- stands in another table. The default is for versions before, which write no status: the triggers correct it.
alter table orders add column fulfillment_status text not null default 'not_applicable';
-- checked: no version before writes the column, so that every row has the default
alter table orders add constraint orders_fulfillment_status_check
  check (fulfillment_status in ('not_applicable', 'unfulfilled', 'partial', 'complete')) not valid;

-- The rule of src/store/sql/shipping.ts.
create function fulfillment_status_of(of_workspace bigint, of_order bigint, of_type text, service text) returns text language sql stable as $$
  select case when bool_and(i.fulfillment_status = 'complete') then 'complete'
      when bool_and(i.fulfillment_status = 'unfulfilled') then 'unfulfilled' when count(*) > 0 then 'partial' else 'not_applicable' end
    from order_invoices i where i.workspace_id = of_workspace and i.order_id = of_order and i.fulfillment_status <> 'not_applicable'
      and not (i.fulfillment_status = 'unfulfilled' and (i.status in ('voided', 'abandoned', 'refunded')
        or (of_type = 'one-time-order' and service in ('canceled', 'abandoned', 'voided'))))
$$;

-- Neither `updated_at` nor `row_version` changes: whoever changes an invoice records the change of its order.
create function keep_fulfillment_status_of_orders() returns trigger language plpgsql as $$
begin
  update orders o set fulfillment_status = s.status
    from (select t.workspace_id, t.id, fulfillment_status_of(t.workspace_id, t.id, t.order_type, t.service_status) as status
      from orders t join (select distinct workspace_id, order_id from written) w on w.workspace_id = t.workspace_id and w.order_id = t.id) s
    where o.workspace_id = s.workspace_id and o.id = s.id and o.fulfillment_status <> s.status;
  return null;
end
$$;

create function keep_fulfillment_status() returns trigger language plpgsql as $$
begin
  new.fulfillment_status := fulfillment_status_of(new.workspace_id, new.id, new.order_type, new.service_status);
  return new;
end
$$;

-- checked: a version before writes orders and invoices as it did, and no column that it knows is changed
do $$
declare
  distributed boolean := false;
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute 'select exists (select from pg_catalog.pg_dist_partition where logicalrelid = $1)' into distributed
      using 'orders'::regclass;
  end if;
  if distributed then
    return;
  end if;
  create trigger keep_fulfillment_status_served before update on orders for each row
    when (old.service_status is distinct from new.service_status) execute function keep_fulfillment_status();
  create trigger keep_fulfillment_status_billed after insert on order_invoices referencing new table as written
    for each statement execute function keep_fulfillment_status_of_orders();
  create trigger keep_fulfillment_status_changed after update on order_invoices referencing new table as written
    for each statement execute function keep_fulfillment_status_of_orders();
  create trigger keep_fulfillment_status_unbilled after delete on order_invoices referencing old table as written
    for each statement execute function keep_fulfillment_status_of_orders();
end
$$;

-- The triggers' locks keep orders and invoices from being changed meanwhile. One workspace at a time, which over Citus is one shard.
-- checked: whoever changes an order or an invoice waits meanwhile, some seconds for 100,000 orders
do $$
declare
  one record;
begin
  for one in select w.id from workspaces w order by w.id loop
    update orders o set fulfillment_status = s.status
      from (select t.id, case when bool_and(i.fulfillment_status = 'complete') then 'complete'
          when bool_and(i.fulfillment_status = 'unfulfilled') then 'unfulfilled' else 'partial' end as status
        from orders t join order_invoices i on i.workspace_id = one.id and i.order_id = t.id
        where t.workspace_id = one.id and i.fulfillment_status <> 'not_applicable'
          and not (i.fulfillment_status = 'unfulfilled' and (i.status in ('voided', 'abandoned', 'refunded')
            or (t.order_type = 'one-time-order' and t.service_status in ('canceled', 'abandoned', 'voided'))))
        group by t.id) s
      where o.workspace_id = one.id and o.id = s.id;
  end loop;
end
$$;
