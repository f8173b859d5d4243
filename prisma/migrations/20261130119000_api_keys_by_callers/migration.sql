-- Callers with the right to change their team make keys for it, and rename them. The policy of the table holds for both: the key is the
-- caller's team's, and the caller is not narrowed to some of its workspaces. A store on several servers may be without the role.
-- checked: more rights for a role, of which a version before makes no use
do $$
begin
  if not exists (select from pg_roles where rolname = 'funnel_gateway_tenant') then
    return;
  end if;
  grant insert (team_id, name, is_default, token_hash, hint, scopes, created_at, expires_at), update (name)
    on api_keys to funnel_gateway_tenant;
  grant usage on sequence api_keys_id_seq to funnel_gateway_tenant;
end
$$;
