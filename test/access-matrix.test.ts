// Access: every route of REST and every field of GraphQL, made from the routes and the schema themselves, with every kind of caller
// without permission (spec §5). A refused caller sees nothing and has changed nothing.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorCode } from '../src/errors.ts';
import { typeOptions } from '../src/graphql/field-options.ts';
import { NOUNS } from '../src/resources/nouns.ts';
import { team } from '../src/resources/teams.ts';
import { workspace } from '../src/resources/workspaces.ts';
import { routes } from '../src/rest/nouns.ts';
import * as factories from './support/factories.ts';
import { createGateway, type Gateway, type RequestOptions } from './support/gateway.ts';
import { type Answer, post } from './support/graphql.ts';
import { all, digest } from './support/hostile.ts';
import { sampleAt } from './support/nightly.ts';
import { createTenant, OPERATIONS, type Operation, requestOf } from './support/operations.ts';
import { prismaOf } from './support/prisma.ts';
import { expectProblem, type Problem } from './support/problem.ts';
import {
  NODE_TYPES,
  SCHEMA_OPERATIONS,
  type SchemaOperation,
  scopedFields,
} from './support/schema-operations.ts';
import { idsOf, mutationsIn } from './support/tenant-mutations.ts';
import {
  type Asking,
  owners,
  scopesWithout,
  strangers,
  type Tenants,
  unknownCallers,
} from './support/wrong-callers.ts';

const MARKER = 'OURS-7c1f';
let gateway: Gateway;
let tenants: Tenants;
let callers: Record<'unknown' | 'strangers' | 'owners', Record<string, Asking>>;

beforeAll(async () => {
  gateway = await createGateway();
  const { app } = gateway;
  const ours = await createTenant(app, MARKER);
  tenants = {
    ours,
    sibling: await createTenant(app, 'SIBLING-b02e', ours.team.id),
    theirs: await createTenant(app, 'THEIRS-5d9a'),
  };
  callers = {
    unknown: await unknownCallers(app, tenants),
    strangers: await strangers(app, tenants),
    owners: await owners(app, tenants),
  };
});
afterAll(() => gateway.close());

const allStrangers = () => Object.entries(callers.strangers);

/** The request for a route in our tenant. */
function requestFor({ method, path }: (typeof routes)[number]): { path: string; request: RequestOptions } {
  const operation = OPERATIONS.find(({ route }) => route === `${method} ${path}`);
  const known: Operation = operation ?? expect.fail(`No request is known for ${method} ${path}`);
  return { path: known.path(tenants.ours), request: requestOf(known, tenants.ours) };
}

/** Routes without an id in the path: they return the caller's own objects, or the same to everybody. */
const NAMES_NOBODY = [
  '/api/v2/me',
  '/api/v2/teams',
  '/api/v2/users',
  '/api/v2/webhooks/outgoing/event_types',
];
/** What the caller's whole team has in common: a caller of the team sees it whatever the host narrows. */
const OF_THE_TEAM = [
  '/api/v2/teams/:id',
  '/api/v2/teams/:team_id/workspaces',
  // Empty for a caller that is limited to some workspaces.
  '/api/v2/teams/:team_id/api_keys',
  '/api/v2/teams/:team_id/oauth_grants',
  '/api/v2/teams/:team_id/oauth_clients',
];

/** What is shown to a caller of the whole team alone, on a host of none of its workspaces. */
const NOT_IN_WORKSPACES = ['users', 'api_keys', 'oauth_grants', 'oauth_clients'].map(
  (path) => `/api/v2/${path}/:id`,
);

/** How a change of our team is refused to a stranger; null: the stranger is of the team, and may make it on any of its hosts. */
function teamRefusal(who: string): ErrorCode | null {
  if (who.startsWith('a token for another workspace')) return 'insufficient_scope';
  return who.endsWith('of another workspace') ? null : 'not_found';
}

/** Nothing of our workspace's; what the name of our team says is left out, which its other workspaces show too. */
function expectNothingShown(text: string, of: string): void {
  const { workspace, contact } = tenants.ours;
  const shown = [MARKER, workspace.publicId, contact.publicId].filter((own) =>
    text.replaceAll(`${MARKER} team`, '').includes(own),
  );
  expect([of, shown]).toEqual([of, []]);
}

async function expectNothingChanged(work: () => Promise<unknown>): Promise<void> {
  const before = await digest(gateway);
  await work();
  expect(await digest(gateway)).toEqual(before);
}

