// Makes rows for tests. Each factory also makes the parents that it needs, unless it gets their ids. They do not use Prisma, which takes
// several times as long.

import { createHash, randomUUID } from 'node:crypto';
import type * as models from '#prisma';
import { Prisma } from '#prisma';
import { SCOPES } from '../../src/auth/scopes.ts';
import { createClientId, createClientSecret, createToken } from '../../src/auth/tokens.ts';
import type { App } from '../../src/context.ts';
import { ancestorsOf, parentKeyOf } from '../../src/resources/description/ancestors.ts';
import { isArchivable } from '../../src/resources/description/common-fields.ts';
import type { Field, Fields } from '../../src/resources/description/fields.ts';
import { toSnakeCase, uncapitalize } from '../../src/resources/description/names.ts';
import type { Noun } from '../../src/resources/nouns.ts';
import { invoiceLineItem } from '../../src/resources/orders/order-invoices.ts';
import { orderLineItem } from '../../src/resources/orders/orders.ts';
import type { BranchName } from '../../src/store/reading/funnel-steps.ts';
import { type PublicIdTable, TYPE_NUMBER, toPublicId } from '../../src/store/sql/public-ids.ts';
import { types } from '../../src/store/sql/value-types.ts';
import { addRow, inBatches, takeId } from './batch.ts';
import type { Caller } from './gateway.ts';
import { jsonOf, samplesOf } from './nouns.ts';
import { prismaOf } from './prisma.ts';

type Overrides<Input> = Partial<Input>;

/** Draws ids of several tables in one statement. @param counts the number of ids by table */
async function drawAll(app: App, counts: ReadonlyMap<PublicIdTable, number>) {
  const tables = [...counts].flatMap(([table, count]) => Array<PublicIdTable>(count).fill(table));
  const drawn = new Map<PublicIdTable, bigint[]>();
  if (tables.length === 0) return drawn;
  const ids = tables.map((table) => `draw_id(${TYPE_NUMBER[table]}, '${table}_id_seq')`);
  const text = `select unnest(array[${ids.join(', ')}]) as id`;
  const { rows } = await app.store.pool.query<{ id: bigint }>({ text, types });
  for (const [index, table] of tables.entries())
    drawn.set(table, [...(drawn.get(table) ?? []), rows[index]?.id as bigint]);
  return drawn;
}

/** Calls `make` several times, and inserts all its rows in one round trip. */
export function together<T>(app: App, times: number, make: (app: App) => Promise<T>): Promise<T[]> {
  return inBatches(app, times, (counts) => drawAll(app, counts), make);
}

async function drawIds(app: App, table: PublicIdTable, count: number): Promise<bigint[]> {
  const text = 'select draw_id($1, $2::regclass) as id from generate_series(1, $3::int)';
  const values = [TYPE_NUMBER[table], `${table}_id_seq`, count];
  const { rows } = await app.store.pool.query<{ id: bigint }>({ text, values, types });
  return rows.map(({ id }) => id);
}

const columns = new Map<string, string>();

function columnOf(property: string): string {
  const column = columns.get(property) ?? toSnakeCase(property);
  columns.set(property, column);
  return column;
}

/** Inserts a row without drawing its id. A list of objects is JSON, other lists are arrays. */
async function insert<Row>(app: App, table: string, data: object): Promise<Row> {
  const given = Object.entries(data).filter(([, value]) => value !== undefined);
  const names = given.map(([property]) => columnOf(property));
  const values = given.map(([property, value]) => {
    if (value === Prisma.DbNull) return null;
    return ['criteria', 'propertiesValues', 'bumps'].includes(property) ? JSON.stringify(value) : value;
  });
  if (addRow(app, table, names, values)) return data as Row;
  const places = given.map((_, index) => `$${index + 1}`).join(', ');
  const text = `insert into ${table} (${names.join(', ')}) values (${places}) returning *`;
  const { rows } = await app.store.pool.query({ text, values, types });
  const toProperty = (name: string) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(rows[0]).map(([name, value]) => [toProperty(name), value])) as Row;
}

