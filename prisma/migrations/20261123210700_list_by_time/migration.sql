-- The times of changes of all that is listed in their order are announced, as those of contacts are (`take_time`).

-- Has the times of a table's changes taken announced. In a distributed store whoever changes a row draws them (`draw_time`).
-- What is given a time from before the transaction is imported, and keeps it; so long before, where clocks are compared that differ.
create procedure list_by_time(
  listed regclass, type_number integer, taken_by text default 'take_time', earlier interval default '0'
) language plpgsql as $$
declare
  distributed boolean := false;
  happened text;
begin
  if to_regclass('pg_catalog.pg_dist_partition') is not null then
    execute 'select exists (select from pg_catalog.pg_dist_partition where logicalrelid = $1)' into distributed using listed;
  end if;
  if distributed then
    return;
  end if;
  foreach happened in array array['creation before insert', 'change before update of updated_at'] loop
    execute format(
      'create trigger take_time_of_%s on %s for each row
        when (new.updated_at >= date_trunc(''milliseconds'', current_timestamp) - %L::interval) execute function %I(%s)',
      happened, listed, earlier, taken_by, type_number
    );
  end loop;
end
$$;

-- `take_time` of webhook endpoints: where the secret is from the same change, its times go along.
create function take_time_of_endpoint() returns trigger language plpgsql as $$
declare
  given constant timestamptz := new.updated_at;
begin
  new.updated_at := greatest(draw_time(tg_argv[0]::integer), given);
  if tg_op = 'INSERT' and new.created_at = given then
    new.created_at := new.updated_at;
  end if;
  if new.secret_changed_at = given then
    new.secret_changed_at := new.updated_at;
    new.previous_secret_until := new.previous_secret_until + (new.updated_at - given);
  end if;
  return new;
end
$$;

-- checked: a version that knows nothing of it has its changes' times a moment later
call list_by_time('tags', 4);
-- checked: as with tags
call list_by_time('funnels', 7);
-- checked: as with tags
call list_by_time('webhook_endpoints', 6, 'take_time_of_endpoint');
-- checked: as with tags
call list_by_time('workspaces', 2, earlier => '1 minute');
-- checked: as with tags
call list_by_time('teams', 1, earlier => '1 minute');
