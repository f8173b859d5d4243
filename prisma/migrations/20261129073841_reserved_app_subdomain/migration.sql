-- `app` below SERVICE_HOST is the service itself, unless a team or a workspace has that subdomain already: it keeps it. The same list
-- is in src/services/accounts/subdomains.ts.
-- checked: a version before answers 422 for the refused subdomain, as it does for the others of this list
create or replace function subdomain_is_allowed() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.subdomain = old.subdomain then
    return new;
  end if;
  if new.subdomain like '__--%' or new.subdomain = any (array[
    'account', 'accounts', 'admin', 'api', 'app', 'auth', 'autoconfig', 'autodiscover', 'ftp', 'imap', 'isatap', 'localhost',
    'login', 'mail', 'metrics', 'mta-sts', 'ns', 'ns1', 'ns2', 'oauth', 'pop', 'smtp', 'status', 'wpad', 'www'])
  then
    raise exception 'the subdomain "%" is reserved', new.subdomain
      using errcode = 'check_violation', table = tg_table_name, column = 'subdomain', constraint = 'subdomain_is_allowed';
  end if;
  return new;
end
$$;
