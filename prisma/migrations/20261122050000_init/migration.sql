-- The whole store. What Prisma can say is what `prisma/schema/` says; functions, checks, generated columns, partial indexes,
-- deferred constraints and triggers are here alone, and Prisma's diff looks past them (a test holds that).
--
-- Every table below a workspace can be distributed by `workspace_id`: its primary key begins with it, its unique and foreign
-- keys contain it, and it has no trigger. A hash index finds a row by its id alone. There is no B-tree on the id alone:
-- so only the primary key has the order of a page, whatever the planner thinks of a list's length.

-- Functions that columns are made of.

-- They are in PL/pgSQL: the body of an SQL function is parsed and planned anew by every statement that inserts a row.

-- Six letters for an id below 52^6 = 19770609664 of a type: the id is multiplied and shifted modulo that, and written in letters,
-- the least significant first.
create function six_letters(type_number integer, id bigint) returns text
  language plpgsql immutable strict parallel safe as $$
declare
  number constant bigint := (id * 437819587 + type_number * 13240378023) % 19770609664;
begin
  return encode(set_byte(set_byte(set_byte(set_byte(set_byte(set_byte('\x000000000000'::bytea,
    0, get_byte('RnfKoLATOyQImshtYdWMVrecxzHwSjBkqPuabFCNgvlXGiEDpZJU'::bytea, (number % 52)::integer)),
    1, get_byte('RnfKoLATOyQImshtYdWMVrecxzHwSjBkqPuabFCNgvlXGiEDpZJU'::bytea, (number / 52 % 52)::integer)),
    2, get_byte('RnfKoLATOyQImshtYdWMVrecxzHwSjBkqPuabFCNgvlXGiEDpZJU'::bytea, (number / 2704 % 52)::integer)),
    3, get_byte('RnfKoLATOyQImshtYdWMVrecxzHwSjBkqPuabFCNgvlXGiEDpZJU'::bytea, (number / 140608 % 52)::integer)),
    4, get_byte('RnfKoLATOyQImshtYdWMVrecxzHwSjBkqPuabFCNgvlXGiEDpZJU'::bytea, (number / 7311616 % 52)::integer)),
    5, get_byte('RnfKoLATOyQImshtYdWMVrecxzHwSjBkqPuabFCNgvlXGiEDpZJU'::bytea, (number / 380204032)::integer)), 'escape');
end
$$;

-- The public id of a row: six letters, from 52^6 on twelve, for id / 52^6 and for the sum of that and the rest. The same
-- arithmetic is in src/store/public-ids.ts, which turns it back. Null for an id below 1, which no row can have.
create function public_id(type_number integer, id bigint) returns text
  language plpgsql immutable strict parallel safe as $$
begin
  if id < 1 then
    return null;
  end if;
  if id < 19770609664 then
    return six_letters(type_number, id);
  end if;
  return six_letters(type_number, id / 19770609664)
    || six_letters(type_number, (id / 19770609664 + id % 19770609664) % 19770609664);
end
$$;

-- The next id of a table. Ids are drawn before their transactions commit, so that a reader who trusts `id > after` would pass
-- over rows that commit late. Therefore a transaction announces, before its first draw for a table, a floor: the last id that
-- was drawn by anybody so far, as a shared advisory lock, which every session sees in pg_locks until the transaction ends.
-- All ids that are not committed yet lie above the least floor. The key is two 32-bit numbers: 'FG' and the type number, and the
-- floor's low 32 bits. A setting of the transaction says that the floor is announced; when a savepoint is rolled back, the
-- lock and the setting go together.
-- Sequences cache one id: a session that kept some for later would draw below its floor.
create function draw_id(type_number integer, sequence regclass) returns bigint
  language plpgsql volatile as $$
declare
  announced constant text := 'draw_id.announced_' || type_number;
begin
  if current_setting(announced, true) is distinct from 'yes' then
    perform pg_advisory_xact_lock_shared(1179058176 + type_number,
      ((coalesce(pg_sequence_last_value(sequence), 0) + 2147483648) % 4294967296 - 2147483648)::integer);
    perform set_config(announced, 'yes', true);
  end if;
  return nextval(sequence);
