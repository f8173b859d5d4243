// Which caller is refused when, by which limit, and what answers say of it: over both APIs, through the real handler.
import { getIntrospectionQuery } from 'graphql';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createToken } from '../../src/auth/tokens.ts';
import * as factories from '../support/factories.ts';
import { anonymous, type Caller, createGateway, ownGateway } from '../support/gateway.ts';
import { oauthGrant } from '../support/grants.ts';
import { post } from '../support/graphql.ts';
import { bearer, bearerOf } from '../support/oauth-tokens.ts';
import { prismaOf } from '../support/prisma.ts';

const LIMITS = {
  RATE_LIMIT_KEY: '10',
  RATE_LIMIT_CLIENT: '4',
  RATE_LIMIT_TEAM: '14',
  RATE_LIMIT_ADDRESS: '12',
};
const UNKNOWN = bearer(`fgw_${'x'.repeat(49)}`);

let key: Caller;
let teamId: bigint;
let contacts: string;
/** Another one in each test. */
let address: string;
let tests = 0;

const gateway = await ownGateway({ env: LIMITS });
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  address = `192.0.2.${++tests}`;
  const workspace = await factories.workspace(gateway.app);
  teamId = workspace.teamId;
  contacts = `/api/v2/workspaces/${workspace.id}/contacts`;
  key = await factories.apiKey(gateway.app, { teamId });
});
afterEach(() => void vi.useRealTimers());

const send = (path: string, caller: Caller, options = {}) =>
  gateway.send(path, { caller, address, ...options });
async function statuses(count: number, ask: () => Promise<Response>): Promise<number[]> {
  const all = [];
  for (let i = 0; i < count; i++) all.push((await ask()).status);
  return all;
}
const times = (count: number, status: number) => Array<number>(count).fill(status);

describe('a caller', () => {
  test('gets as many requests as the key has points, then 429 until the window ends', async () => {
    const first = await send('/api/v2/teams', key);
    expect(first.headers.get('RateLimit')).toBe('"key";r=9;t=60, "team";r=13;t=60');
    expect(first.headers.get('RateLimit-Policy')).toBe('"key";q=10;w=60, "team";q=14;w=60');
    vi.advanceTimersByTime(10_500);
    expect(await statuses(10, () => send('/api/v2/teams', key))).toEqual([...times(9, 200), 429]);
    const refused = await send('/api/v2/teams', key);
    expect(refused.headers.get('Retry-After')).toBe('50');
    expect(refused.headers.get('RateLimit')).toBe('"key";r=0;t=50, "team";r=4;t=50');
    expect(await refused.json()).toMatchObject({ status: 429, code: 'too_many_requests' });
    vi.advanceTimersByTime(49_500);
    expect((await send('/api/v2/teams', key)).status).toBe(200);
  });

  test('with concurrent requests gets exactly the limit, each with another remaining number', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => send('/api/v2/teams', key)));
    const served = answers.filter(({ status }) => status === 200);
    expect(served).toHaveLength(10);
    const left = served.map(({ headers }) => /r=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1]);
    expect(left.map(Number).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
  });

  test('whose key is over its limit uses no points of the team, and a team over its limit uses none of the key', async () => {
    const other = await factories.apiKey(gateway.app, { teamId });
    expect(await statuses(25, () => send('/api/v2/teams', key))).toEqual([
      ...times(10, 200),
      ...times(15, 429),
    ]);
    expect(await statuses(6, () => send('/api/v2/teams', other))).toEqual([...times(4, 200), 429, 429]);
    const refused = await send('/api/v2/teams', other);
    expect(refused.headers.get('RateLimit')).toBe('"key";r=6;t=60, "team";r=0;t=60');
    expect((await refused.json()) as object).toMatchObject({ detail: expect.stringContaining('team') });
  });

  test('does not affect another team, from the same address or another', async () => {
    await statuses(30, () => send('/api/v2/teams', key));
    const theirs = await factories.apiKey(gateway.app, { teamId: (await factories.team(gateway.app)).id });
    expect(await statuses(10, () => send('/api/v2/teams', theirs))).toEqual(times(10, 200));
  });

  test('over OAuth pays for the client and its person, whatever the token', async () => {
    const grant = await oauthGrant(gateway.app, { teamId, scopes: ['contacts:read'] });
    const tokens = [await bearerOf(gateway.app, grant), await bearerOf(gateway.app, grant)];
    const all = [];
    for (let i = 0; i < 6; i++) all.push((await send(contacts, tokens[i % 2] ?? anonymous)).status);
    expect(all).toEqual([...times(4, 200), 429, 429]);
    const { clientId } = grant;
    const another = await bearerOf(gateway.app, await oauthGrant(gateway.app, { teamId, clientId }));
    const answer = await send(contacts, another);
    expect([answer.status, answer.headers.get('RateLimit-Policy')]).toEqual([
      200,
      '"client";q=4;w=60, "team";q=14;w=60',
    ]);
  });

  test('whose request is refused changes nothing', async () => {
    await statuses(10, () => send('/api/v2/teams', key));
    const body = JSON.stringify({ contact: { email_address: 'late@people.example' } });
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'late' };
    const create = () => send(contacts, key, { method: 'POST', headers, body });
    expect((await create()).status).toBe(429);
    const count = () =>
      prismaOf(gateway.app.store).contact.count({ where: { emailAddress: 'late@people.example' } });
    expect(await count()).toBe(0);
    vi.advanceTimersByTime(60_000);
    expect([(await create()).status, (await create()).status, await count()]).toEqual([201, 201, 1]);
  });

  test('pays for refusals and for HEAD and 304 as for answers', async () => {
    const tag = (await send(contacts, key)).headers.get('ETag') ?? '';
    const known = await send(contacts, key, { headers: { 'If-None-Match': tag } });
    const head = await send(contacts, key, { method: 'HEAD' });
    const missing = await send('/api/v2/contacts/999999', key);
    expect(
      [known, head, missing].map(({ status, headers }) => [status, headers.get('RateLimit')?.slice(0, 9)]),
    ).toEqual([
      [304, '"key";r=8'],
      [200, '"key";r=7'],
      [404, '"key";r=6'],
    ]);
  });
});