describe('REST', () => {
  test('invalid credentials get 401 for every request', async () => {
    await expectNothingChanged(() =>
      all(Object.entries(callers.unknown), async ([who, asking]) => {
        for (const route of sampleAt(who, routes, 20)) {
          const { path, request } = requestFor(route);
          const response = await gateway.send(path, { ...request, ...asking });
          const scope = route.scope === undefined ? '' : ` scope="${route.scope}"`;
          expect(response.headers.get('WWW-Authenticate'), `${who}: ${path}`).toContain(scope);
          await expectProblem(response, 'unauthenticated');
        }
      }),
    );
  });

  test('an unknown host gets 421 for every caller', async () => {
    const { caller } = callers.owners['a key'] ?? expect.fail();
    await all(sampleAt('unknown host', routes, 4), async (route) => {
      const { path, request } = requestFor(route);
      const response = await gateway.send(path, { ...request, caller, host: 'nobody.example' });
      await expectProblem(response, 'misdirected_request');
    });
  });

  test('another team’s objects are not found', async () => {
    await expectNothingChanged(() =>
      all(routes, async (route) => {
        for (const [who, asking] of sampleAt(`${route.method} ${route.path}`, allStrangers(), 10)) {
          const { path, request } = requestFor(route);
          const changesTeam = route.path === '/api/v2/teams/:id' && route.method !== 'GET';
          const code = changesTeam ? teamRefusal(who) : 'not_found';
          if (code === null) continue;
          const response = await gateway.send(path, { ...request, ...asking });
          const text = await response.text();
          const of = `${who}: ${route.method} ${route.path}`;
          expectNothingShown(text, of);
          if (response.status < 400) {
            expect([...NAMES_NOBODY, ...OF_THE_TEAM], of).toContain(route.path);
          } else expect([of, (JSON.parse(text) as Problem).code]).toEqual([of, code]);
        }
      }),
    );
  });

  test('every kind of permitted caller gets an answer', async () => {
    for (const [who, asking] of Object.entries(callers.owners)) {
      for (const route of who === 'a key' ? routes : sampleAt(who, routes, 4)) {
        if (route.method !== 'GET') continue;
        // On the host of a workspace nobody sees another person of the team, nor its credentials.
        if (NOT_IN_WORKSPACES.includes(route.path) && who !== 'a key') continue;
        const { path, request } = requestFor(route);
        const response = await gateway.send(path, { ...request, ...asking });
        expect([who, path, response.status]).toEqual([who, path, 200]);
      }
    }
  });
});

/** The global id of one object of each type, and the input of each mutation, of our tenant. */
const nodeIds = new Map<string, string>();
const inputs = new Map<string, object>();

beforeAll(async () => {
  const { ours } = tenants;
  const { app } = gateway;
  const prisma = prismaOf(app.store);
  const ids = await idsOf(app, ours);
  for (const [type, id] of Object.entries(ids)) nodeIds.set(type, id);
  for (const { name, input } of mutationsIn(ours, ids)) inputs.set(name, input);
  const idOf = (type: string) => BigInt(atob(ids[type] ?? '').split(':')[1] ?? '');
  // What shows a key or a grant can be told by these.
  await prisma.apiKey.update({ where: { id: idOf('ApiKey') }, data: { name: `${MARKER} key` } });
  const { clientId } = await prisma.oauthGrant.findFirstOrThrow({ where: { id: idOf('OauthGrant') } });
  await prisma.oauthClient.update({ where: { id: clientId }, data: { name: `${MARKER} client` } });
});

/** The values of an operation's variables. */
function valuesFor({ isMutation, path: [field = ''], variables }: SchemaOperation): Record<string, unknown> {
  if (isMutation) return { input: inputs.get(field) ?? expect.fail(`No input for ${field}`) };
  return Object.fromEntries(
    variables.map((name) => [name, nodeIds.get(name.slice('node_'.length)) ?? expect.fail(name)]),
  );
}

const send = (operation: SchemaOperation, asking: Asking): Promise<Answer<object>> =>
  post<object>(gateway, { query: operation.query, variables: valuesFor(operation) }, asking);

/** The value of a field in an answer; null also if something on the way to it is null, or a list of nothing else. */
function valueAt(data: unknown, path: readonly string[]): unknown {
  let value = data;
  for (const name of path) {
    const next = Array.isArray(value) ? value[0] : value;
    if (next == null) return null;
    value = (next as Record<string, unknown>)[name];
  }
  return Array.isArray(value) ? (value.find((one) => one !== null) ?? null) : (value ?? null);
}