/** Inserts a row with an id that is drawn first, so that other values may contain it. */
async function create<Row>(app: App, table: PublicIdTable, dataOf: (id: bigint) => object): Promise<Row> {
  const id = takeId(app, table) ?? (await drawIds(app, table, 1))[0];
  if (id === undefined) throw new Error('no id');
  const row = await insert<Row>(app, table, { id, ...dataOf(id) });
  return { publicId: toPublicId(table, id), ...row };
}

type IdOf = (type: string) => bigint | undefined;

/** The values that the gateway writes into new rows of columns without a default. @param id the row's id */
const WRITTEN: Readonly<Record<string, (id: bigint, idOf: IdOf) => object>> = {
  // No test creates a contact with this address.
  Contact: (id) => ({ emailAddress: `spare-${id}@example.com` }),
  Order: (id) => ({
    ...{ orderNumber: Number(id), orderType: 'subscription-order', currency: 'EUR' },
    billingStatus: 'unpaid',
    ...{ totalAmount: '1.00', taxAmount: '0.00' },
  }),
  Domain: (id) => ({ host: `domain-${id}.example.com` }),
  // Its current style would have to exist before it.
  Theme: () => ({ currentStyleId: null }),
  Style: (_, idOf) => ({ themeId: idOf('Theme') }),
  Page: (_, idOf) => ({ bumps: [{ product_id: Number(idOf('Product')), preheadline: null }] }),
  Price: () => ({ paymentType: 'subscription', interval: 'month', trialInterval: 'day' }),
  OrderLineItem: (_, idOf) => ({
    ...{
      productId: idOf('Product'),
      priceId: idOf('Price'),
      quantity: 9,
      currency: 'EUR',
      amount: '1.00',
      firstAmount: '1.00',
      setupAmount: '0.00',
    },
    ...copiesOf(orderLineItem, 'originalProduct', 'productsVariant'),
    productsPrice: { ...jsonOf(orderLineItem.fields.productsPrice.object), interval: 'month' },
  }),
  Invoice: (id) => ({
    ...{
      status: 'unpaid',
      invoiceNumber: `T-${id}`,
      currency: 'EUR',
      subtotalAmount: '1.00',
      shippingAmount: '0.00',
      taxAmount: '0.00',
      discountAmount: '0.00',
    },
    fulfillmentStatus: 'unfulfilled',
  }),
  InvoiceLineItem: (_, idOf) => ({
    ...{
      productId: idOf('Product'),
      orderLineItemId: idOf('OrderLineItem'),
      // One piece of it is in a fulfillment.
      ...{ quantity: 1_000, paymentType: 'subscription' },
      fulfillmentStatus: 'unfulfilled',
    },
    ...copiesOf(invoiceLineItem, 'productsPrice', 'productsVariant'),
  }),
  BlogPost: (id, idOf) => ({
    currentPath: `/post-${id}`,
    tagIds: [idOf('BlogTag')],
    categoryIds: [idOf('BlogCategory')],
  }),
  FormField: (_, idOf) => ({ formId: idOf('Form') }),
  FormSubmissionAnswer: (_, idOf) => ({
    formId: idOf('Form'),
    fieldsOptionIds: [idOf('FormFieldOption')],
  }),
  Opportunity: (_, idOf) => ({
    ...{ pipelineId: idOf('Pipeline'), pipelinesStageId: idOf('PipelineStage') },
    ...{ closedAt: null, assigneeId: null },
  }),
  OpportunityNote: () => ({ createdById: null }),
  Fulfillment: (id) => ({ fulfillmentNumber: Number(id) }),
  Appointment: () => ({ endsAt: '2026-01-01T01:00:00.000Z' }),
  EmailAddress: (id) => ({ emailAddress: `address-${id}@example.com`, isWorkspaceDefault: false }),
  EmailBroadcast: (_, idOf) => ({ sendImmediately: false, topicIds: [idOf('EmailTopic')] }),
  EmailBroadcastRecipient: (id) => ({ emailAddress: `recipient-${id}@example.com` }),
  // At most one of a workspace is the default.
  ShippingPackage: () => ({ defaultPackage: false }),
  ShippingZone: () => ({ includesRestOfWorld: false }),
  Transaction: () => ({
    amount: '1.00',
    currency: 'EUR',
    status: 'completed',
    result: 'approved',
    invoiceId: null,
  }),
};

