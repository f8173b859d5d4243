// Rows for tests. Each factory makes what it needs above it, unless told where to hang.

import type { Prisma } from '#prisma';
import { SCOPES } from '../../src/auth/scopes.ts';
import { createClientId, createClientSecret, createToken } from '../../src/auth/tokens.ts';
import type { App } from '../../src/context.ts';
import type { Noun } from '../../src/resources/nouns.ts';
import { above, type Field, parentKeyOf, toSnakeCase } from '../../src/resources/resource.ts';
import { drawIds } from '../../src/store/changing/ids.ts';
import type { BranchName } from '../../src/store/reading/funnel-steps.ts';
import type { PublicIdTable } from '../../src/store/sql/public-ids.ts';
import type { Caller } from './gateway.ts';
import { samplesOf } from './nouns.ts';

type Overrides<Input> = Partial<Input>;

async function nextId(app: App, table: PublicIdTable): Promise<bigint> {
  const [id] = await drawIds(app.store.prisma, table, 1);
  if (id === undefined) throw new Error('no id');
  return id;
}

/**
 * One of a noun that nothing is special of, made from its description.
 * @param idOf the objects that it is below and that it names, by their types
 * @param marker stands in its texts
 */
export async function any(app: App, noun: Noun, idOf: (type: string) => bigint | undefined, marker: string) {
  const { table, fields, parent } = noun;
  const id = await nextId(app, table);
  const places = {
    ...(above(noun).some(({ type }) => type === 'Workspace') && { workspaceId: idOf('Workspace') }),
    ...(parent !== undefined && { [parentKeyOf(noun)]: idOf(parent.type) }),
  };
  const given = Object.entries<Field>(fields).filter(
    ([property, { writable, children }]) =>
      (writable !== undefined && children === undefined && !(property in places)) || property === 'position',
  );
  const values = { id, ...samplesOf(Object.fromEntries(given), `${marker} ${id}`, idOf), ...places };
  const names = Object.keys(values).map(toSnakeCase);
  const { rows } = await app.store.pool.query<{ id: bigint; publicId: string }>(
    `insert into ${table} (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})
      returning id, public_id as "publicId"`,
    Object.values(values),
  );
  const [row] = rows;
  if (row === undefined) throw new Error('no row');
  return { ...row, id };
}

export async function team(app: App, overrides: Overrides<Prisma.TeamUncheckedCreateInput> = {}) {
  const id = await nextId(app, 'teams');
  return app.store.prisma.team.create({ data: { id, name: `Team ${id}`, ...overrides } });
}

export async function workspace(app: App, overrides: Overrides<Prisma.WorkspaceUncheckedCreateInput> = {}) {
  const id = await nextId(app, 'workspaces');
  const teamId = overrides.teamId ?? (await team(app)).id;
  const data = { id, teamId, name: `Workspace ${id}`, subdomain: `workspace-${id}` };
  return app.store.prisma.workspace.create({ data: { ...data, ...overrides } });
}

export async function customDomain(app: App, workspaceId: bigint, host: string) {
  return app.store.prisma.customDomain.create({ data: { workspaceId, host } });
}

export async function contact(app: App, overrides: Overrides<Prisma.ContactUncheckedCreateInput> = {}) {
  const id = await nextId(app, 'contacts');
  const workspaceId = overrides.workspaceId ?? (await workspace(app)).id;
  const data = { id, workspaceId, emailAddress: `person-${id}@example.com` };
  return app.store.prisma.contact.create({ data: { ...data, ...overrides } });
}

/** Many contacts at once, in order of id. */
export async function contacts(app: App, workspaceId: bigint, count: number): Promise<bigint[]> {
  const ids = await drawIds(app.store.prisma, 'contacts', count);
  const data = ids.map((id) => ({ id, workspaceId, emailAddress: `person-${id}@example.com` }));
  await app.store.prisma.contact.createMany({ data });
  return ids;
}

export async function tag(app: App, workspaceId: bigint, name: string) {
  const id = await nextId(app, 'tags');
  return app.store.prisma.tag.create({ data: { id, workspaceId, name, color: '#336699' } });
}

