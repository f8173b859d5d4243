// Every REST operation as data: its route, its scope, and a request for it in a tenant. The operations that every noun has come from its
// description.
import type { App } from '../../src/context.ts';
import { isOrdered } from '../../src/resources/description/common-fields.ts';
import { type Moment, writableFields } from '../../src/resources/description/inputs.ts';
import { ownNameOf, toSnakeCase } from '../../src/resources/description/names.ts';
import { childLists } from '../../src/resources/description/resource.ts';
import { NOUNS, type Noun } from '../../src/resources/nouns.ts';
import { toPublicId } from '../../src/store/sql/public-ids.ts';
import * as factories from './factories.ts';
import type { RequestOptions } from './gateway.ts';
import { sampleAt } from './nightly.ts';
import { givenOf, inRest } from './nouns.ts';
import { prismaOf } from './prisma.ts';

type Named = { readonly id: bigint; readonly publicId: string };

/** A team with one workspace that has one object of each noun. */
export interface Tenant {
  readonly team: Named & { name: string };
  readonly workspace: Named & { teamId: bigint; name: string; subdomain: string };
  /** A person in the team. */
  readonly user: Named;
  readonly contact: Named;
  /** A tag that is applied to no contact. */
  readonly tag: Named;
  /** Another tag, on the contact. */
  readonly appliedTag: Named & { tagId: bigint };
  /** A saved filter that no split uses. */
  readonly refineFilter: Named;
  readonly webhookEndpoint: Named;
  readonly webhookEvent: Named;
  /** A failed delivery. */
  readonly webhookDelivery: Named;
  /** A pending delivery. */
  readonly pendingDelivery: Named;
  readonly auditEntry: Named;
  readonly funnel: Named & { workspaceId: bigint };
  readonly split: Named;
  /** On the matched branch of the split. */
  readonly splitTest: Named;
  /** Shown at the entry of the funnel. */
  readonly page: Named;
  /** A page that no step shows. */
  readonly freePage: Named;
  /**
   * One object of each noun, by its type. `next`: for ordered nouns and prices, another one with the same parent. `spare`: for nouns that
   * cannot be deleted while others refer to them, one that no other object refers to.
   */
  readonly rows: Readonly<Record<string, Named & { readonly next?: Named; readonly spare?: Named }>>;
}

/** Tenants made in advance, and the number of requested ones: by app, marker and team. */
const stocks = new WeakMap<App, Map<string, { asked: number; readonly tenants: Tenant[] }>>();

/**
 * Returns a new tenant. After several calls it makes several tenants in advance, which takes half of the time.
 * @param marker a part of every name, so that a test can search for leaks
 */
export async function createTenant(app: App, marker: string, teamId?: bigint): Promise<Tenant> {
  const ofApp = stocks.get(app) ?? new Map();
  stocks.set(app, ofApp);
  const stock = ofApp.get(`${marker} ${teamId}`) ?? { asked: 0, tenants: [] };
  ofApp.set(`${marker} ${teamId}`, stock);
  const times = stock.asked < 4 ? 1 : Math.min(Math.floor(stock.asked / 2), 8);
  stock.asked++;
  const ready = stock.tenants.shift();
  if (ready !== undefined) return ready;
  const team =
    teamId === undefined
      ? undefined
      : await prismaOf(app.store).team.findUniqueOrThrow({ where: { id: teamId } });
  const [made, ...others] = await factories.together(app, times, (batched) =>
    fillTenant(batched, marker, team),
  );
  stock.tenants.push(...others);
  return made as Tenant;
}

