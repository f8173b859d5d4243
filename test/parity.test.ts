// Whatever is refused over one face is refused over the other, with the same code.
import { describe, expect, test } from 'vitest';
import { createApp } from '../src/app.ts';
import { createToken } from '../src/auth/tokens.ts';
import { type ErrorCode, STATUS_OF } from '../src/errors.ts';
import * as factories from './support/factories.ts';
import {
  anonymous,
  type Caller,
  createCheckedServer,
  type Gateway,
  type RequestOptions,
  sharedGateway,
  TEST_SECRET_KEY,
} from './support/gateway.ts';
import { type Answer, post } from './support/graphql.ts';
import { createTenant, type Tenant } from './support/operations.ts';
import type { Problem } from './support/problem.ts';
import { firstUserError } from './support/user-errors.ts';

/** One wish, as each face says it. */
interface Wish {
  readonly path: string;
  readonly method?: string;
  readonly query: string;
}

const gateway = await sharedGateway();
const ours = await createTenant(gateway.app, 'ours');
const theirs = await createTenant(gateway.app, 'theirs');
const good = await factories.apiKey(gateway.app, { teamId: ours.team.id });

const globalId = (type: string, { id }: { id: bigint }) => btoa(`${type}:${id}`);
// Over GraphQL the names of teams and workspaces need no scope; the other fields do.
const teams: Wish = { path: '/api/v2/teams', query: '{ viewer { teams { nodes { createdAt } } } }' };
const teamOf = ({ team: { id } }: Tenant): Wish => ({
  path: `/api/v2/teams/${id}`,
  query: `{ team(by: { databaseId: ${id} }) { id } }`,
});
const below = ({ workspace: { id } }: Tenant, rest: string, field: string): Wish => ({
  path: `/api/v2/workspaces/${id}${rest}`,
  query: `{ workspace(by: { databaseId: ${id} }) { ${field} } }`,
});
const removal = (funnel: Tenant['funnel'], split: Tenant['split']): Wish => ({
  path: `/api/v2/funnels/${funnel.id}/conditional_split_steps/${split.id}`,
  method: 'DELETE',
  query: `mutation { removeConditionalSplit(input: {
    conditionalSplitId: "${globalId('ConditionalSplit', split)}"
  }) { removedConditionalSplitId userErrors { code path message } } }`,
});

interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly field?: string | undefined;
}

async function refusalOf({ response }: { response: Response }): Promise<Refusal> {
  const { code, detail, errors, status } = (await response.json()) as Problem;
  expect([response.status, status]).toEqual([STATUS_OF[code], STATUS_OF[code]]);
  return { code, detail, field: errors[0]?.field };
}

function graphqlRefusalOf(answer: Answer<unknown>): Refusal {
  const { errors } = answer;
  // Of a mutation: an object that is not found is data.
  const refused = firstUserError(answer);
  if (refused !== undefined) return { code: refused.code.toLowerCase(), detail: refused.message };
  const { extensions, message } = errors?.[0] ?? {
    extensions: { code: 'none', field: undefined },
    message: '',
  };
  expect(extensions.code).toBe(extensions.code.toUpperCase());
  return { code: extensions.code.toLowerCase(), detail: message, field: extensions.field };
}

/** Sends the wish over both faces; both refuse it with this code, in the same words. */
async function expectBothRefuse(wish: Wish, code: ErrorCode, options: RequestOptions = { caller: good }) {
  const rest = await gateway.send(wish.path, { ...options, method: wish.method ?? 'GET' });
  const graphql = await post(gateway, { query: wish.query }, options);
  const [restRefusal, graphqlRefusal] = [await refusalOf({ response: rest }), graphqlRefusalOf(graphql)];
  expect([restRefusal.code, graphqlRefusal.code]).toEqual([code, code]);
  // Below a field of a form the words are others.
  if (graphql.errors !== undefined) expect(graphqlRefusal.detail).toBe(restRefusal.detail);
  return { rest, graphql, fields: [restRefusal.field, graphqlRefusal.field] };
}

