// Every REST operation as data: its route, the scope it needs, and how to make a request for it in a tenant.
import type { App } from '../../src/context.ts';
import * as factories from './factories.ts';

type Named = { readonly id: bigint; readonly publicId: string };

/** A team with one workspace and one of each thing in it. */
export interface Tenant {
  readonly team: Named & { name: string };
  readonly workspace: Named & { teamId: bigint; subdomain: string };
  readonly contact: Named;
  readonly refineFilter: Named;
  readonly webhookEndpoint: Named;
  readonly auditEntry: Named;
  readonly funnel: Named & { workspaceId: bigint };
  readonly split: Named;
}

/** @param marker stands in every name, so that a leak can be searched for */
export async function createTenant(app: App, marker: string, teamId?: bigint): Promise<Tenant> {
  const team =
    teamId === undefined
      ? await factories.team(app, { name: `${marker} team` })
      : await app.store.prisma.team.findUniqueOrThrow({ where: { id: teamId } });
  const workspace = await factories.workspace(app, { teamId: team.id, name: `${marker} workspace` });
  const workspaceId = workspace.id;
  const refineFilter = await factories.refineFilter(app, { workspaceId, name: `${marker} filter` });
  const funnel = await factories.funnel(app, { workspaceId, name: `${marker} funnel` });
  const steps = await factories.workflow(app, funnel, [
    `${marker} entry`,
    { split: `${marker} split`, matched: [`${marker} m`], unmatched: [`${marker} u`] },
  ]);
  const split = steps.get(`${marker} split`);
  if (split === undefined) throw new Error('no split');
  await app.store.prisma.funnelStep.updateMany({
    where: { id: split.id },
    data: { filterId: refineFilter.id },
  });
  return {
    team,
    workspace,
    contact: await factories.contact(app, { workspaceId, firstName: `${marker} contact` }),
    refineFilter,
    webhookEndpoint: await factories.webhookEndpoint(app, { workspaceId, name: `${marker} endpoint` }),
    auditEntry: await factories.auditEntry(app, { workspaceId, after: { first_name: `${marker} contact` } }),
    funnel,
    split,
  };
}

export interface Operation {
  /** Method and path as the router has them. */
  readonly route: string;
  /** null: any valid credential will do. */
  readonly scope: string | null;
  readonly success: 200 | 204;
  /** The path in a tenant. */
  readonly path: (tenant: Tenant) => string;
}

const get = (path: string, scope: string | null, to: Operation['path']): Operation => ({
  route: `GET ${path}`,
  scope,
  success: 200,
  path: to,
});

const SPLIT = '/funnels/:funnel_id/conditional_split_steps/:id';
const splitPath = ({ funnel, split }: Tenant) => `/funnels/${funnel.id}/conditional_split_steps/${split.id}`;
const inWorkspace = (rest: string) => (tenant: Tenant) => `/api/v2/workspaces/${tenant.workspace.id}/${rest}`;

export const OPERATIONS: readonly Operation[] = [
  get('/api/v2/me', null, () => '/api/v2/me'),
  get('/api/v2/teams', 'account:read', () => '/api/v2/teams'),
  get('/api/v2/teams/:id', 'account:read', ({ team }) => `/api/v2/teams/${team.id}`),
  get(
    '/api/v2/teams/:team_id/workspaces',
    'account:read',
    ({ team }) => `/api/v2/teams/${team.id}/workspaces`,
  ),
  get('/api/v2/workspaces/:id', 'account:read', ({ workspace }) => `/api/v2/workspaces/${workspace.id}`),
  get('/api/v2/workspaces/:workspace_id/contacts', 'contacts:read', inWorkspace('contacts')),
  get('/api/v2/contacts/:id', 'contacts:read', ({ contact }) => `/api/v2/contacts/${contact.id}`),
  get('/api/v2/workspaces/:workspace_id/refine_filters', 'contacts:read', inWorkspace('refine_filters')),
  get(
    '/api/v2/refine_filters/:id',
    'contacts:read',
    ({ refineFilter: { id } }) => `/api/v2/refine_filters/${id}`,
  ),
  get(
    '/api/v2/workspaces/:workspace_id/webhooks/outgoing/endpoints',
    'webhooks:read',
    inWorkspace('webhooks/outgoing/endpoints'),
  ),
  get(
    '/api/v2/webhooks/outgoing/endpoints/:id',
    'webhooks:read',
    ({ webhookEndpoint }) => `/api/v2/webhooks/outgoing/endpoints/${webhookEndpoint.id}`,
  ),
  get('/api/v2/workspaces/:workspace_id/audit_entries', 'account:read', inWorkspace('audit_entries')),
  get('/api/v2/audit_entries/:id', 'account:read', ({ auditEntry: { id } }) => `/api/v2/audit_entries/${id}`),
  get('/api/v2/workspaces/:workspace_id/funnels', 'funnels:read', inWorkspace('funnels')),
  get('/api/v2/funnels/:id', 'funnels:read', ({ funnel }) => `/api/v2/funnels/${funnel.id}`),
  get(
    '/api/v2/funnels/:id/structure',
    'funnels:read',
    ({ funnel }) => `/api/v2/funnels/${funnel.id}/structure`,
  ),
  get(
    '/api/v2/funnels/:funnel_id/conditional_split_steps',
    'funnels:read',
    ({ funnel }) => `/api/v2/funnels/${funnel.id}/conditional_split_steps`,
  ),
  get(`/api/v2${SPLIT}`, 'funnels:read', (tenant) => `/api/v2${splitPath(tenant)}`),
  {
    route: `DELETE /api/v2${SPLIT}`,
    scope: 'funnels:write',
    success: 204,
    path: (t) => `/api/v2${splitPath(t)}`,
  },
  { route: `DELETE ${SPLIT}`, scope: 'funnels:write', success: 204, path: splitPath },
];

/** Those that need a scope. */
export const SCOPED = OPERATIONS.flatMap((operation) =>
  operation.scope === null ? [] : [{ ...operation, scope: operation.scope }],
);

export function methodOf({ route }: Operation): string {
  return route.slice(0, route.indexOf(' '));
}
