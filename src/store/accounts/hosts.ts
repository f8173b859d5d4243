// Finds the team or workspace of a host name.

import { isStorable } from '../../rows/storable.ts';
import { lookup } from '../reading/lookup.ts';
import type { Store } from '../store.ts';

const OWNER = { teamId: 'int8', workspaceId: { type: 'int8', nullable: true } } as const;

const bySubdomain = lookup(
  'hosts.subdomain',
  OWNER,
  (select) => `select ${select} from (
    select team_id, id as workspace_id from workspaces where subdomain = $1
    union all select id, null from teams where subdomain = $1) t`,
);

const byCustomDomain = lookup(
  'hosts.custom_domain',
  OWNER,
  (select) => `select ${select} from (select w.team_id, w.id as workspace_id
    from custom_domains d join workspaces w on w.id = d.workspace_id where d.host = $1) t`,
);

/** The owner of a subdomain of the service, or null. */
export async function findSubdomain(store: Store, subdomain: string) {
  return isStorable(subdomain) ? bySubdomain(store, [subdomain]) : null;
}

/** The workspace of a customer's custom domain, or null. */
export function findCustomDomain(store: Store, host: string) {
  return byCustomDomain(store, [host]);
}