/** Every category's wish. */
const wishes = (): Record<string, Wish> => ({
  'account:read': teams,
  'contacts:read': below(ours, '/contacts', 'contacts { nodes { id } }'),
  'contacts:read (filters)': below(ours, '/refine_filters', 'savedFilters { nodes { id } }'),
  'webhooks:read': below(ours, '/webhooks/outgoing/endpoints', 'webhookEndpoints { nodes { id } }'),
  'funnels:read': below(ours, '/funnels', 'funnels { nodes { id } }'),
  'funnels:write': removal(ours.funnel, ours.split),
});
const SCOPES = [
  'account:read',
  'contacts:read',
  'contacts:read (filters)',
  'webhooks:read',
  'funnels:read',
  'funnels:write',
];

describe('unauthenticated', () => {
  const createdAt = new Date(Date.now() - 86_400_000);
  const past = new Date(Date.now() - 1000);
  const callers: Record<string, () => Caller | Promise<Caller>> = {
    'no key': () => anonymous,
    'a malformed header': () => ({ authorization: 'Basic dXNlcg==' }),
    'an unknown key': () => ({ authorization: `Bearer ${createToken().token}` }),
    'a revoked key': () =>
      factories.apiKey(gateway.app, { teamId: ours.team.id, createdAt, revokedAt: past }),
    'an expired key': () =>
      factories.apiKey(gateway.app, { teamId: ours.team.id, createdAt, expiresAt: past }),
  };

  test.each(Object.keys(callers))('%s: 401 on both faces, with the same challenge', async (kind) => {
    const caller = await callers[kind]?.();
    const options = { caller: caller ?? anonymous };
    const { rest, graphql } = await expectBothRefuse(teams, 'unauthenticated', options);
    expect(graphql.response.status).toBe(401);
    expect(graphql.response.headers.get('WWW-Authenticate')).toBe(rest.headers.get('WWW-Authenticate'));
    for (const wish of Object.values(wishes())) await expectBothRefuse(wish, 'unauthenticated', options);
  });
});

test.each(SCOPES)('insufficient_scope: without %s', async (name) => {
  const scope = name.split(' ')[0] ?? '';
  const all = [
    'account',
    'blogs',
    'contacts',
    'courses',
    'emails',
    'forms',
    'funnels',
    'sales',
    'store',
    'webhooks',
  ].flatMap((one) => [`${one}:read`, `${one}:write`]);
  const caller = await factories.apiKey(gateway.app, {
    teamId: ours.team.id,
    scopes: all.filter((granted) => granted !== scope),
  });
  const wish = wishes()[name] ?? teams;
  const { graphql } = await expectBothRefuse(wish, 'insufficient_scope', { caller });
  expect(graphql.errors?.[0]?.extensions.scope).toBe(scope);
});

test('the one exception: a workspace is a place for GraphQL, and needs account:read over REST', async () => {
  const scopes = ['contacts:read'];
  const caller = await factories.apiKey(gateway.app, { teamId: ours.team.id, scopes });
  for (const { path } of [teams, teamOf(ours), below(ours, '', 'id')]) {
    const { code } = await refusalOf({ response: await gateway.send(path, { caller }) });
    expect([path, code]).toEqual([path, 'insufficient_scope']);
  }
  for (const { query } of [teamOf(ours), below(ours, '', 'id databaseId publicId name subdomain')])
    expect((await post(gateway, { query }, { caller })).errors).toBeUndefined();
  await expectBothRefuse(below(ours, '', 'createdAt'), 'insufficient_scope', { caller });
});

describe('not_found: a look-up over GraphQL answers null without an error, and REST refuses it', () => {
  async function expectNeitherFinds(wish: Wish, options: RequestOptions = { caller: good }) {
    const { code } = await refusalOf({ response: await gateway.send(wish.path, options) });
    const { data, errors } = await post(gateway, { query: wish.query }, options);
    expect([code, Object.values(data ?? {}), errors]).toEqual(['not_found', [null], undefined]);
  }

  test("another team's team and workspace, and unknown ones", async () => {
    const nowhere = { team: { id: 9999n }, workspace: { id: 9999n } } as Tenant;
    for (const tenant of [theirs, nowhere]) {
      await expectNeitherFinds(teamOf(tenant));
      await expectNeitherFinds(below(tenant, '', 'id'));
      await expectNeitherFinds(below(tenant, '/contacts', 'contacts { nodes { id } }'));
    }
  });

  test("objects that another workspace's host hides", async () => {
    const other = await factories.workspace(gateway.app, { teamId: ours.team.id, subdomain: 'other' });
    const options = { caller: good, host: `${other.subdomain}.localhost` };
    await expectNeitherFinds(below(ours, '', 'id'), options);
    await expectBothRefuse(removal(ours.funnel, ours.split), 'not_found', options);
  });
});

