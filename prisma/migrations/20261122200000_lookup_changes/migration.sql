-- Only what changes a row is told to the gateways: a statement that found nothing to change, such as the revocation of what is revoked,
-- must not have all of them forget what they know. Told once a transaction, however many rows it changes: the texts are the same.
-- The names of the triggers stay: replaced at once, with no moment in which nothing is told.

-- checked: tells of every change that the trigger before it told of
create or replace trigger api_keys_notify after update of token_hash, team_id, name, scopes, expires_at, revoked_at
  on api_keys for each row when (old.token_hash is distinct from new.token_hash or old.team_id is distinct from new.team_id or old.name is distinct from new.name or old.scopes is distinct from new.scopes or old.expires_at is distinct from new.expires_at or old.revoked_at is distinct from new.revoked_at) execute function notify_lookup_change();
-- checked: as before
create trigger api_keys_notify_delete after delete
  on api_keys for each row execute function notify_lookup_change();

-- checked: tells of every change that the trigger before it told of
create or replace trigger teams_notify after update of subdomain
  on teams for each row when (old.subdomain is distinct from new.subdomain) execute function notify_lookup_change();
-- checked: as before
create trigger teams_notify_delete after delete
  on teams for each row execute function notify_lookup_change();

-- checked: tells of every change that the trigger before it told of
create or replace trigger workspaces_notify after update of subdomain, team_id
  on workspaces for each row when (old.subdomain is distinct from new.subdomain or old.team_id is distinct from new.team_id) execute function notify_lookup_change();
-- checked: as before
create trigger workspaces_notify_delete after delete
  on workspaces for each row execute function notify_lookup_change();

-- checked: tells of every change that the trigger before it told of
create or replace trigger custom_domains_notify after update
  on custom_domains for each row when (old is distinct from new) execute function notify_lookup_change();
-- checked: as before
create trigger custom_domains_notify_delete after delete
  on custom_domains for each row execute function notify_lookup_change();

-- checked: tells of every change that the trigger before it told of
create or replace trigger users_notify after update of disabled_at, name, email
  on users for each row when (old.disabled_at is distinct from new.disabled_at or old.name is distinct from new.name or old.email is distinct from new.email) execute function notify_lookup_change();
-- checked: as before
create trigger users_notify_delete after delete
  on users for each row execute function notify_lookup_change();

-- checked: tells of every change that the trigger before it told of
create or replace trigger team_members_notify after update
  on team_members for each row when (old is distinct from new) execute function notify_lookup_change();
-- checked: as before
create trigger team_members_notify_delete after delete
  on team_members for each row execute function notify_lookup_change();

-- checked: tells of every change that the trigger before it told of
create or replace trigger oauth_clients_notify after update
  on oauth_clients for each row when (old is distinct from new) execute function notify_lookup_change();
-- checked: as before
create trigger oauth_clients_notify_delete after delete
  on oauth_clients for each row execute function notify_lookup_change();

-- checked: tells of every change that the trigger before it told of
create or replace trigger oauth_grants_notify after update of revoked_at, expires_at, team_id, workspace_ids, whole_team
  on oauth_grants for each row when (old.revoked_at is distinct from new.revoked_at or old.expires_at is distinct from new.expires_at or old.team_id is distinct from new.team_id or old.workspace_ids is distinct from new.workspace_ids or old.whole_team is distinct from new.whole_team) execute function notify_lookup_change();
-- checked: as before
create trigger oauth_grants_notify_delete after delete
  on oauth_grants for each row execute function notify_lookup_change();

-- checked: tells of every change that the trigger before it told of
create or replace trigger oauth_access_tokens_notify after update of revoked_at
  on oauth_access_tokens for each row when (old.revoked_at is distinct from new.revoked_at) execute function notify_lookup_change();

-- checked: tells of every change that the trigger before it told of
create or replace trigger signing_keys_notify after update
  on signing_keys for each row when (old is distinct from new) execute function notify_lookup_change();
-- checked: as before
create trigger signing_keys_notify_insert_or_delete after insert or delete
  on signing_keys for each row execute function notify_lookup_change();
