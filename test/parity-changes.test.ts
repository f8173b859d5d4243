// Every change over both faces: what is refused over one is refused over the other, in the same words, and what is done leaves the
// same record.
import { isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { CATEGORIES } from '../src/auth/scopes.ts';
import type { ErrorCode } from '../src/errors.ts';
import { schema } from '../src/graphql/schema.ts';
import { isEventType } from '../src/resources/event-types.ts';
import * as factories from './support/factories.ts';
import { anonymous, type Caller, ownGateway } from './support/gateway.ts';
import { post } from './support/graphql.ts';
import { CHANGEABLE, digest } from './support/hostile.ts';
import { contactId, MUTATIONS } from './support/mutations.ts';
import { sampleAt } from './support/nightly.ts';
import {
  createTenant,
  OPERATIONS,
  type Operation,
  requestOf,
  sampleOperations,
  type Tenant,
  UNSAFE,
} from './support/operations.ts';
import { prismaOf } from './support/prisma.ts';
import type { Problem } from './support/problem.ts';
import { firstUserError, sendMutation } from './support/user-errors.ts';

const gateway = await ownGateway();
const ours = await createTenant(gateway.app, 'ours');
const theirs = await createTenant(gateway.app, 'theirs');
const good = await factories.apiKey(gateway.app, { teamId: ours.team.id });

/** REST has no counterpart. */
const GRAPHQL_ONLY = [
  // Over REST, a change of the field `archived`.
  ...['Collection', 'FulfillmentLocation', 'ProductPrice', 'ProductVariant'].flatMap((name) => [
    `archive${name}`,
    `unarchive${name}`,
  ]),
  // Over REST, a change of a page moves its step, or gives a step this page.
  ...['addPageStep', 'moveStep', 'renameStep', 'reorderSteps', 'replaceStepPage'],
  ...['addTags', 'removeTags'],
];

/** The changes of both APIs. */
const COMMON = UNSAFE.filter(({ isRestOnly }) => isRestOnly !== true);

test('each change of REST is a mutation, and each mutation except these is one of REST', () => {
  const changes = [...COMMON, ...OPERATIONS.filter(({ isUnrecorded }) => isUnrecorded)];
  expect(Object.keys(MUTATIONS).sort()).toEqual(changes.map(({ route }) => route).sort());
  const type = schema.getMutationType();
  const fields = isObjectType(type) ? Object.keys(type.getFields()) : [];
  const served = new Set(Object.values(MUTATIONS).map(([field]) => field));
  expect([...served, ...GRAPHQL_ONLY].sort()).toEqual(fields.sort());
});

interface Outcome {
  /** In lower case; null: it succeeded. */
  readonly code: string | null;
  readonly detail: string | null;
  /** The code of the first wrong field, in lower case. */
  readonly error?: string;
}

interface Wish {
  readonly caller?: Caller;
  readonly key?: string;
  readonly host?: string;
}

async function overRest(operation: Operation, tenant: Tenant, wish: Wish): Promise<Outcome> {
  const { caller = good, key, host } = wish;
  const { headers, ...request } = requestOf(operation, tenant);
  const response = await gateway.send(operation.path(tenant), {
    ...{ caller, ...request, ...(host && { host }) },
    headers: { ...headers, ...(key && { 'Idempotency-Key': key }) },
  });
  if (response.status < 400) return { code: null, detail: null };
  const { code, detail, errors } = (await response.json()) as Problem;
  const [error] = errors;
  return { code, detail, ...(error && { error: error.code }) };
}

async function overGraphql({ route }: Operation, tenant: Tenant, wish: Wish): Promise<Outcome> {
  const { caller = good, key, host } = wish;
  const [field, inputOf] = MUTATIONS[route] ?? expect.fail(`No mutation for ${route}`);
  const type = `${field.charAt(0).toUpperCase()}${field.slice(1)}Input`;
  const query = `mutation ($input: ${type}!) { ${field}(input: $input) { userErrors { code path message } } }`;
  const input = { ...inputOf(tenant), ...(key && { idempotencyKey: key }) };
  const answer = await post(gateway, { query, variables: { input } }, { caller, ...(host && { host }) });
  const [error] = answer.errors ?? [];
  const refused = firstUserError(answer);
  // As the code of the problem document: where no field is wrong, the object is not found or its state does not allow the change.
  if (refused !== undefined) {
    const code = refused.code.toLowerCase();
    return { code: code === 'not_found' ? code : 'refused', detail: refused.message, error: code };
  }
  if (error === undefined) return { code: null, detail: null };
  return { code: error.extensions.code.toLowerCase(), detail: error.message };
}

const createdAt = new Date(Date.now() - 86_400_000);
const revokedAt = new Date(Date.now() - 1_000);
const revoked = await factories.apiKey(gateway.app, { teamId: ours.team.id, createdAt, revokedAt });
/** A caller with every scope but one. */
const weakBy = new Map<string | null, Caller>();
for (const missing of new Set(UNSAFE.map(({ scope }) => scope))) {
  const scopes = Object.keys(CATEGORIES)
    .flatMap((name) => [`${name}:read`, `${name}:write`])
    .filter((scope) => scope !== missing);
  weakBy.set(missing, await factories.apiKey(gateway.app, { teamId: ours.team.id, scopes }));
}
const other = await factories.workspace(gateway.app, { teamId: ours.team.id });

const before = await digest(gateway, CHANGEABLE);

describe.each(sampleOperations('refused', COMMON, 2))(
  '$route is refused over both faces, in the same words, and changes nothing',
  (operation) => {
    async function expectBothRefuse(tenant: Tenant, wish: Wish, code: ErrorCode): Promise<void> {
      const [rest, graphql] = [
        await overRest(operation, tenant, wish),
        await overGraphql(operation, tenant, wish),
      ];
      expect([rest.code, graphql.code]).toEqual([code, code]);
      // Below a field of a form the words are others.
      if (code !== 'not_found') expect(graphql.detail).toBe(rest.detail);
    }

    const weak = weakBy.get(operation.scope) ?? expect.fail();
    const wishes: readonly (readonly [what: string, Tenant, Wish, ErrorCode])[] = [
      ['no credential', ours, { caller: anonymous }, 'unauthenticated'],
      ['an invalid one', ours, { caller: revoked }, 'unauthenticated'],
      ['one without the scope', ours, { caller: weak }, 'insufficient_scope'],
      ["one without the scope, for another team's objects", theirs, { caller: weak }, 'insufficient_scope'],
      ["another team's objects", theirs, {}, 'not_found'],
      ['an unknown host', ours, { host: 'nobody.example' }, 'misdirected_request'],
      ['objects that another host hides', ours, { host: `${other.subdomain}.localhost` }, 'not_found'],
    ];
    // A team is changed on each of its hosts.
    const refused = wishes.slice(0, operation.route.endsWith('/teams/:id') ? -1 : undefined);

    test.each(sampleAt(operation.route, refused, 3))('%s', (_, tenant, wish, code) =>
      expectBothRefuse(tenant, wish, code),
    );
  },
);

test('afterwards no row is changed', async () => expect(await digest(gateway, CHANGEABLE)).toEqual(before));

/** Over which faces what was done over GraphQL, and what was done over REST, is tried again. */
const AGAIN = [
  [overRest, overRest],
  [overGraphql, overRest],
  [overGraphql, overGraphql],
] as const;

/** What GraphQL answers as user errors with codes of their own. */
const REFUSED = ['bad_request', 'conflict', 'invalid'];

// Two tenants of one team have the same team, whose changes are recorded elsewhere.
test.each(
  sampleOperations(
    'recorded',
    COMMON.filter(({ route }) => !route.endsWith('/teams/:id')),
    2,
  ),
)(
  '$route: the same key, for something else, is refused; both faces leave the same record, and refuse or do again what was done over either',
  async (operation) => {
    const seen: (string | null)[] = [];
    for (const [afterGraphql, afterRest] of sampleAt(operation.route, AGAIN, 3)) {
      const tenants = [
        await createTenant(gateway.app, 'one', ours.team.id),
        await createTenant(gateway.app, 'two', ours.team.id),
      ];
      const [one, two] = tenants as [Tenant, Tenant];
      const key = `key-${one.workspace.id}`;
      for (const _ of ['first', 'retry'])
        expect(await overGraphql(operation, one, { key })).toEqual({ code: null, detail: null });
      // Over REST a key is of one path: there it is a key of its own.
      expect((await overGraphql(operation, two, { key })).code).toBe('invalid');
      for (const _ of ['first', 'retry'])
        expect(await overRest(operation, two, { key })).toEqual({ code: null, detail: null });
      expect((await overRest(operation, two, { key: 'a b' })).code).toBe('invalid');
      expect((await overGraphql(operation, two, { key: 'a b' })).code).toBe('invalid');
      // Each was done once, by what was not refused.
      const [graphql, rest] = [await recordOf(one), await recordOf(two)];
      expect(graphql).toEqual(rest);
      expect(rest.entries).toHaveLength(operation.entries ?? 1);
      expect(rest.events.filter(({ eventType }) => !isEventType(eventType))).toEqual([]);
      const again = [await afterGraphql(operation, one, {}), await afterRest(operation, two, {})];
      seen.push(...again.map(({ code }) => (REFUSED.includes(code ?? '') ? 'refused' : code)));
    }
    expect(new Set(seen).size).toBe(1);
  },
);

/** What the changes of a tenant have left, in the order in which they were made. */
async function recordOf({ workspace, auditEntry }: Tenant) {
  const prisma = prismaOf(gateway.app.store);
  const ofWorkspace = { workspaceId: workspace.id };
  const entries = await prisma.auditEntry.findMany({
    where: { ...ofWorkspace, NOT: { id: auditEntry.id } },
    orderBy: { id: 'asc' },
  });
  const events = await prisma.event.findMany({ where: ofWorkspace, orderBy: { id: 'asc' } });
  const shape = (json: unknown) => (json === null ? null : Object.keys(json as object));
  return {
    entries: entries.map(({ action, subjectType, actorKind, actorId, before, after }) => {
      return { action, subjectType, actorKind, actorId, before: shape(before), after: shape(after) };
    }),
    events: events.map(({ eventType, subjectType, data }) => ({ eventType, subjectType, data: shape(data) })),
  };
}

describe('wrong input has errors for the same members, under the names of each API', () => {
  const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const long = 'x'.repeat(2_001);

  test.each<[string, object, object, string[], string[]?]>([
    ['an address', { email_address: 'x' }, { emailAddress: 'x' }, ['email_address']],
    [
      'text',
      { first_name: long, fb_url: '\0' },
      { firstName: long, facebookUrl: '\0' },
      ['first_name', 'fb_url'],
      ['firstName', 'facebookUrl'],
    ],
    ['a tag that is not there', { tag_ids: [999_999] }, { tagIds: [btoa('ContactTag:999999')] }, ['tag_ids']],
  ])('%s', async (_, rest, input, fields, named = fields.map(camel)) => {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ contact: rest });
    const path = `/api/v2/contacts/${ours.contact.id}`;
    const refused = await gateway.send(path, { caller: good, method: 'PUT', headers, body });
    const { code, errors } = (await refused.json()) as Problem;
    expect([code, errors.map(({ field }) => field)]).toEqual(['invalid', fields]);
    const changed = { contactId: contactId(ours), ...input };
    const answer = await sendMutation(gateway, 'updateContact', changed, { caller: good });
    const userErrors = answer.data?.['updateContact']?.userErrors ?? expect.fail('not refused');
    expect(userErrors.map((one) => [one.code, one.path])).toEqual(
      named.map((field, index) => [errors[index]?.code.toUpperCase(), [field]]),
    );
  });
});
