-- What the names of teams and workspaces, their subdomains and their custom domains may be. Rows that are there stay as they are.

alter table teams add constraint teams_name_length check (length(name) <= 100) not valid;
alter table workspaces add constraint workspaces_name_length check (length(name) <= 100) not valid;

-- An address is no domain, nor is what a browser takes for one: a last label that is a number (WHATWG URL, "ends in a number").
alter table custom_domains add constraint custom_domains_host_no_address
  check (host !~ '\.([0-9]+|0x[0-9a-f]*)$') not valid;

-- Subdomains that the service may need itself, or that programs trust by their name; and labels such as xn--..., whose hyphens
-- have a meaning of their own (RFC 5891 §4.2.3.1). The same list is in src/services/operator/subdomains.ts.
create function subdomain_is_allowed() returns trigger language plpgsql as $$
begin
  if new.subdomain like '__--%' or new.subdomain = any (array[
    'account', 'admin', 'api', 'auth', 'autoconfig', 'autodiscover', 'ftp', 'imap', 'isatap', 'localhost', 'login', 'mail',
    'metrics', 'mta-sts', 'ns', 'ns1', 'ns2', 'oauth', 'pop', 'smtp', 'status', 'wpad', 'www'])
  then
    raise exception 'the subdomain "%" is reserved', new.subdomain
      using errcode = 'check_violation', table = tg_table_name, column = 'subdomain', constraint = 'subdomain_is_allowed';
  end if;
  return new;
end
$$;

create trigger subdomain_is_allowed before insert or update of subdomain on teams
  for each row execute function subdomain_is_allowed();
create trigger subdomain_is_allowed before insert or update of subdomain on workspaces
  for each row execute function subdomain_is_allowed();
