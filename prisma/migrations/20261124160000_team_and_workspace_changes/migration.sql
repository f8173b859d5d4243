-- Clients change teams and workspaces: as the role of tenants, which sees and changes their own alone.

-- checked: a version that knows nothing of it never changes them as this role
grant update (name, subdomain, updated_at) on workspaces to funnel_gateway_tenant;
-- checked: the same; without the role nothing differs
call open_to_tenants('teams', 'select, update (name, time_zone, locale, updated_at)', 'id = tenant_team()');

-- Whether a subdomain is free, other tenants say as well; and a team's own user is nobody's.
-- checked: as their owner, whom every other change runs as, the functions do what they did
do $$
begin
  execute format('alter function subdomain_is_free() security definer set search_path = %I, pg_temp', current_schema());
  execute format('alter function keep_service_user() security definer set search_path = %I, pg_temp', current_schema());
end
$$;