const copiesOf = ({ fields }: Pick<Noun, 'fields'>, ...properties: string[]) =>
  Object.fromEntries(properties.map((property) => [property, jsonOf(fields[property]?.object ?? {})]));

/** What all rows of a noun have in common. */
interface Recipe {
  /** The properties with the ids of its ancestors and owners, and the types of these. */
  readonly places: readonly (readonly [property: string, type: string])[];
  readonly fields: Fields;
  readonly objects: object;
}

const recipes = new Map<Noun, Recipe>();

function recipeOf(noun: Noun): Recipe {
  const known = recipes.get(noun);
  if (known !== undefined) return known;
  const { fields, parent, lists = [] } = noun;
  const ancestors = ancestorsOf(noun);
  const places = [
    // A lesson has the course of its section.
    ...ancestors
      .map(({ type }) => [`${uncapitalize(type)}Id`, type] as const)
      .filter(([property]) => property in fields),
    ...(ancestors.some(({ type }) => type === 'Workspace') ? [['workspaceId', 'Workspace'] as const] : []),
    ...(parent === undefined ? [] : [[parentKeyOf(noun), parent.type] as const]),
    ...lists.flatMap(({ under, key }) => (key === undefined ? [] : [[key, under.type] as const])),
  ];
  // The column `archived` is generated from the time of archiving.
  const taken = [...places.map(([property]) => property), ...(isArchivable(noun) ? ['archived'] : [])];
  const given = Object.entries<Field>(fields).filter(
    ([property, { writable, children }]) =>
      (writable !== undefined && children === undefined && !taken.includes(property)) ||
      ['position', 'name'].includes(property),
  );
  const objects = given.flatMap(([property, { object }]) => (object ? [[property, jsonOf(object)]] : []));
  const recipe = { places, fields: Object.fromEntries(given), objects: Object.fromEntries(objects) };
  recipes.set(noun, recipe);
  return recipe;
}

/**
 * Makes a row of a simple noun from its description.
 * @param idOf the ids of its parents and of the objects that it refers to, by type
 * @param marker a part of all its texts
 */
export async function any(app: App, noun: Noun, idOf: (type: string) => bigint | undefined, marker: string) {
  const { fields, objects, ...recipe } = recipeOf(noun);
  const places: { readonly workspaceId?: bigint } = Object.fromEntries(
    recipe.places.map(([property, type]) => [property, idOf(type)]),
  );
  const row = await create<{ id: bigint; publicId: string }>(app, noun.table, (id) => ({
    ...samplesOf(fields, `${marker} ${id}`, idOf),
    ...objects,
    ...WRITTEN[noun.type]?.(id, idOf),
    ...places,
  }));
  const { workspaceId } = places;
  if (noun.type === 'Product')
    await create(app, 'product_variants', () => ({
      ...{ workspaceId, productId: row.id, name: marker, isDefault: true },
    }));
  return row;
}

export function team(app: App, overrides: Overrides<Prisma.TeamUncheckedCreateInput> = {}) {
  return create<models.Team>(app, 'teams', (id) => ({ name: `Team ${id}`, ...overrides }));
}

export async function workspace(app: App, overrides: Overrides<Prisma.WorkspaceUncheckedCreateInput> = {}) {
  const teamId = overrides.teamId ?? (await team(app)).id;
  return create<models.Workspace>(app, 'workspaces', (id) => ({
    teamId,
    name: `Workspace ${id}`,
    subdomain: `workspace-${id}`,
    ...overrides,
  }));
}

export function customDomain(app: App, workspaceId: bigint, host: string) {
  return insert<models.CustomDomain>(app, 'custom_domains', { workspaceId, host });
}

/** Inserts a row of a workspace; without one in the overrides, of a new workspace. */
async function inWorkspace<Row>(
  app: App,
  table: PublicIdTable,
  overrides: { readonly workspaceId?: bigint | number },
  dataOf: (id: bigint) => object,
): Promise<Row> {
  const workspaceId = overrides.workspaceId ?? (await workspace(app)).id;
  return create(app, table, (id) => ({ workspaceId, ...dataOf(id), ...overrides }));
}

