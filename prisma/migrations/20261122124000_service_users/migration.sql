-- What GET /me shows of a user; each team's service user; and one more subdomain that is the service's own.

-- A service user is whom a team's API keys, and clients that act for themselves, stand for. It is no person: nothing to sign in
-- with, nothing that could be disabled. A person has both e-mail address and password.
alter table users
  add column service_team_id bigint,
  add column time_zone text,
  add column locale text,
  alter column email drop not null,
  alter column password_hash drop not null;
-- Of a person the first word of the name, and what follows it; a service user is called what its team is called.
alter table users
  add column first_name text generated always as (
    case when service_team_id is null then substring(name from '^\s*(\S+)') else name end
  ) stored,
  add column last_name text generated always as (
    case when service_team_id is null then substring(name from '^\s*\S+\s+(\S.*?)\s*$') end
  ) stored,
  add constraint users_service_team_id_fkey
    foreign key (service_team_id) references teams (id) on delete cascade on update cascade,
  add constraint users_locale_check check (locale in ('en', 'es', 'ja', 'pt')),
  add constraint users_person_or_service check (
    case when service_team_id is null then num_nulls(email, password_hash) = 0
      else num_nonnulls(email, password_hash, disabled_at, sessions_ended_at) = 0 end
  );
create unique index users_service_team_id_key on users (service_team_id);

-- Nobody becomes a service user, and none becomes a person or another team's.
create function service_user_is_for_life() returns trigger language plpgsql as $$
begin
  raise exception 'user % cannot become a service user, or cease to be one', new.id
    using errcode = 'check_violation', table = tg_table_name, column = 'service_team_id', constraint = tg_name;
end
$$;
create trigger service_user_is_for_life before update of service_team_id on users
  for each row when (old.service_team_id is distinct from new.service_team_id)
  execute function service_user_is_for_life();

-- A service user belongs to no team as people do, and grants nothing.
create function user_is_person() returns trigger language plpgsql as $$
begin
  if exists (select from users where id = new.user_id and service_team_id is not null) then
    raise exception 'user % is a service user', new.user_id
      using errcode = 'check_violation', table = tg_table_name, column = 'user_id', constraint = tg_name;
  end if;
  return new;
end
$$;
create trigger user_is_person before insert or update of user_id on team_members
  for each row execute function user_is_person();
create trigger user_is_person before insert or update of user_id on oauth_grants
  for each row execute function user_is_person();

-- Made with its team, and kept in step with it. An older team's name may be longer than a user's.
create function keep_service_user() returns trigger language plpgsql as $$
begin
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
create trigger keep_service_user after insert or update of name, time_zone, locale on teams
  for each row execute function keep_service_user();

insert into users (service_team_id, name, time_zone, locale, created_at, updated_at)
  select id, left(name, 100), time_zone, locale, created_at, updated_at from teams order by id;

-- As in the migration hosts, with `accounts`, which leads to the service itself. The same list is in
-- src/services/operator/subdomains.ts. Whoever has such a name already is asked for another before this is applied
-- (src/store/migrations/reserved-subdomains.ts).
create or replace function subdomain_is_allowed() returns trigger language plpgsql as $$
begin
  if new.subdomain like '__--%' or new.subdomain = any (array[
    'account', 'accounts', 'admin', 'api', 'auth', 'autoconfig', 'autodiscover', 'ftp', 'imap', 'isatap', 'localhost', 'login',
    'mail', 'metrics', 'mta-sts', 'ns', 'ns1', 'ns2', 'oauth', 'pop', 'smtp', 'status', 'wpad', 'www'])
  then
    raise exception 'the subdomain "%" is reserved', new.subdomain
      using errcode = 'check_violation', table = tg_table_name, column = 'subdomain', constraint = 'subdomain_is_allowed';
  end if;
  return new;
end
$$;