test('invalid: a negative page size is an error of its parameter, and over REST a size of zero too', async () => {
  const path = '/api/v2/teams?per_page=';
  expect(await refusalOf({ response: await gateway.send(`${path}0`, { caller: good }) })).toMatchObject({
    code: 'invalid',
    field: 'per_page',
  });
  for (const size of [-1, -100]) {
    const rest = await gateway.send(`${path}${size}`, { caller: good });
    const graphql = await post(
      gateway,
      { query: `{ viewer { teams(first: ${size}) { nodes { id } } } }` },
      { caller: good },
    );
    expect(await refusalOf({ response: rest })).toMatchObject({ code: 'invalid', field: 'per_page' });
    expect(graphqlRefusalOf(graphql)).toMatchObject({ code: 'invalid', field: 'first' });
  }
});

test('invalid: an invalid cursor is an error of after', async () => {
  const query = '{ viewer { teams(after: "x") { nodes { id } } } }';
  const rest = await gateway.send('/api/v2/teams?after=x', { caller: good });
  expect(await refusalOf({ response: rest })).toMatchObject({ code: 'invalid', field: 'after' });
  expect(graphqlRefusalOf(await post(gateway, { query }, { caller: good }))).toMatchObject({
    code: 'invalid',
    field: 'after',
  });
});

test('both APIs check permission before the request’s content', async () => {
  const { authorization } = await factories.apiKey(gateway.app, {
    teamId: ours.team.id,
    scopes: ['store:read'],
  });
  const wish = below(ours, '/contacts?per_page=0', 'contacts(first: -1) { nodes { id } }');
  await expectBothRefuse(wish, 'insufficient_scope', { caller: { authorization } });
  await expectBothRefuse(wish, 'unauthenticated', { caller: anonymous });
});

test('misdirected_request: an unknown host gets 421 from both', async () => {
  const options = { caller: good, host: 'nobody.example' };
  const { graphql } = await expectBothRefuse(teams, 'misdirected_request', options);
  expect(graphql.response.status).toBe(421);
  expectGraphqlBody(graphql);
});

test('payload_too_large: GraphQL clients get it in their own form', async () => {
  const answer = await post(gateway, { query: `#${'x'.repeat(300_000)}` }, { caller: good });
  expect(answer.response.status).toBe(413);
  expect(graphqlRefusalOf(answer).code).toBe('payload_too_large');
  expectGraphqlBody(answer);
});

test('unavailable: without a database both answer 503 with Retry-After', async () => {
  const { config, log } = gateway.app;
  const app = createApp(
    config,
    { databaseUrl: 'postgresql://u:p@127.0.0.1:9/db', secretKeys: () => [TEST_SECRET_KEY] },
    { log },
  );
  const server = createCheckedServer(app);
  const away: Gateway = {
    ...gateway,
    send: (path, { method = 'GET', headers = {}, body } = {}) => {
      const all = { ...headers, Authorization: good.authorization ?? '' };
      const init = { method, headers: all, ...(body !== undefined && { body }) };
      return server.fetch(new Request(`http://localhost${path}`, init));
    },
  };
  const rest = await away.send(teams.path);
  const graphql = await post(away, { query: teams.query });
  expect((await refusalOf({ response: rest })).code).toBe('unavailable');
  expect(graphqlRefusalOf(graphql).code).toBe('unavailable');
  expectGraphqlBody(graphql);
  for (const response of [rest, graphql.response]) {
    expect([response.status, response.headers.has('Retry-After')]).toEqual([503, true]);
  }
  await app.store.close();
});

/** A refusal that came before any operation was read still has the form that GraphQL clients read. */
function expectGraphqlBody(answer: Answer<unknown>): void {
  const { response, errors } = answer;
  expect(response.headers.get('Content-Type')).toBe('application/graphql-response+json; charset=utf-8');
  expect(errors?.[0]?.extensions.requestId).toBe(response.headers.get('X-Request-Id'));
  expect(Object.keys(answer).sort()).toEqual(['errors', 'response']);
}
