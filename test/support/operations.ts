// Every REST operation as data: its route, the scope it needs, and how to make a request for it in a tenant.
import type { App } from '../../src/context.ts';
import * as factories from './factories.ts';
import type { RequestOptions } from './gateway.ts';

type Named = { readonly id: bigint; readonly publicId: string };

/** A team with one workspace and one of each thing in it. */
export interface Tenant {
  readonly team: Named & { name: string };
  readonly workspace: Named & { teamId: bigint; subdomain: string };
  readonly contact: Named;
  /** Stands on nothing. */
  readonly tag: Named;
  /** Another tag, on the contact. */
  readonly appliedTag: Named & { tagId: bigint };
  readonly refineFilter: Named;
  readonly webhookEndpoint: Named;
  readonly webhookEvent: Named;
  /** It has failed. */
  readonly webhookDelivery: Named;
  /** Another one, which is pending. */
  readonly pendingDelivery: Named;
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
  const contact = await factories.contact(app, { workspaceId, firstName: `${marker} contact` });
  const standing = await factories.tag(app, workspaceId, `${marker} tag on the contact`);
  const webhookEndpoint = await factories.webhookEndpoint(app, { workspaceId, name: `${marker} endpoint` });
  const held = { data: { first_name: `${marker} contact` } };
  const webhookEvent = await factories.webhookEvent(app, { workspaceId, ...held });
  const told = { workspaceId, endpointId: webhookEndpoint.id };
  const webhookDelivery = await factories.webhookDelivery(app, { ...told, eventId: webhookEvent.id });
  await factories.webhookAttempt(app, webhookDelivery, { responseStart: `${marker} answer` });
  const next = await factories.webhookEvent(app, { workspaceId, ...held });
  const pendingDelivery = await factories.webhookDelivery(
    app,
    { ...told, eventId: next.id },
    { status: 'pending', nextAttemptAt: new Date() },
  );
  return {
    team,
    workspace,
    contact,
    tag: await factories.tag(app, workspaceId, `${marker} tag`),
    appliedTag: await app.store.prisma.contactTag.create({
      data: { workspaceId, contactId: contact.id, tagId: standing.id },
    }),
    refineFilter,
    webhookEndpoint,
    webhookEvent,
    webhookDelivery,
    pendingDelivery,
    auditEntry: await factories.auditEntry(app, {
      workspaceId,
      subjectId: contact.id,
      contactId: contact.id,
      after: { first_name: `${marker} contact` },
    }),
    funnel,
    split,
  };
}

