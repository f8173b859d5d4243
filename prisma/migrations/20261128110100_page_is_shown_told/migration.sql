-- A page is told when a step begins or ceases to show it. Neither `updated_at` nor `row_version` says so: what its funnel shows of it is no
-- change of the page. The gateway tells it too (src/store/changing/funnel-steps.ts), for a shard has no triggers; here whoever else writes steps
-- does, such as a version before.
create function tell_page_of_step() returns trigger language plpgsql as $$
begin
  -- Not `exists`: for many pages the planner would rather read all steps that there are.
  update pages p set is_shown = not p.is_shown
    where p.workspace_id = coalesce(new.workspace_id, old.workspace_id) and p.id in (old.page_id, new.page_id)
      and p.is_shown <> ((select true from funnel_steps s
        where s.workspace_id = p.workspace_id and s.page_id = p.id and s.removed_at is null) is not null);
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
  create trigger tell_page_of_added_step after insert on funnel_steps for each row
    when (new.page_id is not null and new.removed_at is null) execute function tell_page_of_step();
  create trigger tell_page_of_changed_step after update of page_id, removed_at on funnel_steps for each row
    when (old.page_id is distinct from new.page_id or (old.removed_at is null) <> (new.removed_at is null))
    execute function tell_page_of_step();
  create trigger tell_page_of_deleted_step after delete on funnel_steps for each row
    when (old.page_id is not null and old.removed_at is null) execute function tell_page_of_step();
end
$$;

-- The triggers' lock keeps steps from being changed meanwhile; they are read.
-- checked: no version before knows the column; whoever changes a page or a step waits meanwhile, some three seconds for 100,000 pages
update pages p set is_shown = true from funnel_steps s
  where s.workspace_id = p.workspace_id and s.page_id = p.id and s.removed_at is null and not p.is_shown;
