-- Pages are told when steps begin or cease to show them. Neither `updated_at` nor `row_version` says so: what its funnel shows of it is no
-- change of the page. The gateway tells them too (src/store/changing/funnel-steps.ts), for a shard has no triggers; here whoever else writes steps
-- does, such as a version before.
create function tell_pages_of_steps() returns trigger language plpgsql as $$
declare
  touched record;
begin
  for touched in execute case tg_op
    when 'UPDATE' then 'select o.workspace_id, array_agg(o.page_id) || array_agg(n.page_id) as ids
      from were o join written n on n.workspace_id = o.workspace_id and n.id = o.id
      where o.page_id is distinct from n.page_id or (o.removed_at is null) <> (n.removed_at is null) group by o.workspace_id'
    else 'select workspace_id, array_agg(page_id) as ids from written where page_id is not null and removed_at is null group by workspace_id'
    end
  loop
    -- Not `exists`: for many pages the planner would rather read all steps that there are.
    update pages p set is_shown = not p.is_shown where p.workspace_id = touched.workspace_id and p.id = any(touched.ids)
      and p.is_shown <> ((select true from funnel_steps s
        where s.workspace_id = p.workspace_id and s.page_id = p.id and s.removed_at is null) is not null);
  end loop;
  return null;
end
$$;

-- checked: a version before writes steps as it did, and no column that it knows is changed
do $$
declare
  distributed boolean := false;
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute 'select exists (select from pg_catalog.pg_dist_partition where logicalrelid = $1)' into distributed
      using 'funnel_steps'::regclass;
  end if;
  if distributed then
    return;
  end if;
  create trigger tell_pages_of_added_steps after insert on funnel_steps referencing new table as written
    for each statement execute function tell_pages_of_steps();
  create trigger tell_pages_of_changed_steps after update on funnel_steps referencing old table as were new table as written
    for each statement execute function tell_pages_of_steps();
  create trigger tell_pages_of_deleted_steps after delete on funnel_steps referencing old table as written
    for each statement execute function tell_pages_of_steps();
end
$$;

-- The triggers' lock keeps steps from being changed meanwhile; they are read.
-- checked: no version before knows the column; whoever changes a page or a step waits meanwhile, some three seconds for 100,000 pages
update pages p set is_shown = true from funnel_steps s
  where s.workspace_id = p.workspace_id and s.page_id = p.id and s.removed_at is null and not p.is_shown;