end
$$;

-- True when every element is there and matches; CHECK allows no subquery of its own.
create function all_match(texts text[], pattern text) returns boolean
  language sql immutable parallel safe
  return (select coalesce(bool_and(text is not null and text ~ pattern), true) from unnest(texts) as text);

create sequence teams_id_seq;
create sequence workspaces_id_seq;
create sequence contacts_id_seq;
create sequence tags_id_seq;
create sequence refine_filters_id_seq;
create sequence webhook_endpoints_id_seq;
create sequence funnels_id_seq;
create sequence pages_id_seq;
create sequence funnel_steps_id_seq;
create sequence api_keys_id_seq;
create sequence users_id_seq;
create sequence oauth_grants_id_seq;

-- Teams, workspaces and their domains: few rows, which a distributed store keeps on every node.

create table teams (
  id bigint not null default draw_id(1, 'teams_id_seq'),
  public_id text not null generated always as (public_id(1, id)) stored,
  name text not null,
  subdomain text,
  time_zone text not null default 'UTC',
  locale text not null default 'en',
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null default current_timestamp,
  constraint teams_pkey primary key (id),
  constraint teams_name_check check (name ~ '\S'),
  constraint teams_subdomain_check check (subdomain ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  constraint teams_locale_check check (locale in ('en', 'es', 'ja', 'pt'))
);
create unique index teams_subdomain_key on teams (subdomain);

create table workspaces (
  id bigint not null default draw_id(2, 'workspaces_id_seq'),
  public_id text not null generated always as (public_id(2, id)) stored,
  team_id bigint not null,
  name text not null,
  subdomain text not null,
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null default current_timestamp,
  constraint workspaces_pkey primary key (id),
  constraint workspaces_team_id_fkey foreign key (team_id) references teams (id) on delete restrict on update cascade,
  constraint workspaces_name_check check (name ~ '\S'),
  constraint workspaces_subdomain_check check (subdomain ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$')
);
create unique index workspaces_subdomain_key on workspaces (subdomain);
create index workspaces_team_id_id_idx on workspaces (team_id, id);

-- A subdomain names one team or one workspace, never both. The lock makes two that are saved at the same time wait for
-- each other; the second then sees the first.
create function subdomain_is_free() returns trigger language plpgsql as $$
declare
  taken boolean;
begin
  if new.subdomain is null then
    return new;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('subdomain:' || new.subdomain, 0));
  if tg_table_name = 'teams' then
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

create trigger subdomain_is_free before insert or update of subdomain on teams
  for each row execute function subdomain_is_free();
create trigger subdomain_is_free before insert or update of subdomain on workspaces
  for each row execute function subdomain_is_free();

create table custom_domains (
  id bigserial not null,
  workspace_id bigint not null,
  host text not null,
  created_at timestamptz(3) not null default current_timestamp,
  constraint custom_domains_pkey primary key (id),
  constraint custom_domains_workspace_id_fkey
    foreign key (workspace_id) references workspaces (id) on delete cascade on update cascade,
  constraint custom_domains_host_check check (
    length(host) <= 253
    and host ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$'
  )
);
create unique index custom_domains_host_key on custom_domains (host);
create unique index custom_domains_workspace_id_id_key on custom_domains (workspace_id, id);

-- Contacts and tags

create table contacts (
  id bigint not null default draw_id(3, 'contacts_id_seq'),
  public_id text not null generated always as (public_id(3, id)) stored,
  workspace_id bigint not null,
  uuid uuid not null default gen_random_uuid(),
  anonymous boolean not null default false,
  email_address text,
  first_name text,
  last_name text,
  phone_number text,
  time_zone text,
  unsubscribed_at timestamptz(3),
  last_notification_email_sent_at timestamptz(3),
  email_suppression_reason text,
  fb_url text,
  twitter_url text,
  instagram_url text,
  linkedin_url text,
  website_url text,
  custom_attributes jsonb not null default '{}',
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null default current_timestamp,
  constraint contacts_pkey primary key (workspace_id, id),
  constraint contacts_workspace_id_fkey foreign key (workspace_id) references workspaces (id) on delete restrict,
  constraint contacts_email_address_check check (email_address ~ '^\S+@[^\s@]+$'),
  constraint contacts_custom_attributes_check check (jsonb_typeof(custom_attributes) = 'object')
);
create index contacts_id_idx on contacts using hash (id);
create unique index contacts_workspace_id_uuid_key on contacts (workspace_id, uuid);
-- An e-mail address is one contact's in its workspace, whatever its case.
create unique index contacts_workspace_id_email_address_key on contacts (workspace_id, lower(email_address))
  where email_address is not null;

create table tags (
  id bigint not null default draw_id(4, 'tags_id_seq'),
  public_id text not null generated always as (public_id(4, id)) stored,
  workspace_id bigint not null,
  name text not null,
  color text not null default '#888888',
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null default current_timestamp,
  constraint tags_pkey primary key (workspace_id, id),
  constraint tags_workspace_id_fkey foreign key (workspace_id) references workspaces (id) on delete restrict,
  constraint tags_name_check check (name ~ '\S'),
  constraint tags_color_check check (color ~ '^#[0-9a-fA-F]{6}$')
);
create index tags_id_idx on tags using hash (id);
create unique index tags_workspace_id_name_key on tags (workspace_id, name);

create table contact_tags (
  workspace_id bigint not null,
  contact_id bigint not null,
  tag_id bigint not null,
  applied_at timestamptz(3) not null default current_timestamp,
  constraint contact_tags_pkey primary key (workspace_id, contact_id, tag_id),
  constraint contact_tags_workspace_id_contact_id_fkey
    foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade,
  constraint contact_tags_workspace_id_tag_id_fkey
    foreign key (workspace_id, tag_id) references tags (workspace_id, id) on delete cascade
);
create index contact_tags_workspace_id_tag_id_idx on contact_tags (workspace_id, tag_id);

-- Saved filters and webhook endpoints

create table refine_filters (
  id bigint not null default draw_id(5, 'refine_filters_id_seq'),
  public_id text not null generated always as (public_id(5, id)) stored,
  workspace_id bigint not null,
  name text not null,
  filter_class text not null default 'ContactsFilter',
  conjunction text not null default 'and',
  criteria jsonb not null default '[]',
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null default current_timestamp,
  constraint refine_filters_pkey primary key (workspace_id, id),
  constraint refine_filters_workspace_id_fkey foreign key (workspace_id) references workspaces (id) on delete restrict,
  constraint refine_filters_name_check check (name ~ '\S'),
  constraint refine_filters_conjunction_check check (conjunction in ('and', 'or')),
  constraint refine_filters_criteria_check check (jsonb_typeof(criteria) = 'array')
);
create index refine_filters_id_idx on refine_filters using hash (id);
create unique index refine_filters_workspace_id_name_key on refine_filters (workspace_id, name);

create table webhook_endpoints (
  id bigint not null default draw_id(6, 'webhook_endpoints_id_seq'),
  public_id text not null generated always as (public_id(6, id)) stored,
  workspace_id bigint not null,
  url text not null,
  name text not null,
  event_type_ids text[] not null default array[]::text[],
  api_version integer not null default 2,
  page_ids bigint[] not null default array[]::bigint[],
  funnel_ids bigint[] not null default array[]::bigint[],
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null default current_timestamp,
  constraint webhook_endpoints_pkey primary key (workspace_id, id),
  constraint webhook_endpoints_workspace_id_fkey foreign key (workspace_id) references workspaces (id) on delete restrict,
  constraint webhook_endpoints_name_check check (name ~ '\S'),
  constraint webhook_endpoints_url_check check (url ~ '^https?://[^\s]+$'),
  constraint webhook_endpoints_api_version_check check (api_version in (1, 2)),
  constraint webhook_endpoints_event_type_ids_check
    check (all_match(event_type_ids, '^[A-Za-z0-9_/-]+(\.[A-Za-z0-9_/-]+)+$')),
  constraint webhook_endpoints_page_ids_check check (array_position(page_ids, null) is null),
  constraint webhook_endpoints_funnel_ids_check check (array_position(funnel_ids, null) is null)
);
create index webhook_endpoints_id_idx on webhook_endpoints using hash (id);

-- Funnels, their pages and workflows

create table funnels (
  id bigint not null default draw_id(7, 'funnels_id_seq'),
  public_id text not null generated always as (public_id(7, id)) stored,
  workspace_id bigint not null,
  name text not null,
  archived boolean not null default false,
  current_path text not null,
  live_mode boolean not null default false,
  custom_domain_id bigint,
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null default current_timestamp,
  constraint funnels_pkey primary key (workspace_id, id),
  constraint funnels_workspace_id_fkey foreign key (workspace_id) references workspaces (id) on delete restrict,
  constraint funnels_workspace_id_custom_domain_id_fkey
    foreign key (workspace_id, custom_domain_id) references custom_domains (workspace_id, id) on delete restrict,
  constraint funnels_name_check check (name ~ '\S')
);
create index funnels_id_idx on funnels using hash (id);
create unique index funnels_workspace_id_current_path_key on funnels (workspace_id, current_path);

create table funnel_tags (
  workspace_id bigint not null,
  funnel_id bigint not null,
  tag_id bigint not null,
  applied_at timestamptz(3) not null default current_timestamp,
  constraint funnel_tags_pkey primary key (workspace_id, funnel_id, tag_id),
  constraint funnel_tags_workspace_id_funnel_id_fkey
    foreign key (workspace_id, funnel_id) references funnels (workspace_id, id) on delete cascade,
  constraint funnel_tags_workspace_id_tag_id_fkey
    foreign key (workspace_id, tag_id) references tags (workspace_id, id) on delete cascade
);
create index funnel_tags_workspace_id_tag_id_idx on funnel_tags (workspace_id, tag_id);

create table pages (
  id bigint not null default draw_id(8, 'pages_id_seq'),
  public_id text not null generated always as (public_id(8, id)) stored,
  workspace_id bigint not null,
  name text not null,
  current_path text not null,
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null default current_timestamp,
  discarded_at timestamptz(3),
  discard_reason text,
  constraint pages_pkey primary key (workspace_id, id),
  constraint pages_workspace_id_fkey foreign key (workspace_id) references workspaces (id) on delete restrict,
  constraint pages_name_check check (name ~ '\S'),
  constraint pages_discarded_with_reason check ((discarded_at is null) = (discard_reason is null))
);
create index pages_id_idx on pages using hash (id);
-- Pages are listed and counted without those that were discarded: a workspace may have any number of these between two
-- that are visible.
create index pages_visible on pages (workspace_id, id) where discarded_at is null;

create type step_kind as enum ('page', 'conditional_split');
create type branch as enum ('matched', 'unmatched');

-- What a step's parent has to be; null without one. A function, because Prisma's diff does not understand the expression.
create function parent_kind(parent_id bigint) returns step_kind
  language plpgsql immutable strict parallel safe as $$
begin
  return 'conditional_split';
end
$$;

create table funnel_steps (
  id bigint not null default draw_id(9, 'funnel_steps_id_seq'),
  public_id text not null generated always as (public_id(9, id)) stored,
  workspace_id bigint not null,
  funnel_id bigint not null,
  kind step_kind not null,
  parent_id bigint,
  parent_kind step_kind generated always as (parent_kind(parent_id)) stored,
  branch branch,
  position integer not null,
  sibling_list bigint generated always as (
    case when removed_at is null then coalesce(case branch when 'matched' then parent_id else -parent_id end, 0) end
  ) stored,
  name text not null,
  page_id bigint,
  filter_id bigint,
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null default current_timestamp,
  removed_at timestamptz(3),
  removal_reason text,
  constraint funnel_steps_pkey primary key (workspace_id, id),
  -- What a step's parent is found by: with its funnel, and with its kind.
  constraint funnel_steps_workspace_id_id_funnel_id_kind_key unique (workspace_id, id, funnel_id, kind),
  constraint funnel_steps_workspace_id_funnel_id_fkey
    foreign key (workspace_id, funnel_id) references funnels (workspace_id, id) on delete restrict,
  -- The parent is a conditional split of the same funnel; while it has steps below it, it stays one.
  constraint funnel_steps_parent_fkey foreign key (workspace_id, parent_id, funnel_id, parent_kind)
    references funnel_steps (workspace_id, id, funnel_id, kind) on delete restrict,
  constraint funnel_steps_workspace_id_page_id_fkey
    foreign key (workspace_id, page_id) references pages (workspace_id, id) on delete restrict,
  constraint funnel_steps_workspace_id_filter_id_fkey
    foreign key (workspace_id, filter_id) references refine_filters (workspace_id, id) on delete restrict,
  -- Siblings have different positions. Looked at when the transaction ends, so that they can change places within one. The
  -- index also has a funnel's workflow in reading order.
  constraint funnel_steps_sibling_position unique (workspace_id, funnel_id, sibling_list, position)
    deferrable initially deferred,
  constraint funnel_steps_name_check check (name ~ '\S'),
  constraint funnel_steps_position_check check (position >= 0),
  constraint funnel_steps_branch_of_parent check ((parent_id is null) = (branch is null)),
  constraint funnel_steps_not_own_parent check (parent_id <> id),
  constraint funnel_steps_page_of_page_step check ((kind = 'page') = (page_id is not null)),
  constraint funnel_steps_filter_of_split check (filter_id is null or kind = 'conditional_split'),
  constraint funnel_steps_removed_with_reason check ((removed_at is null) = (removal_reason is null))
);
create index funnel_steps_id_idx on funnel_steps using hash (id);
create index funnel_steps_workspace_id_page_id_idx on funnel_steps (workspace_id, page_id);
create index funnel_steps_workspace_id_filter_id_idx on funnel_steps (workspace_id, filter_id);
-- A page stands in at most one step of a workflow. Its condition on the page keeps lists of steps off this index.
create unique index funnel_steps_one_step_of_page on funnel_steps (workspace_id, page_id)
  where page_id is not null and removed_at is null;
-- A funnel's splits, by id.
create index funnel_steps_splits on funnel_steps (workspace_id, funnel_id, id)
  where kind = 'conditional_split' and removed_at is null;

-- API keys

create table api_keys (
  id bigint not null default draw_id(10, 'api_keys_id_seq'),
  public_id text not null generated always as (public_id(10, id)) stored,
  team_id bigint not null,
  name text not null,
  is_default boolean not null default false,
  token_hash bytea not null,
  hint text not null,
  scopes text[] not null,
  created_at timestamptz(3) not null default current_timestamp,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  constraint api_keys_pkey primary key (id),
  constraint api_keys_team_id_fkey foreign key (team_id) references teams (id) on delete restrict on update cascade,
  constraint api_keys_name_check check (name ~ '\S'),
  constraint api_keys_token_hash_check check (octet_length(token_hash) = 32),
  constraint api_keys_scopes_check check (cardinality(scopes) > 0 and all_match(scopes, '^([a-z_]+:)?(read|write)$')),
  constraint api_keys_expires_at_check check (expires_at > created_at)
);
create unique index api_keys_token_hash_key on api_keys (token_hash);
create index api_keys_team_id_id_idx on api_keys (team_id, id);
-- A team has at most one live default key.
create unique index api_keys_one_default on api_keys (team_id) where is_default and revoked_at is null;

-- People

create type team_role as enum ('owner', 'admin', 'member');

create table users (
  id bigint not null default draw_id(11, 'users_id_seq'),
  public_id text not null generated always as (public_id(11, id)) stored,
  email text not null,
  name text not null,
  password_hash text not null,
  created_at timestamptz(3) not null default current_timestamp,
  updated_at timestamptz(3) not null default current_timestamp,
  disabled_at timestamptz(3),
  sessions_ended_at timestamptz(3),
  constraint users_pkey primary key (id),
  constraint users_email_form check (email ~ '^[^@\s]+@[^@\s]+$' and length(email) <= 254),
  constraint users_name_length check (length(name) between 1 and 100)
);
create unique index users_email_key on users (lower(email));

create table team_members (
  user_id bigint not null,
  team_id bigint not null,
  role team_role not null default 'member',
  created_at timestamptz(3) not null default current_timestamp,
  constraint team_members_pkey primary key (user_id, team_id),
  constraint team_members_user_id_fkey foreign key (user_id) references users (id) on delete cascade on update cascade,
  constraint team_members_team_id_fkey foreign key (team_id) references teams (id) on delete cascade on update cascade
);
create index team_members_team_id_idx on team_members (team_id);

-- OAuth

create table oauth_clients (
  id text not null,
  name text not null,
  metadata jsonb not null,
  secret_hash bytea,
  team_id bigint,
  workspace_ids bigint[] not null default '{}',
  whole_team boolean not null default true,
  dynamic boolean not null default false,
  created_at timestamptz(3) not null default current_timestamp,
  disabled_at timestamptz(3),
  constraint oauth_clients_pkey primary key (id),
  constraint oauth_clients_team_id_fkey foreign key (team_id) references teams (id) on delete restrict on update cascade,
  constraint oauth_clients_name_length check (length(name) between 1 and 200),
  constraint oauth_clients_secret_hash_length check (octet_length(secret_hash) = 32),
  -- Nobody vouches for a client that registered itself: it never acts for a team on its own.
  constraint oauth_clients_dynamic_no_team check (not dynamic or team_id is null),
  constraint oauth_clients_reach check (whole_team = (cardinality(workspace_ids) = 0)),
  constraint oauth_clients_metadata_no_secret check (not metadata ? 'client_secret')
);
create index oauth_clients_team_id_idx on oauth_clients (team_id);
-- What cleaning looks for among rows that are nearly all to be kept.
create index oauth_clients_dynamic on oauth_clients (created_at) where dynamic;

create table oauth_grants (
  id bigint not null default draw_id(12, 'oauth_grants_id_seq'),
  public_id text not null generated always as (public_id(12, id)) stored,
  key text not null,
  user_id bigint not null,
  client_id text not null,
  team_id bigint,
  workspace_ids bigint[] not null default '{}',
  whole_team boolean not null default true,
  scopes text[] not null default '{}',
  payload jsonb not null,
  created_at timestamptz(3) not null default current_timestamp,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  constraint oauth_grants_pkey primary key (id),
  constraint oauth_grants_user_id_fkey foreign key (user_id) references users (id) on delete cascade on update cascade,
  constraint oauth_grants_client_id_fkey
    foreign key (client_id) references oauth_clients (id) on delete cascade on update cascade,
  constraint oauth_grants_team_id_fkey foreign key (team_id) references teams (id) on delete cascade on update cascade,
  constraint oauth_grants_reach check (whole_team = (cardinality(workspace_ids) = 0))
);
create unique index oauth_grants_key_key on oauth_grants (key);
create index oauth_grants_team_id_id_idx on oauth_grants (team_id, id);
create index oauth_grants_user_id_client_id_idx on oauth_grants (user_id, client_id);
create index oauth_grants_client_id_idx on oauth_grants (client_id);
create index oauth_grants_unfinished on oauth_grants (created_at) where team_id is null;

create table oauth_states (
  model text not null,
  id_hash bytea not null,
  payload jsonb not null,
  grant_key text,
  uid text,
  user_id bigint,
  expires_at timestamptz(3) not null,
  consumed_at timestamptz(3),
  slot integer,
  constraint oauth_states_pkey primary key (model, id_hash),
  constraint oauth_states_id_hash_length check (octet_length(id_hash) = 32)
);
create index oauth_states_model_uid_idx on oauth_states (model, uid);
create index oauth_states_grant_key_idx on oauth_states (grant_key);
create index oauth_states_user_id_idx on oauth_states (user_id);
create index oauth_states_expires_at_idx on oauth_states (expires_at);
-- The slots are used in turn, and there are no more of them than this.
create sequence oauth_states_slot_seq as integer maxvalue 10000 cycle owned by oauth_states.slot;
create index oauth_states_slot on oauth_states (slot) where slot is not null;

create table oauth_access_tokens (
  jti text not null,
  kind text not null,
  payload jsonb not null,
  client_id text not null,
  grant_key text,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  constraint oauth_access_tokens_pkey primary key (jti),
  constraint oauth_access_tokens_client_id_fkey
    foreign key (client_id) references oauth_clients (id) on delete cascade on update cascade,
  constraint oauth_access_tokens_grant_key_fkey
    foreign key (grant_key) references oauth_grants (key) on delete cascade on update cascade,
  constraint oauth_access_tokens_kind check (kind in ('AccessToken', 'ClientCredentials'))
);
create index oauth_access_tokens_grant_key_idx on oauth_access_tokens (grant_key);
create index oauth_access_tokens_client_id_idx on oauth_access_tokens (client_id);
create index oauth_access_tokens_expires_at_idx on oauth_access_tokens (expires_at);

create table signing_keys (
  id text not null,
  alg text not null,
  public_jwk jsonb not null,
  sealed_private bytea not null,
  created_at timestamptz(3) not null default current_timestamp,
  active_at timestamptz(3) not null,
  retired_at timestamptz(3),
  constraint signing_keys_pkey primary key (id),
  constraint signing_keys_life check (retired_at is null or retired_at > active_at)
);

create table sign_in_failures (
  key_hash bytea not null,
  failures integer not null,
  window_start timestamptz(3) not null,
  constraint sign_in_failures_pkey primary key (key_hash)
);
create index sign_in_failures_window_start_idx on sign_in_failures (window_start);

-- A sequence goes with its table.
alter sequence teams_id_seq owned by teams.id;
alter sequence workspaces_id_seq owned by workspaces.id;
alter sequence contacts_id_seq owned by contacts.id;
alter sequence tags_id_seq owned by tags.id;
alter sequence refine_filters_id_seq owned by refine_filters.id;
alter sequence webhook_endpoints_id_seq owned by webhook_endpoints.id;
alter sequence funnels_id_seq owned by funnels.id;
alter sequence pages_id_seq owned by pages.id;
alter sequence funnel_steps_id_seq owned by funnel_steps.id;
alter sequence api_keys_id_seq owned by api_keys.id;
alter sequence users_id_seq owned by users.id;
alter sequence oauth_grants_id_seq owned by oauth_grants.id;

-- Gateways keep in memory for a moment who a key is, whose a host is, whether a token is live, and which keys sign. Whatever
-- changes any of it says so to all of them when it is committed. The last use of a key is no such change: it is written all
-- the time.

create function notify_lookup_change() returns trigger language plpgsql as $$
begin
  notify funnel_gateway_lookups;
  return null;
end
$$;

create trigger api_keys_notify after delete or update of token_hash, team_id, name, scopes, expires_at, revoked_at
  on api_keys for each statement execute function notify_lookup_change();
create trigger teams_notify after delete or update of subdomain
  on teams for each statement execute function notify_lookup_change();
create trigger workspaces_notify after delete or update of subdomain, team_id
  on workspaces for each statement execute function notify_lookup_change();
create trigger custom_domains_notify after delete or update
  on custom_domains for each statement execute function notify_lookup_change();
create trigger users_notify after delete or update of disabled_at, name, email
  on users for each statement execute function notify_lookup_change();
create trigger team_members_notify after delete or update
  on team_members for each statement execute function notify_lookup_change();
create trigger oauth_clients_notify after delete or update
  on oauth_clients for each statement execute function notify_lookup_change();
create trigger oauth_grants_notify after delete or update of revoked_at, expires_at, team_id, workspace_ids, whole_team
  on oauth_grants for each statement execute function notify_lookup_change();
create trigger oauth_access_tokens_notify after update of revoked_at
  on oauth_access_tokens for each statement execute function notify_lookup_change();
create trigger signing_keys_notify after insert or delete or update
  on signing_keys for each statement execute function notify_lookup_change();
