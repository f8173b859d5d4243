-- Records of erasures outlive the audit entries: who was erased, when and by whom is kept, while audit entries go with their partition.
alter table contact_erasures
  -- Of the last erasure, as in audit_entries; null if a version that did not know the columns made it.
  add column actor_kind text,
  add column actor_id text,
  add column client_id text,
  add column request_id text;

-- checked: a row an erasure
with erased as (
  select distinct on (workspace_id, contact_id) workspace_id, contact_id, created_at, actor_kind, actor_id, client_id, request_id
  from audit_entries where action = 'contact.erased' and contact_id is not null
  order by workspace_id, contact_id, created_at desc
)
insert into contact_erasures as x (workspace_id, contact_id, events_through, entries_through, erased_at, done_at,
  actor_kind, actor_id, client_id, request_id)
select workspace_id, contact_id, 0, 0, created_at, created_at, actor_kind, actor_id, client_id, request_id from erased
on conflict (workspace_id, contact_id) do update set actor_kind = excluded.actor_kind, actor_id = excluded.actor_id,
  client_id = excluded.client_id, request_id = excluded.request_id;

-- The partitions of a table that is partitioned by time, without the default one.
create function time_partitions(parent regclass)
  returns table (name text, from_time timestamptz, to_time timestamptz)
  language sql stable as $$
    select c.oid::regclass::text, coalesce(b.bounds[1], '-infinity')::timestamptz, coalesce(b.bounds[2], 'infinity')::timestamptz
    from pg_inherits i join pg_class c on c.oid = i.inhrelid cross join lateral (
      select regexp_match(pg_get_expr(c.relpartbound, c.oid),
        '^FOR VALUES FROM \((?:''([^'']*)''|MINVALUE)\) TO \((?:''([^'']*)''|MAXVALUE)\)$') as bounds) b
    where i.inhparent = parent and b.bounds is not null
  $$;

-- Makes one step of what keeps a table partitioned by time: makes the next partition that is missing, or drops the oldest whose rows are
-- all too old, or deletes some of the old rows that stand in the default partition. Each step is short, and nobody waits for it longer than
-- the time limit of its locks. It runs as the owner of the tables, and only whom the owner grants it may call it.
--
-- A partition has a tenth of the days that rows are kept for. There are some from `since` to a week ahead, unless rows of their time stand
-- in the default partition: these stay there, so partitions begin at the next midnight behind them.
--
-- made, dropped: the name of the partition. more: whether there is another step to make.
create function keep_partitions(parent text, keep_days integer, drops boolean default false,
  -- The clock of the caller. Nothing is dropped that is not old by both clocks.
  caller_time timestamptz default clock_timestamp(),
  since timestamptz default clock_timestamp(),
  -- All rows of the default partition are read while others wait, unless it is larger.
  large_bytes bigint default 64 * 1024 * 1024,
  out made text, out dropped text, out more boolean)
  language plpgsql security definer
  set search_path from current
  set timezone = 'UTC'
  set lock_timeout = '200ms'
as $$
declare
  day constant interval := '1 day';
  epoch constant timestamptz := '1970-01-01';
  span constant interval := greatest(1, ceil(keep_days / 10.0)::integer) * day;
  rest constant text := parent || '_default';
  is_large constant boolean := pg_relation_size(rest::regclass) > large_bytes;
  old_before constant timestamptz := least(caller_time, clock_timestamp()) - keep_days * day;
  at text;
  begins timestamptz := date_bin(span, least(since, clock_timestamp()), epoch);
  ends timestamptz;
  found_time timestamptz;
  wanted text;
  check_wanted text;
  check_there record;
  keys text;
  deleted integer;
begin
  more := false;
  -- Citus makes and drops tables one shard after another: within one transaction they could wait for each other.
  perform set_config('citus.multi_shard_modify_mode', 'sequential', true);
  perform pg_advisory_xact_lock(7305441298826014722);
  select a.attname into at from pg_partitioned_table p
    join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0] where p.partrelid = parent::regclass;

  loop
    exit when begins > clock_timestamp() + 7 * day;
    select p.to_time into found_time from time_partitions(parent::regclass) p where p.from_time <= begins and p.to_time > begins;
    if found then
      begins := found_time;
      continue;
    end if;
    ends := date_bin(span, begins, epoch) + span;
    select least(ends, min(p.from_time)) into ends from time_partitions(parent::regclass) p where p.from_time > begins;
    execute format('select max(%I) from %I where %1$I >= $1 and %1$I < $2', at, rest) into found_time using begins, ends;
    if found_time is not null then
      begins := case when ends <= clock_timestamp() then ends
        else date_trunc('day', greatest(found_time, clock_timestamp())) + day end;
    elsif is_large and begins < date_trunc('day', clock_timestamp()) + 2 * day then
      -- Its rows are read before the partition is made: that takes a while.
      begins := date_trunc('day', clock_timestamp()) + 2 * day;
    else
      wanted := parent || to_char(begins, '_YYYYMMDD');
      exit;
    end if;
  end loop;

  -- A large default partition is read in a step of its own, in which others read and write: to validate a check that it has no rows of the
  -- time of the next partition. Then making that reads nothing. Whoever comes next goes on with a check that another process has left.
  check_wanted := case when is_large then wanted || '_is_next' end;
  select conname as name, convalidated as is_valid into check_there from pg_constraint
    where conrelid = rest::regclass and conname ~ '_is_next$';
  if check_there.name is distinct from check_wanted then
    if check_there.name is not null then
      execute format('alter table %I drop constraint %I', rest, check_there.name);
    else
      execute format('alter table %I add constraint %I check (%I < %L or %3$I >= %5$L) not valid', rest, check_wanted, at, begins, ends);
    end if;
    more := true;
    return;
  elsif not check_there.is_valid then
    execute format('alter table %I validate constraint %I', rest, check_wanted);
    more := true;
    return;
  end if;

  if wanted is not null then
    execute format('create table %I (like %I including all)', wanted, parent);
    execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, wanted, begins, ends);
    if check_wanted is not null then
      execute format('alter table %I drop constraint %I', rest, check_wanted);
    end if;
    made := wanted;
    more := true;
    return;
  end if;

  if drops then
    select p.name into dropped from time_partitions(parent::regclass) p where p.to_time <= old_before order by p.to_time limit 1;
    if found then
      execute format('drop table %s', dropped);
      return;
    end if;
    select string_agg(quote_ident(a.attname), ', ') into keys from pg_index i
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey) where i.indrelid = rest::regclass and i.indisprimary;
    execute format('delete from %I where (%s) in (select %2$s from %1$I where %3$I < $1 limit 1000)', rest, keys, at) using old_before;
    get diagnostics deleted = row_count;
    more := deleted = 1000;
  end if;
end
$$;
revoke execute on function keep_partitions from public;