export function contact(app: App, overrides: Overrides<Prisma.ContactUncheckedCreateInput> = {}) {
  return inWorkspace<models.Contact>(app, 'contacts', overrides, (id) => ({
    emailAddress: `person-${id}@example.com`,
  }));
}

/** Inserts many contacts in one statement; returns their ids in ascending order. */
export async function contacts(app: App, workspaceId: bigint, count: number): Promise<bigint[]> {
  const ids = await drawIds(app, 'contacts', count);
  const data = ids.map((id) => ({ id, workspaceId, emailAddress: `person-${id}@example.com` }));
  await prismaOf(app.store).contact.createMany({ data });
  return ids;
}

export function tag(app: App, workspaceId: bigint, name: string) {
  return create<models.Tag>(app, 'tags', () => ({ workspaceId, name, color: '#336699' }));
}

export function appliedTag(app: App, on: { workspaceId: bigint; contactId: bigint; tagId: bigint }) {
  return create<models.ContactTag>(app, 'contact_tags', () => on);
}

export function refineFilter(app: App, overrides: Overrides<Prisma.RefineFilterUncheckedCreateInput> = {}) {
  const criteria = [{ attribute: 'email_address', clause: 'sw', value: 'a' }];
  return inWorkspace<models.RefineFilter>(app, 'refine_filters', overrides, (id) => ({
    name: `Filter ${id}`,
    criteria,
  }));
}

/** An audit entry: by default, of a contact that a key has changed. */
export function auditEntry(app: App, overrides: Overrides<Prisma.AuditEntryUncheckedCreateInput> = {}) {
  const subject = { subjectType: 'Contact', subjectId: 1n, contactId: 1n };
  const actor = { actorKind: 'api_key', actorId: 'AKeyId' };
  return inWorkspace<models.AuditEntry>(app, 'audit_entries', overrides, (id) => ({
    action: 'contact.updated',
    ...subject,
    ...actor,
    requestId: `request-${id}`,
  }));
}

/** The secret of every endpoint that these factories make. */
export const WEBHOOK_SECRET = 'c0ffee'.repeat(10).padEnd(64, '0');

export function webhookEndpoint(
  app: App,
  overrides: Overrides<Prisma.WebhookEndpointUncheckedCreateInput> = {},
) {
  return inWorkspace<models.WebhookEndpoint>(app, 'webhook_endpoints', overrides, (id) => ({
    url: 'https://hooks.example.com/in',
    name: `Endpoint ${id}`,
    eventTypeIds: ['contact.identified'],
    secret: app.keyring.seal('webhook secret', Buffer.from(WEBHOOK_SECRET)),
    secretChangedAt: new Date(),
  }));
}

/** An event: by default, of a created contact. */
export function webhookEvent(app: App, overrides: Overrides<Prisma.EventUncheckedCreateInput> = {}) {
  const subject = { subjectType: 'Contact', subjectId: 1n, contactId: 1n, data: { id: 1 } };
  return inWorkspace<models.Event>(app, 'events', overrides, () => ({
    eventType: 'contact.created',
    ...subject,
  }));
}

/** A delivery: by default, one that failed at its only attempt. */
export function webhookDelivery(
  app: App,
  on: { workspaceId: bigint; endpointId: bigint; eventId: bigint },
  overrides: Overrides<Prisma.WebhookDeliveryUncheckedCreateInput> = {},
) {
  const failed = { status: 'failed', nextAttemptAt: null, attemptCount: 1, responseCode: 500 };
  return create<models.WebhookDelivery>(app, 'webhook_deliveries', () => ({
    ...on,
    eventType: 'contact.created',
    ...failed,
    ...overrides,
  }));
}

/** An attempt: by default, one that got a 500. */
export function webhookAttempt(
  app: App,
  { workspaceId, id }: { workspaceId: bigint; id: bigint },
  overrides: Overrides<Prisma.WebhookAttemptUncheckedCreateInput> = {},
) {
  return insert<models.WebhookAttempt>(app, 'webhook_attempts', {
    workspaceId,
    deliveryId: id,
    number: 1,
    startedAt: new Date('2026-03-01T10:00:00.123Z'),
    durationMs: 45,
    url: 'https://hooks.example.com/in',
    requestHeaders: { 'content-type': 'application/json' },
    responseCode: 500,
    responseStart: 'No',
    ...overrides,
  });
}