export async function refineFilter(
  app: App,
  overrides: Overrides<Prisma.RefineFilterUncheckedCreateInput> = {},
) {
  const id = await nextId(app, 'refine_filters');
  const workspaceId = overrides.workspaceId ?? (await workspace(app)).id;
  const criteria = [{ attribute: 'email_address', clause: 'sw', value: 'a' }];
  const data = { id, workspaceId, name: `Filter ${id}`, criteria };
  return app.store.prisma.refineFilter.create({ data: { ...data, ...overrides } });
}

/** That a contact was changed, by a key. */
export async function auditEntry(app: App, overrides: Overrides<Prisma.AuditEntryUncheckedCreateInput> = {}) {
  const id = await nextId(app, 'audit_entries');
  const workspaceId = overrides.workspaceId ?? (await workspace(app)).id;
  const subject = { subjectType: 'Contact', subjectId: 1n, contactId: 1n };
  const actor = { actorKind: 'api_key', actorId: 'AKeyId', requestId: `request-${id}` };
  const data = { id, workspaceId, action: 'contact.updated', ...subject, ...actor };
  return app.store.prisma.auditEntry.create({ data: { ...data, ...overrides } });
}

/** The secret of every endpoint that is made here. */
export const WEBHOOK_SECRET = 'c0ffee'.repeat(10).padEnd(64, '0');

export async function webhookEndpoint(
  app: App,
  overrides: Overrides<Prisma.WebhookEndpointUncheckedCreateInput> = {},
) {
  const id = await nextId(app, 'webhook_endpoints');
  const workspaceId = overrides.workspaceId ?? (await workspace(app)).id;
  const url = 'https://hooks.example.com/in';
  const secret = app.keyring.seal('webhook secret', Buffer.from(WEBHOOK_SECRET));
  const data = {
    id,
    workspaceId,
    url,
    name: `Endpoint ${id}`,
    eventTypeIds: ['contact.identified'],
    secret,
    secretChangedAt: new Date(),
  };
  return app.store.prisma.webhookEndpoint.create({ data: { ...data, ...overrides } });
}

/** Of a contact that was created, unless told otherwise. */
export async function webhookEvent(app: App, overrides: Overrides<Prisma.EventUncheckedCreateInput> = {}) {
  const id = await nextId(app, 'events');
  const workspaceId = overrides.workspaceId ?? (await workspace(app)).id;
  const subject = { subjectType: 'Contact', subjectId: 1n, contactId: 1n, data: { id: 1 } };
  const data = { id, workspaceId, eventType: 'contact.created', ...subject };
  return app.store.prisma.event.create({ data: { ...data, ...overrides } });
}

/** Failed at its only attempt, unless told otherwise. */
export async function webhookDelivery(
  app: App,
  on: { workspaceId: bigint; endpointId: bigint; eventId: bigint },
  overrides: Overrides<Prisma.WebhookDeliveryUncheckedCreateInput> = {},
) {
  const id = await nextId(app, 'webhook_deliveries');
  const failed = { status: 'failed', nextAttemptAt: null, attemptCount: 1, responseCode: 500 };
  const data = { id, ...on, eventType: 'contact.created', ...failed };
  return app.store.prisma.webhookDelivery.create({ data: { ...data, ...overrides } });
}

/** Answered by 500, unless told otherwise. */
export async function webhookAttempt(
  app: App,
  { workspaceId, id }: { workspaceId: bigint; id: bigint },
  overrides: Overrides<Prisma.WebhookAttemptUncheckedCreateInput> = {},
) {
  const data = {
    workspaceId,
    deliveryId: id,
    number: 1,
    startedAt: new Date('2026-03-01T10:00:00.123Z'),
    durationMs: 45,
    url: 'https://hooks.example.com/in',
    requestHeaders: { 'content-type': 'application/json' },
    responseCode: 500,
    responseStart: 'No',
  };
  return app.store.prisma.webhookAttempt.create({ data: { ...data, ...overrides } });
}

export async function funnel(app: App, overrides: Overrides<Prisma.FunnelUncheckedCreateInput> = {}) {
  const id = await nextId(app, 'funnels');
  const workspaceId = overrides.workspaceId ?? (await workspace(app)).id;
  const data = { id, workspaceId, name: `Funnel ${id}`, currentPath: `/funnel-${id}` };
  return app.store.prisma.funnel.create({ data: { ...data, ...overrides } });
}