const READS = SCHEMA_OPERATIONS.filter(({ isMutation }) => !isMutation);
const CHANGES = SCHEMA_OPERATIONS.filter(({ isMutation }) => isMutation);
/** The caller's own, or the same to everybody. */
const OWN = /^(Viewer|User)\.|^Query\.(viewer|user|webhookEventTypes)$/;
/** What the caller's whole team has in common. */
const TEAM =
  /^(Team|ApiKey|Membership|OauthGrant|TeamOauthClient|Query)\.(team|apiKeys|memberships|oauthClients|oauthGrants|user|users|workspaces)$/;
/** The fields of a team that need a scope. A caller of the team sees them on every host. */
const FIELD_OF_TEAM = /^Team\.(createdAt|locale|timeZone|updatedAt)$/;
/** Whom a key stands for, and what a caller who is narrowed to a workspace cannot see of its team. */
const OF_A_KEY = ['Query.user', 'Query.apiKey', 'Query.oauthGrant', 'Query.teamOauthClient'];

/** The code for objects that are not found: a mutation of many objects says which by their places in its input. */
describe('GraphQL', () => {
  test('the requests cover every type with a global id and every field that needs a scope', () => {
    expect([...nodeIds.keys()].sort()).toEqual(NODE_TYPES.map(({ name }) => name).sort());
    const names = SCHEMA_OPERATIONS.map(({ name }) => name);
    // What cannot be asked without saying more.
    const others = ['OrderLineItem.changePreview'];
    expect(scopedFields().filter((field) => !names.includes(field))).toEqual(others);
    expect(CHANGES.every(({ scopes }) => scopes.length > 0)).toBe(true);
    // A workspace is a place: these need their scope over REST alone.
    const open = NODE_TYPES.filter((type) => typeOptions(type).scope === undefined).map(({ name }) => name);
    expect(NOUNS.filter(({ type, scope }) => scope !== undefined && open.includes(type))).toEqual([
      team,
      workspace,
    ]);
  });

  test('invalid credentials get 401 for every request', async () => {
    await expectNothingChanged(() =>
      all(Object.entries(callers.unknown), async ([who, asking]) => {
        // Refused before the operation is read.
        for (const operation of sampleAt(who, SCHEMA_OPERATIONS, 30)) {
          const { response, data, errors } = await send(operation, asking);
          const codes = errors?.map(({ extensions }) => extensions.code);
          const of = `${who}: ${operation.name}`;
          expect([of, response.status, data, codes]).toEqual([of, 401, undefined, ['UNAUTHENTICATED']]);
        }
      }),
    );
  });

  test('an unknown host gets 421 for every caller', async () => {
    const { caller } = callers.owners['a key'] ?? expect.fail();
    await all(sampleAt('unknown host', SCHEMA_OPERATIONS), async (operation) => {
      const { response } = await send(operation, { caller, host: 'nobody.example' });
      expect([operation.name, response.status]).toEqual([operation.name, 421]);
    });
  });

  test('a field is null, and its error has the scope, if the caller has every scope but that one', async () => {
    const byScope = new Map<string, Asking>();
    for (const scope of new Set(SCHEMA_OPERATIONS.flatMap(({ scopes }) => scopes))) {
      const scopes = scopesWithout(scope);
      byScope.set(scope, {
        caller: await factories.apiKey(gateway.app, { teamId: tenants.ours.team.id, scopes }),
      });
    }
    await expectNothingChanged(() =>
      all(SCHEMA_OPERATIONS, async (operation) => {
        for (const scope of operation.scopes) {
          const { data, errors = [] } = await send(operation, byScope.get(scope) ?? expect.fail());
          const of = `${operation.name} without ${scope}`;
          expect([of, valueAt(data, operation.path)]).toEqual([of, null]);
          expect(errors, of).toContainEqual(
            expect.objectContaining({
              extensions: expect.objectContaining({ code: 'INSUFFICIENT_SCOPE', scope }),
            }),
          );
        }
      }),
    );
  });

  test('another team’s objects are not found', async () => {
    await expectNothingChanged(() =>
      all(SCHEMA_OPERATIONS, async (operation) => {
        for (const [who, asking] of sampleAt(operation.name, allStrangers(), 10)) {
          const code = operation.name === 'Mutation.updateTeam' ? teamRefusal(who) : 'not_found';
          if (code === null) continue;
          const { data, errors = [] } = await send(operation, asking);
          const of = `${who}: ${operation.name}`;
          expectNothingShown(JSON.stringify([data, errors]), of);
          if (OWN.test(operation.name) || TEAM.test(operation.name)) continue;
          if (FIELD_OF_TEAM.test(operation.name) && teamRefusal(who) !== 'not_found') continue;
          const value = valueAt(data, operation.path);
          if (!operation.isMutation) expect([of, value]).toEqual([of, null]);
          else if (code === 'not_found') {
            const { userErrors, ...others } = value as { userErrors: { code: string }[] };
            const codes = new Set(userErrors.map(({ code }) => code));
            expect([of, [...codes], errors]).toEqual([of, ['NOT_FOUND'], []]);
            const isEmpty = (one: unknown) => one === null || typeof one === 'string';
            expect([of, Object.values(others).every(isEmpty)]).toEqual([of, true]);
          } else
            expect([of, errors.map(({ extensions }) => extensions.code)]).toEqual([of, [code.toUpperCase()]]);
        }
      }),
    );
  });

  test('every kind of permitted caller gets an answer', async () => {
    const nothing: string[] = [];
    await all(Object.entries(callers.owners), async ([who, asking]) => {
      for (const operation of who === 'a key' ? READS : sampleAt(who, READS)) {
        if (who !== 'a key' && OF_A_KEY.includes(operation.name)) continue;
        const { data, errors } = await send(operation, asking);
        const of = `${who}: ${operation.name}`;
        expect([of, errors]).toEqual([of, undefined]);
        if (who === 'a key' && valueAt(data, operation.path) === null) nothing.push(operation.name);
      }
    });
    // A key is no person's, nor a client's; of the others our tenant has none.
    const person = ['Viewer.client', 'Viewer.user'];
    const none = [
      // Our post names no author.
      ...['BlogPost.authors', 'BlogPostAuthor.user'],
      // A key is of the service user, which is no member.
      'User.memberships',
      // Our client may enter the whole team.
      'TeamOauthClient.workspaces',
      // Our theme has no style yet.
      ...['Blog.style', 'Theme.currentStyle'],
      'Collection.tags',
      'Contact.customAttributes',
      ...['ContactVisits.firstVisit', 'ContactVisits.lastVisit', 'ContactVisits.lastVisitWithUtm'],
      // Our splits and pages are on the top level, and nobody has visited or bought.
      ...['ConditionalSplit.parent', 'PageStep.parent', 'SplitRemovalPreview.promotedPages'],
      ...['ConditionalSplit.stats', 'SplitTest.stats'],
      ...['DayStats.recurringSales', 'DayStats.sales', 'FunnelStats.series', 'StepStats.series'],
      ...['FunnelStats.averageSale', 'FunnelStats.earningsPerView', 'FunnelStats.recurringSales'],
      ...['FunnelStats.sales', 'StepStats.earningsPerUniqueView', 'StepStats.earningsPerView'],
      ...['StepStats.recurringSales', 'StepStats.sales'],
      // A client has enrolled our contact, and our section waits for none.
      'CourseEnrollment.order',
      ...['CourseSection.blockerLesson', 'CourseSection.blockerSection'],
      // Nobody looks after our opportunity, and nobody has signed our note.
      ...['Opportunity.assignee', 'OpportunityNote.createdBy'],
      'Funnel.customDomain',
      'Page.products',
      'PriceChangeOptions.downgrade',
      'Product.courses',
      'Product.images',
      // The saved filter is one of contacts.
      'SavedFilter.orders',
      'SavedFilter.products',
      // A value has one of them.
      'FilterCriterionValue.amounts',
      'FilterCriterionValue.days',
      'FilterCriterionValue.relative',
      'FilterCriterionValue.times',
      'ProductVariant.fulfillmentLocations',
      'ProductVariant.images',
      'Restock.lineItems',
      'RestockedLineItem.invoiceLineItem',
      ...['AuditEntry.actor', 'AuditEntry.client', 'AuditEntry.tag', 'WebhookEvent.tag'],
      'OrderTransaction.invoice',
      'OrderTransaction.lastRefund',
      'OrderTransaction.refundOf',
      'ProductVariant.propertyValues',
      'ProductVariantPropertyValue.property',
    ];
    expect(nothing.sort()).toEqual([...none, ...person, 'WebhookEvent.funnel', 'WebhookEvent.page'].sort());
  });
});
