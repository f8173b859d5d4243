// Which team or workspace a host name belongs to.
import { query, type Statement, type Store } from './store.ts';

export interface HostOwner {
  readonly teamId: bigint;
  readonly workspaceId: bigint | null;
}

const BY_SUBDOMAIN: Statement = {
  name: 'hosts.subdomain',
  text: `select team_id as "teamId", id as "workspaceId" from workspaces where subdomain = $1
    union all select id, null from teams where subdomain = $1`,
};

const BY_CUSTOM_DOMAIN: Statement = {
  name: 'hosts.custom_domain',
  text: `select w.team_id as "teamId", w.id as "workspaceId"
    from custom_domains d join workspaces w on w.id = d.workspace_id where d.host = $1`,
};

/** The owner of a subdomain of the service, or null. */
export async function findSubdomain(store: Store, subdomain: string): Promise<HostOwner | null> {
  return (await query<HostOwner>(store, BY_SUBDOMAIN, [subdomain]))[0] ?? null;
}

/** The workspace that a customer's custom domain leads to, or null. */
export async function findCustomDomain(store: Store, host: string): Promise<HostOwner | null> {
  return (await query<HostOwner>(store, BY_CUSTOM_DOMAIN, [host]))[0] ?? null;
}