/** Makes its rows in one batch: only the last statement is sent after it. */
async function fillTenant(app: App, marker: string, existing?: Tenant['team']): Promise<Tenant> {
  const team = existing ?? (await factories.team(app, { name: `${marker} team` }));
  const workspace = await factories.workspace(app, { teamId: team.id, name: `${marker} workspace` });
  const workspaceId = workspace.id;
  const refineFilter = await factories.refineFilter(app, { workspaceId, name: `${marker} filter` });
  const funnel = await factories.funnel(app, { workspaceId, name: `${marker} funnel` });
  const { id: filterId } = await factories.refineFilter(app, {
    workspaceId,
    name: `${marker} filter of the split`,
  });
  const steps = await factories.workflow(app, funnel, [
    `${marker} entry`,
    { split: `${marker} split`, filterId, matched: [`${marker} m`], unmatched: [`${marker} u`] },
  ]);
  const split = steps.get(`${marker} split`);
  const pageId = steps.get(`${marker} entry`)?.pageId;
  if (split === undefined || pageId == null) throw new Error('no split, or no page');
  const page = { id: pageId, publicId: toPublicId('pages', pageId) };
  const tested = { ...funnel, position: 1 };
  const splitTest = await factories.splitTest(app, tested, split.id, [`${marker} left`, `${marker} right`]);
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
  const tenant = {
    team,
    workspace,
    user: await factories.user(app, { teamId: team.id, name: `${marker} person` }),
    contact,
    tag: await factories.tag(app, workspaceId, `${marker} tag`),
    appliedTag: await factories.appliedTag(app, { workspaceId, contactId: contact.id, tagId: standing.id }),
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
    splitTest,
    page,
    freePage: await factories.page(app, workspaceId, `${marker} free`),
  };
  const client = await factories.oauthClient(app);
  const rows = await rowsOf(app, tenant, marker);
  const OauthGrant = await factories.oauthGrant(app, {
    teamId: team.id,
    userId: tenant.user.id,
    clientId: client.id,
  });
  await app.store.pool.query({
    text: 'update pages set theme_id = $1, bumps = jsonb_build_array(jsonb_build_object($2::text, $3::bigint)) where id = $4',
    values: [rows['Theme']?.id, 'product_id', rows['Product']?.id, tenant.page.id].map(String),
  });
  return { ...tenant, rows: { ...rows, OauthGrant } };
}

/** Nouns that cannot be deleted while others refer to them. */
const NAMED_BY_OTHERS = [
  ...['Contact', 'FulfillmentLocation', 'Image', 'Page', 'ShippingRateName'],
  ...['Course', 'CourseSection', 'CourseLesson', 'Pipeline', 'PipelineStage'],
  ...['EmailAddress', 'EmailTemplate', 'RefineFilter'],
];
/** What stands on another object in the tenant: a further one is given there. */
const APPLIED = ['OrderTag'];

const CHILDREN = NOUNS.flatMap((noun) => childLists(noun).map(([, field]) => field.children?.type));
/** The nouns of which a tenant has an object that is made from the description, unless it has one already. */
const MADE = NOUNS.filter(
  ({ type, path, most }) =>
    type !== 'OauthGrant' && (path !== undefined || most === 1 || CHILDREN.includes(type)),
);

/** One of each noun: of those that nothing is special of, one that is made from the description. */
async function rowsOf(app: App, tenant: Omit<Tenant, 'rows'>, marker: string): Promise<Tenant['rows']> {
  const rows: Record<string, Tenant['rows'][string]> = {
    Team: tenant.team,
    Workspace: tenant.workspace,
    Contact: tenant.contact,
    Tag: tenant.tag,
    ContactAppliedTag: tenant.appliedTag,
    Funnel: tenant.funnel,
    ConditionalSplitStep: tenant.split,
    RefineFilter: tenant.refineFilter,
    WebhookEndpoint: tenant.webhookEndpoint,
    WebhookEvent: tenant.webhookEvent,
    WebhookDelivery: tenant.webhookDelivery,
    AuditEntry: tenant.auditEntry,
    ApiKey: await factories.apiKey(app, { teamId: tenant.team.id, name: `${marker} key` }),
    TeamOauthClient: await factories.teamOauthClient(app, {
      teamId: tenant.team.id,
      name: `${marker} own client`,
    }),
  };
  for (const noun of MADE) {
    if (noun.type in rows) continue;
    const make = () => factories.any(app, noun, (type) => rows[type]?.id, marker);
    // A customer can change from one price to the other.
    const hasNext = isOrdered(noun) || noun.type === 'Price';
    rows[noun.type] = { ...(await make()), ...(hasNext && { next: await make() }) };
  }
  for (const noun of NOUNS.filter(({ type }) => APPLIED.includes(type)))
    rows[noun.type] = await factories.any(app, noun, (type) => rows[type]?.id, marker);
  for (const noun of NOUNS.filter(({ type }) => NAMED_BY_OTHERS.includes(type))) {
    const spare = await factories.any(app, noun, (type) => rows[type]?.id, marker);
    rows[noun.type] = { ...(rows[noun.type] as Named), spare };
  }
  return rows;
}