describe('costs more than a point:', () => {
  test('a page of 100 costs two points, over REST as over GraphQL', async () => {
    expect((await send(`${contacts}?per_page=50`, key)).headers.get('RateLimit')).toContain('"key";r=9');
    expect((await send(`${contacts}?per_page=100`, key)).headers.get('RateLimit')).toContain('"key";r=7');
    const query = '{ viewer { teams(first: 1) { nodes { workspaces(first: 90) { nodes { name } } } } } }';
    const { response } = await post(gateway, { query }, { caller: key });
    expect(response.headers.get('RateLimit')).toContain('"key";r=5');
  });

  test('an operation is refused before execution, and executed if enough points are left', async () => {
    const query = `{ viewer { teams { nodes { ${[1, 2, 3, 4, 5].map((i) => `w${i}: workspaces(first: 100) { nodes { id } }`).join(' ')} } } } }`;
    expect((await post(gateway, { query }, { caller: key })).data).toBeDefined();
    for (const _time of ['by the full executor', 'by the fast path']) {
      const { response, errors, data } = await post(gateway, { query }, { caller: key });
      expect([response.status, data, errors?.[0]?.extensions.code]).toEqual([
        429,
        undefined,
        'TOO_MANY_REQUESTS',
      ]);
      expect(response.headers.get('Retry-After')).toBe('60');
    }
    vi.advanceTimersByTime(60_000);
    expect((await post(gateway, { query }, { caller: key })).response.status).toBe(200);
  });

  test('each change of a mutation is a point', async () => {
    const workspaceId = JSON.stringify(contacts.split('/')[4]);
    const change = (i: number) =>
      `c${i}: createContact(input: { workspaceId: ${workspaceId}, emailAddress: "c${i}@people.example" }) { contact { id } }`;
    const query = `mutation { ${change(1)} ...more } fragment more on Mutation { ${change(2)} ${change(3)} }`;
    const { response } = await post(gateway, { query }, { caller: key });
    expect(response.headers.get('RateLimit')).toContain('"key";r=7');
  });

  test('a change pays for its events and deliveries, but not for deliveries to inactive endpoints', async () => {
    const workspaceId = BigInt(contacts.split('/')[4] ?? '');
    const endpoints = async (count: number, overrides = {}) => {
      for (let i = 0; i < count; i++)
        await factories.webhookEndpoint(gateway.app, { workspaceId, eventTypeIds: [], ...overrides });
    };
    let names = 0;
    const create = (headers = {}) =>
      send(contacts, key, {
        ...{ method: 'POST', headers: { 'Content-Type': 'application/json', ...headers } },
        body: JSON.stringify({ contact: { email_address: `person-${++names}@example.com` } }),
      });
    const left = ({ headers }: Response) => headers.get('RateLimit')?.match(/r=\d+/g);
    await endpoints(20, { deactivatedAt: new Date(), deactivationReason: 'requested' });
    expect(left(await create())).toEqual(['r=9', 'r=13']);
    await endpoints(20);
    // Two events, and each of them to twenty endpoints.
    expect(left(await create())).toEqual(['r=6', 'r=10']);
    const mutation = `mutation { createContact(input: { workspaceId: "${btoa(`Workspace:${workspaceId}`)}", emailAddress: "gql@example.com" })
      { contact { databaseId } } }`;
    const costs = { caller: key, headers: { 'GraphQL-Cost': '1' } };
    const answer = (await post(gateway, { query: mutation }, costs)) as { extensions?: unknown };
    expect(answer.extensions).toMatchObject({ cost: { points: 3, remaining: 3 } });
    // The cost is known after the change: it takes the remaining points, and is not refused.
    await endpoints(60);
    const last = await create();
    expect([last.status, left(last)]).toEqual([201, ['r=0', 'r=0']]);
    expect((await create()).status).toBe(429);
    vi.advanceTimersByTime(60_000);
    expect(left(await send('/api/v2/teams', key))).toEqual(['r=9', 'r=13']);
  });

  test('an answer has its cost on request, over both paths of execution and in refusals', async () => {
    const query = '{ viewer { teams { nodes { workspaces(first: 90) { nodes { id } } } } } }';
    const headers = { 'GraphQL-Cost': '1' };
    const costs = [];
    for (let i = 0; i < 5; i++) {
      const answer = await post(gateway, { query }, { caller: key, headers });
      costs.push((answer as unknown as { extensions: { cost: object } }).extensions.cost);
    }
    const cost = (remaining: number) => ({ points: 2, rows: 91, limit: 10, remaining, resetSeconds: 60 });
    expect(costs).toEqual([8, 6, 4, 2, 0].map(cost));
    const without = await post(
      gateway,
      { query },
      { caller: await factories.apiKey(gateway.app, { teamId }) },
    );
    expect(without).not.toHaveProperty('extensions');
  });
});

