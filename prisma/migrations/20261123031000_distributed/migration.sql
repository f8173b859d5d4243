-- What a store needs that is distributed by Citus (`funnel-gateway distribute`); elsewhere it changes nothing.

-- Whether this server is a node of a distributed store other than its coordinator. Tables that every node has a copy of are written on
-- each: what is to happen once, happens on the coordinator.
create function is_on_worker() returns boolean language plpgsql stable as $$
begin
  if to_regclass('pg_catalog.pg_dist_local_group') is null then
    return false;
  end if;
  return (select groupid <> 0 from pg_catalog.pg_dist_local_group);
end
$$;

-- A transaction that has notified cannot be prepared, as Citus does on its workers.
-- checked: on one PostgreSQL it does what it did
create or replace function notify_lookup_change() returns trigger language plpgsql as $$
begin
  if not is_on_worker() then
    notify funnel_gateway_lookups;
  end if;
  return null;
end
$$;

-- A copy of a table has its name with a number behind it.
-- checked: on one PostgreSQL it does what it did
create or replace function subdomain_is_free() returns trigger language plpgsql as $$
declare
  taken boolean;
begin
  if new.subdomain is null or is_on_worker() then
    return new;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('subdomain:' || new.subdomain, 0));
  if tg_table_name ~ '^teams(_\d+)?$' then
    taken := exists (select from workspaces where subdomain = new.subdomain);
  else
    taken := exists (select from teams where subdomain = new.subdomain);
  end if;
  if taken then
    raise exception 'the subdomain "%" is taken', new.subdomain
      using errcode = 'unique_violation', table = tg_table_name, column = 'subdomain', constraint = 'subdomain_is_free',
            detail = format('Key (subdomain)=(%s) already exists.', new.subdomain);
  end if;
  return new;
end
$$;

-- checked: on one PostgreSQL it does what it did
create or replace function keep_service_user() returns trigger language plpgsql as $$
begin
  if is_on_worker() then
    return null;
  end if;
  if tg_op = 'INSERT' then
    insert into users (service_team_id, name, time_zone, locale, created_at, updated_at)
      values (new.id, left(new.name, 100), new.time_zone, new.locale, new.created_at, new.updated_at);
  else
    update users
      set name = left(new.name, 100), time_zone = new.time_zone, locale = new.locale, updated_at = new.updated_at
      where service_team_id = new.id;
  end if;
  return null;
end
$$;

-- The time of a change as `take_time` takes it, for whoever gives it with the change: in a distributed store no trigger can, for the floor
-- has to be announced where `horizons` looks for it.
create function draw_time(type_number integer) returns timestamptz language plpgsql volatile as $$
declare
  announced constant text := 'take_time.announced_' || type_number;
begin
  if current_setting(announced, true) is distinct from 'yes' then
    perform pg_advisory_xact_lock_shared(1179058176 + 32768 + type_number,
      ((floor(extract(epoch from clock_timestamp()) * 1000)::bigint - 1 + 2147483648) % 4294967296 - 2147483648)::integer);
    perform set_config(announced, 'yes', true);
  end if;
  return clock_timestamp();
end
$$;