export interface Operation {
  /** Method and path as the router has them. */
  readonly route: string;
  /** null: any valid credential will do. */
  readonly scope: string | null;
  /** Further scopes that its input needs. */
  readonly also?: readonly string[];
  /** Its answer has a secret, and must not be cached. */
  readonly isSecret?: true;
  /** Its answer is a list of objects. */
  readonly isList?: true;
  /** It changes many objects, and its answer summarizes the changes: it has no object that can be read later. */
  readonly isSummary?: true;
  /** It changes nothing, although it is not a GET. */
  readonly isPreview?: true;
  /** GraphQL has only a different operation for it. */
  readonly isRestOnly?: true;
  /** It leaves no record: no audit entry, no event, no idempotency record. */
  readonly isUnrecorded?: true;
  /** How many audit entries it leaves in such a tenant; absent: one. */
  readonly entries?: number;
  /** Its noun, if all that its requests do follows from the description: other such nouns are served by the same code. */
  readonly plain?: string | undefined;
  /** Its status in a new tenant. */
  readonly success: 200 | 201 | 202 | 204;
  /** The path in a tenant. */
  readonly path: (tenant: Tenant) => string;
  /** The body of a request for it, if it takes one. */
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
const SPLITS = '/api/v2/funnels/:funnel_id/conditional_split_steps';
const toSplits = ({ funnel }: Tenant) => `/api/v2/funnels/${funnel.id}/conditional_split_steps`;
const TESTS = '/api/v2/funnels/:funnel_id/split_test_steps';
const toTests = ({ funnel }: Tenant) => `/api/v2/funnels/${funnel.id}/split_test_steps`;
const toTest = (tenant: Tenant) => `${toTests(tenant)}/${tenant.splitTest.id}`;
const variantsBody = (variants: object[]) => ({ split_test_step: { variants } });
const inWorkspace = (rest: string) => (tenant: Tenant) => `/api/v2/workspaces/${tenant.workspace.id}/${rest}`;
const onContact =
  (rest: string) =>
  ({ contact }: Tenant) =>
    `/api/v2/contacts/${contact.id}${rest}`;

/** To set the events of an endpoint, a caller needs the scopes to read their data. */
const READING: Partial<Operation> = { also: ['contacts:read'] };

/** Differences of nouns in the operations that every noun has. */
const OWN: Readonly<
  Record<
    string,
    {
      readonly changed?: Partial<Operation>;
      readonly created?: Partial<Operation>;
      /** By the names of its actions. */
      readonly acting?: Readonly<Record<string, Partial<Operation>>>;
    }
  >
> = {
  WebhookEndpoint: {
    changed: READING,
    created: { ...READING, isSecret: true },
    acting: { activate: READING },
  },
  // Its default variant has one too.
  Product: { created: { entries: 2 } },
  // The location group with its profile, and the invoice and the order with what was sent of them.
  ShippingProfile: { created: { entries: 2 } },
  Fulfillment: { created: { entries: 3 } },
  // Its invoice has one too.
  Order: { created: { entries: 2 }, acting: { cancel: { entries: 2 } } },
  // Its order follows.
  Invoice: { acting: { abandon: { entries: 2 } } },
  // The refund has one too, and its order.
  Transaction: { acting: { refund: { entries: 3 } } },
  Appointment: {
    acting: {
      reschedule: {
        body: () => ({ appointments_scheduled_event: { start_on: '2026-02-01T09:00:00.000Z' } }),
      },
    },
  },
  // It already has the contact of the tenant.
  FormSubmission: { changed: { entries: 0 } },
  // It is open.
  Opportunity: { acting: { reopen: { entries: 0 } } },
  // Nothing of its invoice, and of the order, is left to be sent.
  Restock: { created: { entries: 3 } },
};

/** What a further object refers to instead of the tenant's own: our contact is enrolled already, and has completed our lesson. */
const FURTHER: Readonly<Record<string, Readonly<Record<string, 'spare' | 'next'>>>> = {
  CourseEnrollment: { Contact: 'spare' },
  CourseLessonCompletion: { CourseLesson: 'next' },
};

/** The object of a type that an object to create or change refers to. */
export function referredTo(
  { rows }: Pick<Tenant, 'rows'>,
  { type }: Noun,
  moment: Moment,
  of: string,
): { readonly id: bigint } | undefined {
  const further = moment === 'creation' ? FURTHER[type]?.[of] : undefined;
  return further === undefined ? rows[of] : rows[of]?.[further];
}

/** All ids of objects with an order, in a new one. */
export function reorderedIds({ rows }: Pick<Tenant, 'rows'>, type: string): bigint[] {
  const row = rows[type];
  return [row?.next, row, row?.spare].flatMap((one) => one?.id ?? []);
}

/** Further nouns whose services change them with functions of their own, and not only with those that `writesOf` derives. */
const OWN_CHANGES = [
  ...['Contact', 'ContactAppliedTag', 'RefineFilter', 'Page', 'Image', 'Variant', 'Price'],
  ...[
    'Workspace',
    'Pipeline',
    'OpportunityNote',
    'EmailBroadcast',
    'OrderAppliedTag',
    'FormSubmissionAnswer',
  ],
];

/**
 * Whether a noun is read, created, changed and deleted by the code that all such nouns share. Its reordering, archiving and actions are not
 * plain, nor is its deletion if other objects may refer to it.
 */
const isPlain = ({ type }: Noun) => !(type in OWN) && !OWN_CHANGES.includes(type);

/** The operations that a noun has by its description. */
function operationsOf(noun: Noun): Operation[] {
  const {
    type,
    graphql,
    parent,
    path,
    members = path,
    scope,
    verbs = [],
    wrapper = '',
    lists = [],
    actions = {},
  } = noun;
  if (parent === undefined || path === undefined) return [];
  const [read, write] = [`${scope}:read`, `${scope}:write`];
  const above = `/api/v2/${parent.members ?? parent.path}`;
  const [list, member] = [`${above}/:${ownNameOf(parent)}_id/${path}`, `/api/v2/${members}/:id`];
  const toList: Operation['path'] = ({ rows }) => `${above}/${rows[parent.type]?.id}/${path}`;
  const toMember: Operation['path'] = ({ rows }) => member.replace(':id', String(rows[type]?.id));
  const body =
    (moment: 'creation' | 'change') =>
    (tenant: Tenant): object => {
      const id = (of: string) =>
        String((of === 'Tag' ? tenant.tag : referredTo(tenant, noun, moment, of))?.id);
      return { [wrapper]: inRest(writableFields(noun, moment), givenOf(noun, moment, 'New', id)) };
    };
  const { changed = {}, created = {}, acting = {} } = OWN[type] ?? {};
  const plain = isPlain(noun) ? type : undefined;
  const isNamed = [...NAMED_BY_OTHERS, ...APPLIED].includes(type);
  const operations = [
    operation('GET', list, read, toList, { isList: true, plain }),
    ...lists.flatMap(({ under, path: below }) => {
      const others = `/api/v2/${under.members ?? under.path}`;
      return below === undefined
        ? []
        : operation(
            ...(['GET', `${others}/:${ownNameOf(under)}_id/${below}`, read] as const),
            ({ rows }) => `${others}/${rows[under.type]?.id}/${below}`,
            { isList: true },
          );
    }),
    operation('GET', member, read, toMember, { plain }),
    ...Object.keys(actions).map((name) =>
      operation(
        'POST',
        `${member}/${toSnakeCase(name)}`,
        write,
        (tenant) => `${toMember(tenant)}/${toSnakeCase(name)}`,
        { success: 200, ...acting[name] },
      ),
    ),
    ...verbs.flatMap((verb) => {
      if (verb === 'create')
        return [operation('POST', list, write, toList, { body: body('creation'), plain, ...created })];
      if (verb === 'remove') {
        const toSpare: Operation['path'] = ({ rows }) =>
          member.replace(':id', String((rows[type]?.spare ?? rows[type])?.id));
        return [operation('DELETE', member, write, toSpare, { plain: isNamed ? undefined : plain })];
      }
      if (verb === 'reorder')
        return [
          operation('POST', `${list}/reorder`, write, (tenant) => `${toList(tenant)}/reorder`, {
            success: 204,
            body: (tenant) => ({ ids_in_order: reorderedIds(tenant, type).map(String) }),
          }),
        ];
      if (verb === 'archive')
        return ['archive', 'unarchive'].map((way) =>
          operation('POST', `${member}/${way}`, write, (tenant) => `${toMember(tenant)}/${way}`, {
            success: 200,
            entries: way === 'archive' ? 1 : 0,
          }),
        );
      return (['PUT', 'PATCH'] as const).map((method) =>
        operation(method, member, write, toMember, { body: body('change'), plain, ...changed }),
      );
    }),
  ];
  return graphql === false ? operations.map((one) => ({ ...one, isRestOnly: true })) : operations;
}

/** The other address of a submission. */
const FORMS: readonly Operation[] = [
  get(
    '/api/v2/form_submissions/:id',
    'forms:read',
    ({ rows }) => `/api/v2/form_submissions/${rows['FormSubmission']?.id}`,
  ),
];

/** Further operations of contacts and their tags. */
const CONTACTS: readonly Operation[] = [
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
  operation(
    'DELETE',
    '/api/v2/contacts/:contact_id/applied_tags/:tag_id',
    'contacts:write',
    ({ contact, appliedTag }) => `/api/v2/contacts/${contact.id}/applied_tags/${appliedTag.tagId}`,
    { isRestOnly: true },
  ),
];

const LINE_CHANGES = '/api/v2/orders/line_items/:line_item_id/changes';
const toLine = (path: string) => (tenant: Tenant) =>
  path.replace(':line_item_id', String(tenant.rows['OrderLineItem']?.id));
const ofLine = (path: string, scope: string, rest: Partial<Operation>) =>
  operation('POST', path, scope, toLine(path), {
    ...{ success: 200, ...rest },
    body: ({ rows }) => ({
      orders_line_items_change: { products_price_id: String(rows['Price']?.next?.id) },
    }),
  });

/** A price of a product's default variant. */
const PRODUCT_PRICES = operation(
  'POST',
  '/api/v2/products/:product_id/prices',
  'store:write',
  ({ rows }) => `/api/v2/products/${rows['Product']?.id}/prices`,
  { isRestOnly: true, body: () => ({ products_price: { amount: '10.00', currency: 'USD' } }) },
);
const CHANGE_OPTIONS = '/api/v2/products/prices/:price_id/change_options';

const ENDPOINTS = '/api/v2/webhooks/outgoing/endpoints';

const onEndpoint =
  (rest: string) =>
  ({ webhookEndpoint }: Tenant) =>
    `${ENDPOINTS}/${webhookEndpoint.id}/${rest}`;
const DELIVERY = '/api/v2/webhooks/outgoing/deliveries';

/** Further operations of endpoints, events and deliveries. */
const WEBHOOKS: readonly Operation[] = [
  get('/api/v2/webhooks/outgoing/event_types', null, () => '/api/v2/webhooks/outgoing/event_types'),
  ...Object.entries({
    rotate_secret: { ...READING, isSecret: true } as const,
  }).map(([verb, rest]) =>
    operation('POST', `${ENDPOINTS}/:id/${verb}`, 'webhooks:write', onEndpoint(verb), {
      success: 200,
      ...rest,
    }),
  ),
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

/** What follows the path of an object in the path of an operation on it. */
const ACTED = new Set([
  ...['[a-z_]+/reorder', 'archive', 'unarchive', 'gdpr_destroy', 'products'],
  ...['rotate_secret', 'redeliver', 'cancel'],
  ...NOUNS.flatMap(({ actions = {} }) => Object.keys(actions).map(toSnakeCase)),
]);

/** The path of a GET that reads the object that an operation changes. */
export function shownAt(path: string, { appliedTag }: Tenant): string {
  if (path.includes('conditional_split_steps')) return path.replace(/^\/funnels/, '/api/v2/funnels');
  if (/contacts\/\d+\/applied_tags/.test(path)) return `/api/v2/contacts/applied_tags/${appliedTag.id}`;
  return path.replace(new RegExp(`/(${[...ACTED].join('|')})$`), '');
}

const keyPath = ({ rows }: Tenant) => `/api/v2/api_keys/${rows['ApiKey']?.id}`;

const clientPath = ({ rows }: Tenant) => `/api/v2/oauth_clients/${rows['TeamOauthClient']?.id}`;

/** What is changed of a team's credentials. No workspace records it. */
const CREDENTIALS: readonly Operation[] = [
  operation(
    'POST',
    '/api/v2/teams/:team_id/api_keys',
    'account:write',
    ({ team }) => `/api/v2/teams/${team.id}/api_keys`,
    {
      ...{ isUnrecorded: true, isSecret: true },
      body: () => ({ api_key: { name: 'New', scopes: ['account:write'] } }),
    },
  ),
  ...(['PUT', 'PATCH'] as const).map((method) =>
    operation(method, '/api/v2/api_keys/:id', 'account:write', keyPath, {
      isUnrecorded: true,
      body: () => ({ api_key: { name: 'Other' } }),
    }),
  ),
  operation('DELETE', '/api/v2/api_keys/:id', 'account:write', keyPath, { isUnrecorded: true }),
  operation(
    'POST',
    '/api/v2/teams/:team_id/oauth_clients',
    'account:write',
    ({ team }) => `/api/v2/teams/${team.id}/oauth_clients`,
    {
      ...{ isUnrecorded: true, isSecret: true },
      body: () => ({
        oauth_client: { name: 'New', scopes: ['account:write'], grant_types: ['client_credentials'] },
      }),
    },
  ),
  ...(['PUT', 'PATCH'] as const).map((method) =>
    operation(method, '/api/v2/oauth_clients/:id', 'account:write', clientPath, {
      isUnrecorded: true,
      body: () => ({ oauth_client: { name: 'Other' } }),
    }),
  ),
  operation('DELETE', '/api/v2/oauth_clients/:id', 'account:write', clientPath, { isUnrecorded: true }),
  operation(
    'DELETE',
    '/api/v2/oauth_grants/:id',
    'account:write',
    ({ rows }) => `/api/v2/oauth_grants/${rows['OauthGrant']?.id}`,
    { isUnrecorded: true },
  ),
];

export const OPERATIONS: readonly Operation[] = [
  get('/api/v2/me', null, () => '/api/v2/me'),
  operation('GET', '/api/v2/users', 'account:read', () => '/api/v2/users', { isList: true }),
  get('/api/v2/users/:id', 'account:read', ({ user }) => `/api/v2/users/${user.id}`),
  operation('GET', '/api/v2/teams', 'account:read', () => '/api/v2/teams', { isList: true }),
  ...(['GET', 'PUT', 'PATCH'] as const).map((method) =>
    operation(
      method,
      '/api/v2/teams/:id',
      method === 'GET' ? 'account:read' : 'account:write',
      ({ team }) => `/api/v2/teams/${team.id}`,
      method === 'GET' ? {} : { body: ({ workspace }) => ({ team: { name: `New ${workspace.id}` } }) },
    ),
  ),
  ...NOUNS.flatMap(operationsOf),
  ...CREDENTIALS,
  ...CONTACTS,
  ...FORMS,
  ...WEBHOOKS,
  ofLine(LINE_CHANGES, 'store:read', { isPreview: true }),
  ofLine(`${LINE_CHANGES}/perform`, 'store:write', { isSummary: true, entries: 2 }),
  PRODUCT_PRICES,
  get(CHANGE_OPTIONS, 'store:read', ({ rows }) =>
    CHANGE_OPTIONS.replace(':price_id', String(rows['Price']?.id)),
  ),
  ...(['GET', 'PUT', 'PATCH'] as const).map((method) =>
    operation(
      method,
      '/api/v2/workspaces/:workspace_id/site',
      method === 'GET' ? 'funnels:read' : 'funnels:write',
      inWorkspace('site'),
      method === 'GET' ? {} : { body: () => ({ site: { name: 'New' } }) },
    ),
  ),
  ...(['GET', 'PUT', 'PATCH'] as const).map((method) =>
    operation(
      method,
      '/api/v2/workspaces/:workspace_id/emails/settings',
      method === 'GET' ? 'emails:read' : 'emails:write',
      inWorkspace('emails/settings'),
      method === 'GET'
        ? {}
        : {
            body: ({ rows }) => ({
              emails_settings: { system_emails_from_address_id: String(rows['EmailAddress']?.spare?.id) },
            }),
          },
    ),
  ),
  operation(
    'POST',
    '/api/v2/workspaces/:workspace_id/pages/external',
    'funnels:write',
    inWorkspace('pages/external'),
    { success: 201, body: () => ({ page: { name: 'New', url: 'https://shop.example/new' } }) },
  ),
  operation(
    'POST',
    '/api/v2/workspaces/:workspace_id/pages/custom_html',
    'funnels:write',
    inWorkspace('pages/custom_html'),
    { success: 201, body: () => ({ page: { name: 'New', markup: '<h1>New</h1>' } }) },
  ),
  operation(
    'DELETE',
    '/api/v2/pages/:id/products',
    'funnels:write',
    ({ rows }) => `/api/v2/pages/${rows['Page']?.id}/products`,
    { body: ({ rows }) => ({ product_ids: [String(rows['Product']?.id)] }) },
  ),
  get(
    '/api/v2/funnels/:id/structure',
    'funnels:read',
    ({ funnel }) => `/api/v2/funnels/${funnel.id}/structure`,
  ),
  operation('GET', SPLITS, 'funnels:read', toSplits, { isList: true }),
  operation('POST', SPLITS, 'funnels:write', toSplits, { body: () => ({ conditional_split_step: {} }) }),
  get(`/api/v2${SPLIT}`, 'funnels:read', (tenant) => `/api/v2${splitPath(tenant)}`),
  operation('PATCH', `${SPLITS}/:id`, 'funnels:write', (tenant) => `/api/v2${splitPath(tenant)}`, {
    body: ({ freePage }) => ({
      conditional_split_step: { branches: [{ page_id: String(freePage.id) }, {}] },
    }),
  }),
  operation('GET', TESTS, 'funnels:read', toTests, { isList: true }),
  get(`${TESTS}/:id`, 'funnels:read', toTest),
  operation('POST', TESTS, 'funnels:write', toTests, {
    body: ({ page, freePage }) =>
      variantsBody([{ page_id: String(page.id) }, { page_id: String(freePage.id) }]),
  }),
  operation('PATCH', `${TESTS}/:id`, 'funnels:write', toTest, {
    body: () => variantsBody([{ weight: 90 }, { weight: 10 }]),
  }),
  operation('DELETE', `${TESTS}/:id`, 'funnels:write', toTest),
  ...['funnel', 'page'].map((of) =>
    get(
      `/api/v2/${of}s/:id/stats`,
      'funnels:read',
      ({ funnel, page }) => `/api/v2/${of}s/${{ funnel, page }[of]?.id}/stats`,
    ),
  ),
  operation(
    'POST',
    '/api/v2/pages/:id/visits',
    'funnels:write',
    ({ page }) => `/api/v2/pages/${page.id}/visits`,
    {
      ...{ success: 202, isUnrecorded: true },
      body: () => ({ visit: { uuid: '0b9f2a38-6ad6-4a70-8cd9-0e1f3a5f5d10', visitor_id: 'somebody' } }),
    },
  ),
  operation(
    'GET',
    `/api/v2${SPLIT}/branch`,
    'funnels:read',
    (tenant) => `/api/v2${splitPath(tenant)}/branch?contact_id=${tenant.contact.id}`,
    READING,
  ),
  operation('DELETE', `/api/v2${SPLIT}`, 'funnels:write', (tenant) => `/api/v2${splitPath(tenant)}`),
  operation('DELETE', SPLIT, 'funnels:write', splitPath),
];

/** The operations that need a scope. */
export const SCOPED = OPERATIONS.flatMap((operation) =>
  operation.scope === null ? [] : [{ ...operation, scope: operation.scope }],
);

export function methodOf({ route }: Pick<Operation, 'route'>): string {
  return route.slice(0, route.indexOf(' '));
}

/** The operations that change something, and record it. */
export const UNSAFE = OPERATIONS.filter(
  (operation) => methodOf(operation) !== 'GET' && !operation.isPreview && !operation.isUnrecorded,
);

/**
 * The operations that the suite tries at one place, for rules that one piece of code has for all: of PUT and PATCH of the same object one,
 * and a sixth of the plain nouns. Others at other places; at night, all.
 * @param ofOwn one of how many operations of the other nouns. All, unless no noun has code of its own for the rule
 */
export function sampleOperations<T extends Pick<Operation, 'route' | 'plain'>>(
  place: string,
  operations: readonly T[],
  ofOwn = 1,
): readonly T[] {
  const nouns = sampleAt(place, [...new Set(operations.flatMap(({ plain }) => plain ?? []))], 6);
  const all = [...Map.groupBy(operations, ({ route }) => route.replace(/^PATCH /, 'PUT ')).values()];
  const isPlain = ([first]: readonly T[]) => first?.plain !== undefined;
  const tried = [
    ...all.filter((twins) => isPlain(twins) && nouns.includes(twins[0]?.plain ?? '')),
    ...sampleAt(
      `${place} of others`,
      all.filter((twins) => !isPlain(twins)),
      ofOwn,
    ),
  ];
  return tried.flatMap((twins) => sampleAt(place + twins[0]?.route, twins, 2));
}

/** The options of a request for an operation, in addition to its path. */
export function requestOf(
  operation: Pick<Operation, 'route' | 'body'>,
  tenant: Tenant,
): Required<Pick<RequestOptions, 'method' | 'headers'>> & { body?: string } {
  const method = methodOf(operation);
  if (operation.body === undefined) return { method, headers: {} };
  const headers = { 'Content-Type': 'application/json' };
  return { method, headers, body: JSON.stringify(operation.body(tenant)) };
}
