-- Up to where lists may be read: what is settled, committed or never to be, whatever is under way (src/store/horizons.ts).

-- Of each table: the last id that was drawn, and the last one that is settled; and the last moment, in milliseconds since 1970, of which
-- every change is settled. What is at or below these is seen by every snapshot that is taken after this has returned.
-- The order matters: a floor is announced before its transaction draws an id or takes the time, and stays until the commit is visible.
-- So whoever drew one of the ids that are read first, and is not to be seen below, has committed or given up. Floors come with
-- their low 32 bits; the rest is that of the last number that was handed out by then, which no floor is above.
create function horizons(
  type_numbers integer[], sequences regclass[], out drawn bigint[], out ids bigint[], out times bigint[]
) language plpgsql volatile as $$
declare
  moment bigint;
  classes bigint[];
  floors bigint[];
begin
  drawn := array(select coalesce(pg_sequence_last_value(s.name), 0) from unnest(sequences) with ordinality s (name, n) order by s.n);
  moment := floor(extract(epoch from clock_timestamp()) * 1000) - 1;
  select array_agg(l.classid::bigint), array_agg(l.objid::bigint) into classes, floors from pg_locks l
    where l.locktype = 'advisory' and l.objsubid = 2
      and l.database = (select d.oid from pg_database d where d.datname = current_database())
      and l.classid::bigint between 1179058176 and 1179058176 + 65535;
  ids := array(
    select least(drawn[s.n], (
      select min(s.last - ((s.last - f.low) & 4294967295)) from unnest(classes, floors) f (class, low)
      where f.class = 1179058176 + type_numbers[s.n]
    ))
    from (
      select u.n, coalesce(pg_sequence_last_value(u.name), 0) as last from unnest(sequences) with ordinality u (name, n)
    ) s order by s.n
  );
  times := array(
    select least(moment, (
      select min(m.last - ((m.last - f.low) & 4294967295)) from unnest(classes, floors) f (class, low)
      where f.class = 1179058176 + 32768 + u.type
    ))
    from unnest(type_numbers) with ordinality u (type, n)
      cross join (select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as last offset 0) m
    order by u.n
  );
end
$$;

-- The time of a change, for tables that are listed in its order: taken after a floor below it was announced, as ids are
-- (`draw_id`). Key: 'FG', 32768 and the type number, and the low 32 bits of a moment in milliseconds. A time from before the
-- transaction is an import's, and stays. A creation has one time.
create function take_time() returns trigger language plpgsql as $$
declare
  announced constant text := 'take_time.announced_' || tg_argv[0];
  is_one constant boolean := tg_op = 'INSERT' and new.created_at = new.updated_at;
begin
  if current_setting(announced, true) is distinct from 'yes' then
    perform pg_advisory_xact_lock_shared(1179058176 + 32768 + tg_argv[0]::integer,
      ((floor(extract(epoch from clock_timestamp()) * 1000)::bigint - 1 + 2147483648) % 4294967296 - 2147483648)::integer);
    perform set_config(announced, 'yes', true);
  end if;
  new.updated_at := greatest(clock_timestamp(), new.updated_at);
  if is_one then
    new.created_at := new.updated_at;
  end if;
  return new;
end
$$;

create trigger take_time_of_creation before insert on contacts for each row
  when (new.updated_at >= date_trunc('milliseconds', current_timestamp)) execute function take_time(3);
create trigger take_time_of_change before update of updated_at on contacts for each row
  when (new.updated_at >= date_trunc('milliseconds', current_timestamp)) execute function take_time(3);