describe('requests without valid credentials', () => {
  test('are counted by address, and for IPv6 by the first 64 bits', async () => {
    const answers = await statuses(14, () => send('/api/v2', anonymous, { address: '2001:db8::1' }));
    expect(answers).toEqual([...times(12, 200), 429, 429]);
    const refused = await send('/api/v2', anonymous, { address: '2001:db8::ffff:2' });
    expect(refused.headers.get('RateLimit')).toBe('"address";r=0;t=60');
    expect((await send('/api/v2', anonymous, { address: '2001:db8:0:1::1' })).status).toBe(200);
  });

  test('cost five times as much if the credentials had to be looked up', async () => {
    expect(await statuses(4, () => send('/api/v2/teams', UNKNOWN))).toEqual([401, 401, 429, 429]);
    expect(await statuses(3, () => send('/api/v2', anonymous))).toEqual([200, 200, 429]);
  });

  test('are counted also on paths that ignore credentials', async () => {
    const path = '/.well-known/oauth-protected-resource';
    expect((await statuses(40, () => send(path, UNKNOWN))).at(-1)).toBe(429);
    // Fewer points are left than one with credentials costs.
    expect((await statuses(5, () => send('/api/v2', anonymous))).at(-1)).toBe(429);
  });

  test('do not lock out known callers at the same address', async () => {
    await statuses(7, () => send('/api/v2', anonymous));
    expect((await send('/api/v2/teams', key)).status).toBe(200);
    await statuses(10, () => send('/api/v2/teams', UNKNOWN));
    expect((await send('/api/v2/teams', UNKNOWN)).status).toBe(429);
    expect(await statuses(5, () => send('/api/v2/teams', key))).toEqual(times(5, 200));
    const newcomer = await factories.apiKey(gateway.app, { teamId });
    expect((await send('/api/v2/teams', newcomer)).status).toBe(429);
    vi.advanceTimersByTime(60_000);
    expect((await send('/api/v2/teams', newcomer)).status).toBe(200);
  });

  // Of 12 points, two such requests leave 2 at most.
  test.each([0, 1, 2])(
    'are refused without a statement when too few points are left for one, %i requests before',
    async (before) => {
      await statuses(before, () => send('/api/v2', anonymous));
      const wellFormed = () => bearer(createToken().token);
      expect((await statuses(4, () => send('/api/v2/teams', wellFormed()))).slice(0, 2)).toEqual([401, 401]);
      const login = vi.spyOn(gateway.app.lookups, 'login');
      expect((await send('/api/v2/teams', wellFormed())).status).toBe(429);
      expect(login).not.toHaveBeenCalled();
      login.mockRestore();
    },
  );

  test('pay for what they read of the schema', async () => {
    const options = (query: string) => ({
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    const ask = (query: string) => send('/graphql', anonymous, options(query));
    expect((await ask('{ __typename }')).headers.get('RateLimit')).toBe('"address";r=11;t=60');
    const full = await ask(getIntrospectionQuery());
    expect([full.status, full.headers.get('RateLimit')]).toEqual([429, '"address";r=10;t=60']);
    vi.advanceTimersByTime(60_000);
    const fresh = await ask(getIntrospectionQuery());
    expect([fresh.status, fresh.headers.get('RateLimit')]).toEqual([200, '"address";r=0;t=60']);
  });

  test('do not make health checks fail', async () => {
    await statuses(40, () => send('/api/v2', anonymous));
    expect((await send('/healthz', anonymous)).status).toBe(200);
    expect((await send('/readyz', anonymous)).status).toBe(200);
  });

  test('do not make health checks fail by health checks either, which do not count, whatever they carry', async () => {
    for (const path of ['/healthz', '/readyz'])
      for (const caller of [anonymous, UNKNOWN]) {
        expect(await statuses(40, () => send(path, caller))).toEqual(times(40, 200));
        expect((await send(path, caller)).headers.has('RateLimit')).toBe(false);
      }
    expect((await send('/api/v2', anonymous)).headers.get('RateLimit')).toBe('"address";r=11;t=60');
  });

  test('pay for other requests to the path of the health check', async () => {
    const ask = () => send('/readyz', anonymous, { method: 'POST' });
    expect(await statuses(13, ask)).toEqual([...times(12, 405), 429]);
  });
});

test('the log and the metrics have the limit that refused', async () => {
  const refused = vi.spyOn(gateway.app.metrics, 'countRateLimited');
  await statuses(11, () => send('/api/v2/teams', key));
  expect(refused.mock.calls).toEqual([['key']]);
  refused.mockRestore();
  const line = JSON.parse(gateway.logLines.at(-1) ?? '{}') as object;
  expect(line).toMatchObject({
    status: 429,
    code: 'too_many_requests',
    limit: 'key',
    apiKey: expect.any(String),
  });
});

test('0 disables a limit, and its headers', async () => {
  const env = { RATE_LIMIT_KEY: '0', RATE_LIMIT_CLIENT: '0', RATE_LIMIT_TEAM: '0', RATE_LIMIT_ADDRESS: '0' };
  const unlimited = await createGateway({ env });
  const team = await factories.team(unlimited.app);
  const caller = await factories.apiKey(unlimited.app, { teamId: team.id });
  for (const by of [caller, anonymous, UNKNOWN]) {
    const { headers } = await unlimited.send('/api/v2/teams', { caller: by });
    expect([headers.has('RateLimit'), headers.has('RateLimit-Policy')]).toEqual([false, false]);
  }
  await unlimited.close();
});

test('pages of other origins can read the headers', async () => {
  const headers = { Origin: 'http://localhost:5173' };
  const answer = await send('/api/v2/teams', key, { headers });
  const exposed = answer.headers.get('Access-Control-Expose-Headers')?.split(', ');
  expect(exposed).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy', 'Retry-After']));
});
