-- Gateways keep who a key is and whose a host is in memory for a moment. Whatever changes either says so to all of
-- them when it is committed. The last use of a key is no such change: it is written all the time.

create function notify_lookup_change() returns trigger language plpgsql as $$
begin
  notify funnel_gateway_lookups;
  return null;
end
$$;

create trigger api_keys_notify after delete or update of token_hash, team_id, name, public_id, scopes, expires_at, revoked_at
  on api_keys for each statement execute function notify_lookup_change();

create trigger teams_notify after delete or update of subdomain
  on teams for each statement execute function notify_lookup_change();

create trigger workspaces_notify after delete or update of subdomain, team_id
  on workspaces for each statement execute function notify_lookup_change();

create trigger custom_domains_notify after delete or update
  on custom_domains for each statement execute function notify_lookup_change();