export interface Operation {
  /** Method and path as the router has them. */
  readonly route: string;
  /** null: any valid credential will do. */
  readonly scope: string | null;
  /** Scopes that what it says needs as well. */
  readonly also?: readonly string[];
  /** It shows a secret: nobody may keep the answer. */
  readonly isSecret?: true;
  /** It changes many objects, and answers what it did to them: no object that can be read later. */
  readonly isSummary?: true;
  /** How it is answered in a tenant that is as it was created. */
  readonly success: 200 | 201 | 204;
  /** The path in a tenant. */
  readonly path: (tenant: Tenant) => string;
  /** What a request for it says, if it takes a body. */
  readonly body?: (tenant: Tenant) => object;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
const SUCCESS = { GET: 200, POST: 201, PUT: 200, PATCH: 200, DELETE: 204 } as const;

function operation(
  method: Method,
  path: string,
  scope: string | null,
  to: Operation['path'],
  rest: Partial<Operation> = {},
): Operation {
  return { route: `${method} ${path}`, scope, success: SUCCESS[method], path: to, ...rest };
}

const get = (path: string, scope: string | null, to: Operation['path']) => operation('GET', path, scope, to);

const SPLIT = '/funnels/:funnel_id/conditional_split_steps/:id';
const splitPath = ({ funnel, split }: Tenant) => `/funnels/${funnel.id}/conditional_split_steps/${split.id}`;
const inWorkspace = (rest: string) => (tenant: Tenant) => `/api/v2/workspaces/${tenant.workspace.id}/${rest}`;
const onContact =
  (rest: string) =>
  ({ contact }: Tenant) =>
    `/api/v2/contacts/${contact.id}${rest}`;
const appliedTagPath = ({ appliedTag }: Tenant) => `/api/v2/contacts/applied_tags/${appliedTag.id}`;

/**
 * Those of a noun that is created, changed and deleted.
 * @param category of the scopes that they need
 * @param one of a tenant
 * @param list the path of its list, below one of a tenant as well
 * @param members the path of its members up to the id
 * @param body what a new one is given, and what one is changed by
 */
function lifeOf(
  category: string,
  one: keyof Tenant,
  list: string,
  members: string,
  body: object,
): Operation[] {
  const [read, write] = [`${category}:read`, `${category}:write`];
  const member = `${members}/:id`;
  const toList: Operation['path'] = (tenant) =>
    list.replace(/:(\w+)_id/, (_, parent) => String(tenant[parent as keyof Tenant].id));
  const toMember: Operation['path'] = (tenant) => `${members}/${tenant[one].id}`;
  return [
    get(list, read, toList),
    get(member, read, toMember),
    operation('POST', list, write, toList, { body: () => body }),
    ...(['PUT', 'PATCH'] as const).map((method) =>
      operation(method, member, write, toMember, { body: () => body }),
    ),
    operation('DELETE', member, write, toMember),
  ];
}

const CONTACTS: readonly Operation[] = [
  ...lifeOf('contacts', 'contact', '/api/v2/workspaces/:workspace_id/contacts', '/api/v2/contacts', {
    contact: { first_name: 'New' },
  }),
  operation(
    'POST',
    '/api/v2/workspaces/:workspace_id/contacts/upsert',
    'contacts:write',
    inWorkspace('contacts/upsert'),
    { body: () => ({ contact: { email_address: 'new@example.com' } }) },
  ),
  operation('DELETE', '/api/v2/contacts/:id/gdpr_destroy', 'contacts:write', onContact('/gdpr_destroy'), {
    success: 200,
  }),
];

const TAGS: readonly Operation[] = [
  ...lifeOf('contacts', 'tag', '/api/v2/workspaces/:workspace_id/contacts/tags', '/api/v2/contacts/tags', {
    contacts_tag: { name: 'New' },
  }),
  get('/api/v2/contacts/:contact_id/applied_tags', 'contacts:read', onContact('/applied_tags')),
  get('/api/v2/contacts/applied_tags/:id', 'contacts:read', appliedTagPath),
  operation(
    'POST',
    '/api/v2/contacts/:contact_id/applied_tags',
    'contacts:write',
    onContact('/applied_tags'),
    {
      body: ({ tag }) => ({ contacts_applied_tag: { tag_id: String(tag.id) } }),
    },
  ),
  operation('DELETE', '/api/v2/contacts/applied_tags/:id', 'contacts:write', appliedTagPath),
  operation(
    'DELETE',
    '/api/v2/contacts/:contact_id/applied_tags/:tag_id',
    'contacts:write',
    ({ contact, appliedTag }) => `/api/v2/contacts/${contact.id}/applied_tags/${appliedTag.tagId}`,
  ),
];

const ENDPOINTS = '/api/v2/webhooks/outgoing/endpoints';

/** Whoever decides what an endpoint is told has to be able to read it. */
const READING: Partial<Operation> = { also: ['contacts:read'] };

const WEBHOOK_ENDPOINTS: readonly Operation[] = [
  ...lifeOf(
    'webhooks',
    'webhookEndpoint',
    '/api/v2/workspaces/:workspace_id/webhooks/outgoing/endpoints',
    ENDPOINTS,
    {
      webhooks_outgoing_endpoint: {
        url: 'https://hooks.example.com/new',
        name: 'New',
        event_type_ids: ['contact.created'],
      },
    },
  ),
  ...Object.entries({
    activate: READING,
    deactivate: {},
    rotate_secret: { ...READING, isSecret: true } as const,
  }).map(([verb, rest]) =>
    operation(
      'POST',
      `${ENDPOINTS}/:id/${verb}`,
      'webhooks:write',
      ({ webhookEndpoint }) => `${ENDPOINTS}/${webhookEndpoint.id}/${verb}`,
      { success: 200, ...rest },
    ),
  ),
].map((operation) => ({
  ...operation,
  ...(operation.body && READING),
  ...(operation.success === 201 && { isSecret: true }),
}));

const onEndpoint =
  (rest: string) =>
  ({ webhookEndpoint }: Tenant) =>
    `${ENDPOINTS}/${webhookEndpoint.id}/${rest}`;
const DELIVERY = '/api/v2/webhooks/outgoing/deliveries';

/** Events and deliveries. */
const WEBHOOKS: readonly Operation[] = [
  get('/api/v2/webhooks/outgoing/event_types', null, () => '/api/v2/webhooks/outgoing/event_types'),
  get(
    '/api/v2/workspaces/:workspace_id/webhooks/outgoing/events',
    'webhooks:read',
    inWorkspace('webhooks/outgoing/events'),
  ),
  get(
    '/api/v2/webhooks/outgoing/events/:id',
    'webhooks:read',
    ({ webhookEvent: { id } }) => `/api/v2/webhooks/outgoing/events/${id}`,
  ),
  get(`${ENDPOINTS}/:endpoint_id/deliveries`, 'webhooks:read', onEndpoint('deliveries')),
  get(`${DELIVERY}/:id`, 'webhooks:read', ({ webhookDelivery: { id } }) => `${DELIVERY}/${id}`),
  operation(
    'POST',
    `${DELIVERY}/:id/redeliver`,
    'webhooks:write',
    ({ webhookDelivery: { id } }) => `${DELIVERY}/${id}/redeliver`,
    { success: 200 },
  ),
  operation(
    'POST',
    `${DELIVERY}/:id/cancel`,
    'webhooks:write',
    ({ pendingDelivery: { id } }) => `${DELIVERY}/${id}/cancel`,
    { success: 200 },
  ),
  operation('POST', `${ENDPOINTS}/:id/redeliver`, 'webhooks:write', onEndpoint('redeliver'), {
    success: 200,
    isSummary: true,
    body: () => ({ since: '2026-01-01T00:00:00Z' }),
  }),
  operation('POST', `${ENDPOINTS}/:id/test`, 'webhooks:write', onEndpoint('test')),
];

/** Where a GET shows what an operation changes. */
export function shownAt(path: string, { appliedTag }: Tenant): string {
  if (path.includes('conditional_split_steps')) return path.replace(/^\/funnels/, '/api/v2/funnels');
  if (/contacts\/\d+\/applied_tags/.test(path)) return `/api/v2/contacts/applied_tags/${appliedTag.id}`;
  return path.replace(/\/(gdpr_destroy|activate|deactivate|rotate_secret|redeliver|cancel)$/, '');
}

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
  ...CONTACTS,
  ...TAGS,
  get('/api/v2/workspaces/:workspace_id/refine_filters', 'contacts:read', inWorkspace('refine_filters')),
  get(
    '/api/v2/refine_filters/:id',
    'contacts:read',
    ({ refineFilter: { id } }) => `/api/v2/refine_filters/${id}`,
  ),
  ...WEBHOOK_ENDPOINTS,
  ...WEBHOOKS,
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
  operation('DELETE', `/api/v2${SPLIT}`, 'funnels:write', (tenant) => `/api/v2${splitPath(tenant)}`),
  operation('DELETE', SPLIT, 'funnels:write', splitPath),
];

/** Those that need a scope. */
export const SCOPED = OPERATIONS.flatMap((operation) =>
  operation.scope === null ? [] : [{ ...operation, scope: operation.scope }],
);

export function methodOf({ route }: Pick<Operation, 'route'>): string {
  return route.slice(0, route.indexOf(' '));
}

/** Those that change something. */
export const UNSAFE = OPERATIONS.filter((operation) => methodOf(operation) !== 'GET');

/** How a request for it is sent, beside its path. */
export function requestOf(
  operation: Pick<Operation, 'route' | 'body'>,
  tenant: Tenant,
): Required<Pick<RequestOptions, 'method' | 'headers'>> & { body?: string } {
  const method = methodOf(operation);
  if (operation.body === undefined) return { method, headers: {} };
  const headers = { 'Content-Type': 'application/json' };
  return { method, headers, body: JSON.stringify(operation.body(tenant)) };
}