export function funnel(app: App, overrides: Overrides<Prisma.FunnelUncheckedCreateInput> = {}) {
  return inWorkspace<models.Funnel>(app, 'funnels', overrides, (id) => ({
    name: `Funnel ${id}`,
    currentPath: `/funnel-${id}`,
  }));
}

/** A workflow to build: a page's name, or a split with its branches. */
export type Plan = string | { split: string; filterId?: bigint; matched?: Plan[]; unmatched?: Plan[] };

export interface BuiltStep {
  readonly id: bigint;
  readonly publicId: string;
  readonly pageId: bigint | null;
}

/** Builds the workflow of a funnel. Returns its steps, by their names in the plan. */
export async function workflow(
  app: App,
  on: { id: bigint; workspaceId: bigint },
  plans: Plan[],
): Promise<Map<string, BuiltStep>> {
  const built = new Map<string, BuiltStep>();
  async function build(siblings: Plan[], parentId: bigint | null, branch: BranchName | null): Promise<void> {
    for (const [position, plan] of siblings.entries()) {
      const name = typeof plan === 'string' ? plan : plan.split;
      const pageId = typeof plan === 'string' ? (await page(app, on.workspaceId, name)).id : null;
      const kind = typeof plan === 'string' ? 'page' : 'conditional_split';
      const filterId = typeof plan === 'string' ? undefined : plan.filterId;
      const place = { parentId, branch, position, funnelId: on.id, workspaceId: on.workspaceId };
      const { id, publicId } = await create<models.FunnelStep>(app, 'funnel_steps', () => ({
        ...place,
        kind,
        name,
        pageId,
        filterId,
      }));
      built.set(name, { id, publicId, pageId });
      if (typeof plan === 'string') continue;
      await build(plan.matched ?? [], id, 'matched');
      await build(plan.unmatched ?? [], id, 'unmatched');
    }
  }
  await build(plans, null, null);
  return built;
}

/**
 * Adds a split test at the end of a split's matched branch or, with null, of the funnel, with a page of this name on each branch.
 * @param on its position there, if it is known
 */
export async function splitTest(
  app: App,
  on: { id: bigint; workspaceId: bigint; position?: number },
  splitId: bigint | null,
  [left, right]: readonly [string, string],
) {
  const of = { workspaceId: on.workspaceId, funnelId: on.id };
  const list = { ...of, parentId: splitId, branch: splitId === null ? null : ('matched' as const) };
  const position = on.position ?? (await lengthOf(app, list));
  const test = await create<models.FunnelStep>(app, 'funnel_steps', () => ({
    ...{ ...list, position },
    ...{ kind: 'split_test', name: 'Split test', leftWeight: 60 },
  }));
  for (const [branch, name] of Object.entries({ left, right })) {
    const place = { ...of, parentId: test.id, branch, position: 0 };
    const { id: pageId } = await page(app, on.workspaceId, name);
    await create<models.FunnelStep>(app, 'funnel_steps', () => ({ ...place, kind: 'page', name, pageId }));
  }
  return test;
}

/** The number of steps in a list. */
async function lengthOf(
  app: App,
  list: { workspaceId: bigint; funnelId: bigint; parentId: bigint | null; branch: BranchName | null },
): Promise<number> {
  const { rows } = await app.store.pool.query<{ count: number }>(
    `select count(*)::int from funnel_steps where workspace_id = $1 and funnel_id = $2 and sibling_list is not null
      and parent_id is not distinct from $3 and branch is not distinct from $4`,
    [list.workspaceId, list.funnelId, list.parentId, list.branch],
  );
  return rows[0]?.count ?? 0;
}

