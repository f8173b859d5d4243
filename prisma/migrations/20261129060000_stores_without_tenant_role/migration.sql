-- A store that an earlier version made with TENANT_ROLE=off gets the role for tenants, as if it had been there from the start. A store that
-- has it, and one that Citus distributes, stay as they are.
-- checked: a version before with TENANT_ROLE=off changes rows as their owner, whom row-level security does not limit
do $migration$
declare
  policy record;
begin
  if exists (select from pg_policy where polname = 'tenants' and polrelid = 'workspaces'::regclass)
    or exists (select from pg_extension where extname = 'citus') then
    return;
  end if;
  -- Policies that a dump brought although the role was not there.
  for policy in select polname, polrelid::regclass as name from pg_policy join pg_class c on c.oid = polrelid
    where c.relnamespace = current_schema()::regnamespace and (polname = 'everybody' or polname ~ '^tenants')
  loop
    execute format('drop policy %I on %s', policy.polname, policy.name);
  end loop;
  execute $role$
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
$$
$role$;
  call open_to_tenants('workspaces', 'select', 'team_id = tenant_team() and tenant_reaches(id)');
  call open_to_tenants('contacts', 'select, insert, update, delete');
  call open_to_tenants('tags', 'select, insert, update, delete');
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
  call open_to_tenants('idempotency_records', 'select, insert, update');
  drop policy tenants on idempotency_records;
  create policy tenants_insert on idempotency_records as restrictive for insert to funnel_gateway_tenant
    with check (tenant_owns(workspace_id));
  create policy tenants_update on idempotency_records as restrictive for update to funnel_gateway_tenant
    using (tenant_owns(workspace_id));
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
  call open_to_tenants('contact_erasures', 'select, insert, update');
  call open_to_tenants('product_collections', 'select, insert, update, delete');
  call open_to_tenants('product_prices', 'select, insert, update, delete');
  call open_to_tenants('product_tags', 'select, insert, update, delete');
  call open_to_tenants('product_variants', 'select, insert, update, delete');
  call open_to_tenants('products', 'select, insert, update, delete');
  call open_to_tenants('variant_properties', 'select, insert, update, delete');
  call open_to_tenants('order_invoice_line_items', 'select, insert, update, delete');
  call open_to_tenants('order_invoices', 'select, insert, update, delete');
  call open_to_tenants('order_line_items', 'select, insert, update, delete');
  call open_to_tenants('order_restocks', 'select, insert, update, delete');
  call open_to_tenants('order_transactions', 'select, insert, update, delete');
  call open_to_tenants('orders', 'select, insert, update, delete');
  call open_to_tenants('order_restock_line_items', 'select, insert, update, delete');
  call open_to_tenants('order_counters', 'select, insert, update');
  call open_to_tenants('images', 'select, insert, update, delete');
  call open_to_tenants('image_chunks', 'select');
  call open_to_tenants('stores', 'select, insert, update, delete');
  call open_to_tenants('fulfillment_locations', 'select, insert, update, delete');
  call open_to_tenants('shipping_packages', 'select, insert, update, delete');
  call open_to_tenants('shipping_profiles', 'select, insert, update, delete');
  call open_to_tenants('shipping_location_groups', 'select, insert, update, delete');
  call open_to_tenants('shipping_zones', 'select, insert, update, delete');
  call open_to_tenants('shipping_rates', 'select, insert, update, delete');
  call open_to_tenants('shipping_rate_names', 'select, insert, update, delete');
  call open_to_tenants('order_tags', 'select, insert, update, delete');
  call open_to_tenants('order_applied_tags', 'select, insert, update (row_version), delete');
  call open_to_tenants('fulfillments', 'select, insert, update, delete');
  call open_to_tenants('fulfillment_line_items', 'select, insert, update, delete');
  call open_to_tenants('refine_filters', 'select, insert, update, delete');
  grant update (filter_id) on funnel_steps to funnel_gateway_tenant;
  call open_to_tenants('funnel_labels', 'select, insert, update, delete');
  call open_to_tenants('themes', 'select, update');
  call open_to_tenants('styles', 'select');
  call open_to_tenants('sites', 'select, update');
  call open_to_tenants('custom_domains', 'select');
  grant insert, update on funnels to funnel_gateway_tenant;
  grant usage on sequence funnels_id_seq to funnel_gateway_tenant;
  grant insert, update, delete on pages to funnel_gateway_tenant;
  grant usage on sequence pages_id_seq to funnel_gateway_tenant;
  grant insert, update (name, page_id, left_weight) on funnel_steps to funnel_gateway_tenant;
  grant usage on sequence funnel_steps_id_seq to funnel_gateway_tenant;
  call open_to_tenants('visits', 'select, insert, update (utm_source, utm_medium, utm_campaign, utm_term, utm_content, referrer, ip,
    user_agent, landing_page)');
  call open_to_tenants('page_visitors', 'select, insert');
  call open_to_tenants('page_hours', 'select, insert, update');
  call open_to_tenants('contact_visits', 'select, insert, update, delete');
  grant update (name, subdomain, updated_at) on workspaces to funnel_gateway_tenant;
  call open_to_tenants('teams', 'select, update (name, time_zone, locale, updated_at)', 'id = tenant_team()');
  grant update (contact_id) on visits to funnel_gateway_tenant;
  grant delete on page_visitors to funnel_gateway_tenant;
end
$migration$;
