-- A second line of defence (docs/SECURITY.md): what changes anything for a caller runs as a role that sees and changes rows of the
-- caller's own workspaces only, whatever the statement's conditions say. Row-level security is not forced: the owner of the tables, as
-- which the operator's commands and the workers run, is not held by it.

-- Roles are the server's, and other databases there may have made this one, at the same moment too. Nobody logs in as it.
do $$
declare
  remedy constant text := format('the user %1$I may not make the role that callers'' changes run as. Have an administrator of the server'
    ' run: create role funnel_gateway_tenant nologin; grant funnel_gateway_tenant to %1$I;', current_user);
  is_16 constant boolean := current_setting('server_version_num')::integer >= 160000;
begin
  if not exists (select from pg_roles where rolname = 'funnel_gateway_tenant') then
    begin
      create role funnel_gateway_tenant nologin;
    exception
      when duplicate_object or unique_violation then null;
      when insufficient_privilege then raise insufficient_privilege using message = remedy;
    end;
  end if;
  -- Not inherited: it limits those who have switched to it, and nobody else.
  if not pg_has_role(current_user, 'funnel_gateway_tenant', case when is_16 then 'SET' else 'MEMBER' end) then
    begin
      execute format('grant funnel_gateway_tenant to %I%s', current_user,
        case when is_16 then ' with inherit false, set true' end);
    exception
      when insufficient_privilege then raise insufficient_privilege using message = remedy;
    end;
  end if;
  execute format('grant usage on schema %I to funnel_gateway_tenant', current_schema());
end
$$;

-- Whose transaction it is, is set in it, for it alone. Where nothing is set, nothing is allowed.
create function tenant_team() returns bigint
  language sql stable
  return nullif(current_setting('funnel_gateway.team', true), '')::bigint;

-- Whether the caller is narrowed to other workspaces than this one: `all`, or an array.
create function tenant_reaches(workspace bigint) returns boolean
  language sql stable
  return case current_setting('funnel_gateway.workspaces', true)
    when 'all' then true
    when '' then false
    else workspace = any (current_setting('funnel_gateway.workspaces', true)::bigint[])
  end;

-- Whether a row of this workspace is the caller's: of the workspaces those that the caller reaches are seen alone. A change is of one
-- workspace, which is looked for once a transaction. A subquery in each policy would be set up by every statement for each table in it,
-- which takes a quarter of what a change takes.
create function tenant_owns(workspace bigint) returns boolean
  language plpgsql stable as $$
begin
  if workspace::text = current_setting('funnel_gateway.owned', true) then
    return true;
  end if;
  if not exists (select from workspaces w where w.id = workspace) then
    return false;
  end if;
  perform set_config('funnel_gateway.owned', workspace::text, true);
  return true;
end
$$;

-- Opens a table to the role, as far as its rows are the caller's. A table that this was not said of is closed to it. Everybody else
-- sees all rows that their privileges let them see.
-- `own` says which rows are the caller's.
create procedure open_to_tenants(opened regclass, privileges text,
  -- The comparison saves most rows the call.
  own text default 'workspace_id::text = current_setting(''funnel_gateway.owned'', true) or tenant_owns(workspace_id)')
  language plpgsql as $$
declare
  sequence constant text := case when exists (
    select from pg_attribute where attrelid = opened and attname = 'id') then pg_get_serial_sequence(opened::text, 'id') end;
begin
  execute format('alter table %s enable row level security', opened);
  execute format('create policy everybody on %s using (true)', opened);
  execute format('create policy tenants on %s as restrictive to funnel_gateway_tenant using (%s)', opened, own);
  execute format('grant %s on %s to funnel_gateway_tenant', privileges, opened);
  if sequence is not null and privileges ~ 'insert' then
    execute format('grant usage on sequence %s to funnel_gateway_tenant', sequence);
  end if;
end
$$;

call open_to_tenants('workspaces', 'select', 'team_id = tenant_team() and tenant_reaches(id)');

call open_to_tenants('contacts', 'select, insert, update, delete');
call open_to_tenants('tags', 'select, insert, update, delete');
-- What is locked needs the right to change a column.
call open_to_tenants('contact_tags', 'select, insert, update (row_version), delete');
call open_to_tenants('webhook_endpoints', 'select, insert, update, delete');
call open_to_tenants('funnels', 'select, update (updated_at)');
call open_to_tenants('funnel_steps',
  'select, update (parent_id, branch, position, updated_at, removed_at, removal_reason)');
call open_to_tenants('pages', 'select, update (updated_at, discarded_at, discard_reason)');
call open_to_tenants('audit_entries', 'select, insert, update (before, after, erased_at)');
call open_to_tenants('events', 'select, insert, update (data, erased_at)');
call open_to_tenants('webhook_deliveries', 'select, insert, update');
call open_to_tenants('webhook_attempts', 'select, update (response_start)');

-- Hashes alone. A key that was used in a workspace which the caller is not narrowed to here is used nevertheless.
call open_to_tenants('idempotency_records', 'select, insert, update');
drop policy tenants on idempotency_records;
create policy tenants_insert on idempotency_records as restrictive for insert to funnel_gateway_tenant
  with check (tenant_owns(workspace_id));
create policy tenants_update on idempotency_records as restrictive for update to funnel_gateway_tenant
  using (tenant_owns(workspace_id));

-- Credentials are the team's: nothing of them for whoever is narrowed to some of its workspaces. No hash, no payload.
call open_to_tenants('api_keys',
  'select (id, public_id, team_id, name, is_default, hint, scopes, created_at, expires_at, revoked_at, last_used_at),
    update (revoked_at)',
  'team_id = tenant_team() and current_setting(''funnel_gateway.workspaces'', true) = ''all''');
call open_to_tenants('oauth_grants', 'select (id, key, team_id, revoked_at), update (revoked_at)',
  'team_id = tenant_team() and current_setting(''funnel_gateway.workspaces'', true) = ''all''');
call open_to_tenants('oauth_access_tokens', 'select (grant_key, revoked_at), update (revoked_at)',
  'exists (select from oauth_grants g where g.key = grant_key)');
call open_to_tenants('oauth_states', 'select (grant_key), delete',
  'exists (select from oauth_grants g where g.key = grant_key)');