export function page(app: App, workspaceId: bigint, name: string) {
  const currentPath = `/${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
  return create<models.Page>(app, 'pages', () => ({ workspaceId, name, currentPath }));
}

interface KeyOptions {
  readonly teamId: bigint;
  readonly name?: string;
  readonly scopes?: readonly string[];
  readonly createdAt?: Date;
  readonly expiresAt?: Date;
  readonly revokedAt?: Date;
}

/** A caller with an API key of the team: by default, with every scope. */
export async function apiKey(
  app: App,
  options: KeyOptions,
): Promise<Caller & { token: string; id: bigint; publicId: string }> {
  const { teamId, scopes = ['read', 'write'], ...times } = options;
  const { token, hash, hint } = createToken();
  const { id, publicId } = await create<models.ApiKey>(app, 'api_keys', (id) => ({
    name: `Key ${id}`,
    ...times,
    teamId,
    tokenHash: hash,
    hint,
    scopes,
  }));
  return { authorization: `Bearer ${token}`, token, id, publicId };
}

export const PASSWORD = 'correct horse battery staple';
/** The hash of `PASSWORD`, with the lowest cost of argon2id, because tests need no strong hash. */
const PASSWORD_HASH =
  '$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$lUbZ8Jzij/5bOe3RDFNWB4YcFPBWi0usvNmLvSsyG7I';

interface UserOptions extends Overrides<Omit<Prisma.UserUncheckedCreateInput, 'memberships'>> {
  /** The team that the person belongs to. */
  readonly teamId?: bigint;
  readonly role?: 'owner' | 'admin' | 'member';
}

/** A person whose password is `PASSWORD`; with `teamId`, by default the team's owner. */
export async function user(app: App, { teamId, role = 'owner', ...overrides }: UserOptions = {}) {
  const made = await create<models.User & { email: string }>(app, 'users', (id) => ({
    name: `User ${id}`,
    passwordHash: PASSWORD_HASH,
    email: `user-${id}@example.com`,
    ...overrides,
  }));
  if (teamId !== undefined) await insert(app, 'team_members', { userId: made.id, teamId, role });
  return made;
}

interface ClientOptions extends Overrides<Omit<Prisma.OauthClientUncheckedCreateInput, 'metadata'>> {
  readonly metadata?: Prisma.InputJsonObject;
}

/** An OAuth client and its secret: by default, a confidential one that sends people through consent. */
export async function oauthClient(app: App, { metadata = {}, ...overrides }: ClientOptions = {}) {
  const id = overrides.id ?? createClientId();
  const { token, hash } = createClientSecret();
  const name = overrides.name ?? `Client ${id}`;
  const client = await insert<models.OauthClient>(app, 'oauth_clients', {
    id,
    name,
    secretHash: hash,
    metadata: {
      client_name: name,
      redirect_uris: ['https://client.example/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
      application_type: 'web',
      scope: SCOPES.join(' '),
      ...metadata,
    },
    ...overrides,
  });
  return { ...client, clientSecret: token };
}

const HOUR_MS = 3_600_000;

interface GrantOptions {
  readonly teamId: bigint;
  readonly userId: bigint;
  readonly clientId: string;
  /** Absent: every workspace of the team. */
  readonly workspaceIds?: readonly bigint[];
}

/** A grant of a member of a team to a client, with an access token and a refresh token. */
export async function oauthGrant(app: App, options: GrantOptions) {
  const key = randomUUID();
  const expiresAt = new Date(Date.now() + HOUR_MS);
  const grant = await create<models.OauthGrant>(app, 'oauth_grants', () => ({
    ...{ ...options, key, expiresAt, wholeTeam: options.workspaceIds === undefined },
    ...{ payload: { accountId: String(options.userId) }, scopes: ['contacts:read'] },
  }));
  const token = { payload: {}, grantKey: key, expiresAt };
  await insert(app, 'oauth_access_tokens', {
    ...{ ...token, jti: key, kind: 'AccessToken', clientId: options.clientId },
  });
  const idHash = createHash('sha256').update(key).digest();
  await insert(app, 'oauth_states', { ...token, model: 'RefreshToken', idHash });
  return grant;
}

/** A client of a team that acts for it by itself. */
export async function teamOauthClient(app: App, { teamId, name }: { teamId: bigint; name: string }) {
  const metadata = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] };
  const { id: clientId } = await oauthClient(app, { teamId, name, metadata });
  return create<models.TeamOauthClient>(app, 'team_oauth_clients', () => ({ teamId, clientId }));
}