/** A workflow to build: a page's name, or a split with what is on its branches. */
export type Plan = string | { split: string; matched?: Plan[]; unmatched?: Plan[] };

export interface BuiltStep {
  readonly id: bigint;
  readonly publicId: string;
  readonly pageId: bigint | null;
}

/** Builds the workflow of a funnel; the steps made, by the names in the plan. */
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
      const id = await nextId(app, 'funnel_steps');
      const kind = typeof plan === 'string' ? ('page' as const) : ('conditional_split' as const);
      const place = { parentId, branch, position, funnelId: on.id, workspaceId: on.workspaceId };
      const { publicId } = await app.store.prisma.funnelStep.create({
        data: { id, ...place, kind, name, pageId },
        // All columns would not do: Citus gives no enumerated ones back.
        select: { publicId: true },
      });
      built.set(name, { id, publicId, pageId });
      if (typeof plan === 'string') continue;
      await build(plan.matched ?? [], id, 'matched');
      await build(plan.unmatched ?? [], id, 'unmatched');
    }
  }
  await build(plans, null, null);
  return built;
}

export async function page(app: App, workspaceId: bigint, name: string) {
  const id = await nextId(app, 'pages');
  const currentPath = `/${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
  return app.store.prisma.page.create({ data: { id, workspaceId, name, currentPath } });
}

interface KeyOptions {
  readonly teamId: bigint;
  readonly scopes?: readonly string[];
  readonly createdAt?: Date;
  readonly expiresAt?: Date;
  readonly revokedAt?: Date;
}

/** A caller with an API key of the team's; every scope unless told otherwise. */
export async function apiKey(app: App, options: KeyOptions): Promise<Caller & { token: string; id: bigint }> {
  const { teamId, scopes = ['read', 'write'], ...times } = options;
  const id = await nextId(app, 'api_keys');
  const { token, hash, hint } = createToken();
  const data = {
    id,
    ...times,
    teamId,
    name: `Key ${id}`,
    tokenHash: hash,
    hint,
    scopes: [...scopes],
  };
  await app.store.prisma.apiKey.create({ data });
  return { authorization: `Bearer ${token}`, token, id };
}

export const PASSWORD = 'correct horse battery staple';
/** Of `PASSWORD`, by the least that argon2id can do: tests need no hash that is hard to guess by. */
const PASSWORD_HASH =
  '$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$lUbZ8Jzij/5bOe3RDFNWB4YcFPBWi0usvNmLvSsyG7I';

interface UserOptions extends Overrides<Omit<Prisma.UserUncheckedCreateInput, 'memberships'>> {
  /** A team that they belong to. */
  readonly teamId?: bigint;
  readonly role?: 'owner' | 'admin' | 'member';
}

/** A person whose password is `PASSWORD`; the owner of the team that is named, if any. */
export async function user(app: App, { teamId, role = 'owner', ...overrides }: UserOptions = {}) {
  const id = await nextId(app, 'users');
  const email = overrides.email ?? `user-${id}@example.com`;
  const data = { id, name: `User ${id}`, passwordHash: PASSWORD_HASH, ...overrides, email };
  const memberships = teamId === undefined ? {} : { memberships: { create: { teamId, role } } };
  return { ...(await app.store.prisma.user.create({ data: { ...data, ...memberships } })), email };
}

interface ClientOptions extends Overrides<Omit<Prisma.OauthClientUncheckedCreateInput, 'metadata'>> {
  readonly metadata?: Prisma.InputJsonObject;
}

/** A confidential client that sends people through consent, unless told otherwise; its secret beside it. */
export async function oauthClient(app: App, { metadata = {}, ...overrides }: ClientOptions = {}) {
  const id = overrides.id ?? createClientId();
  const { token, hash } = createClientSecret();
  const name = overrides.name ?? `Client ${id}`;
  const data = {
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
  };
  const client = await app.store.prisma.oauthClient.create({ data: { ...data, ...overrides } });
  return { ...client, clientSecret: token };
}
