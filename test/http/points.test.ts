// The costs of requests besides their rows: bodies, answers, compression, look-ups, refused fields and documents.
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { anonymous, type Caller, createGateway, type Gateway } from '../support/gateway.ts';

let gateway: Gateway;
let key: Caller;
let workspaceId: bigint;
let contacts: string;

beforeAll(async () => {
  gateway = await createGateway();
  const workspace = await factories.workspace(gateway.app);
  workspaceId = workspace.id;
  key = await factories.apiKey(gateway.app, { teamId: workspace.teamId });
  contacts = `/api/v2/workspaces/${workspaceId}/contacts`;
  const text = 'x'.repeat(2_000);
  const custom_attributes = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`a${i}`, text]));
  // A page of all of them has some 600 kB.
  for (let i = 0; i < 10; i++) await post(contacts, { contact: { first_name: `P${i}`, custom_attributes } });
});
afterAll(() => gateway.close());

type Options = Parameters<Gateway['send']>[1];

async function send(path: string, options: Options = {}): Promise<{ status: number; left: number }> {
  const { status, headers } = await gateway.send(path, { caller: key, ...options });
  return { status, left: Number(/"(?:key|address)";r=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1]) };
}

const post = (path: string, body: object, options: Options = {}) =>
  send(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...options,
  });
const graphql = (query: string, variables = {}) => post('/graphql', { query, variables });
const inWorkspace = (selections: string) =>
  `{ workspace(by: { databaseId: "${workspaceId}" }) { ${selections} } }`;
const many = (count: number, text: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ');

/** The cost of the last of several equal requests: the first one also pays for the validation of its document. */
async function pointsOf(ask: () => Promise<{ left: number }>, times = 3): Promise<number> {
  let before = (await send('/api/v2/teams')).left;
  let points = Number.NaN;
  for (let i = 0; i < times; i++) {
    const { left } = await ask();
    points = before - left;
    before = left;
  }
  return points;
}

test('a small page and a small operation cost a point', async () => {
  expect(await pointsOf(() => send('/api/v2/teams'))).toBe(1);
  expect(await pointsOf(() => graphql(inWorkspace('contacts(first: 5) { nodes { id } }')))).toBe(1);
});

test('a body costs a point for each 48 kB, refused or not', async () => {
  const body = (length: number) => ({ contact: { first_name: 'x'.repeat(length) } });
  expect(await pointsOf(() => post(contacts, body(3_000)))).toBe(1);
  expect(await pointsOf(() => post(contacts, body(100_000)))).toBe(3);
  const query = inWorkspace('name');
  expect(await pointsOf(() => graphql(query, { x: 'x'.repeat(200_000) }))).toBe(5);
  const members = Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`m${index}`, 0]));
  expect(await pointsOf(() => post(contacts, members)), 'of 4,000 members').toBe(3);
});

test('a point covers 32 kB of an answer, or 16 kB that are compressed', async () => {
  const { headers } = await gateway.send(`${contacts}?per_page=100`, { caller: key });
  const bytes = Number(headers.get('content-length') ?? 0) || (await bodyOf(`${contacts}?per_page=100`));
  expect(await pointsOf(() => send(`${contacts}?per_page=100`))).toBe(Math.floor(bytes / 32_768));
  // The time goes into making an answer, not into sending it.
  const known = { headers: { 'If-None-Match': headers.get('etag') ?? '' } };
  expect(await pointsOf(() => send(`${contacts}?per_page=100`, known))).toBe(Math.floor(bytes / 32_768));
  for (const coding of ['gzip', 'zstd'])
    expect(
      await pointsOf(() => send(`${contacts}?per_page=100`, { headers: { 'Accept-Encoding': coding } })),
    ).toBe(Math.floor((2 * bytes) / 32_768));
  const query = inWorkspace('contacts(first: 100) { nodes { customAttributes { name value } } }');
  expect(await pointsOf(() => graphql(query), 1)).toBeGreaterThan(15);
  expect(await pointsOf(() => graphql(query))).toBeGreaterThan(15);
});

async function bodyOf(path: string): Promise<number> {
  return (await (await gateway.send(path, { caller: key })).arrayBuffer()).byteLength;
}

test('look-ups and lists beyond ten cost as much as five rows each', async () => {
  const query = inWorkspace(
    many(
      50,
      (i) => `p${i}: contacts(first: 1, filter: { emailAddresses: "p${i}@example.com" }) { nodes { id } }`,
    ),
  );
  // 51 rows, and 41 look-ups above ten.
  expect(await pointsOf(() => graphql(query))).toBe(Math.ceil((51 + 41 * 5) / 50));
});

test('refused fields cost a point for each eight', async () => {
  const query = inWorkspace(many(40, (i) => `p${i}: contacts(first: 1, after: "${i}") { nodes { id } }`));
  expect(await pointsOf(() => graphql(query))).toBe(Math.ceil((41 + 31 * 5) / 50) + 5);
});

test('a new document costs a point for each hundred tokens', async () => {
  const query = inWorkspace(`name ${many(300, (i) => `a${i}: name`)}`);
  expect(await pointsOf(() => graphql(query), 1)).toBeGreaterThan(8);
  expect(await pointsOf(() => graphql(query))).toBe(1);
});

test('the cost of an answer is taken even if fewer points are left, and refuses nothing', async () => {
  const few = await createGateway({ env: { RATE_LIMIT_KEY: '5' } });
  const { id, teamId } = await factories.workspace(few.app);
  const caller = await factories.apiKey(few.app, { teamId });
  const query = `{ workspace(by: { databaseId: "${id}" }) { ${many(300, (i) => `a${i}: name`)} } }`;
  const ask = () =>
    few.send('/graphql', {
      caller,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query }),
    });
  const first = await ask();
  expect([first.status, first.headers.get('RateLimit')]).toEqual([
    200,
    expect.stringMatching(/^"key";r=0;t=\d+, "team";r=/),
  ]);
  expect((await few.send('/api/v2/teams', { caller })).status).toBe(429);
  await few.close();
});

test('a large body without valid credentials is refused before it is parsed', async () => {
  // The error shows whether it was parsed, because it is not JSON.
  const body = `{${' '.repeat(20_000)}`;
  const headers = { 'Content-Type': 'application/json' };
  for (const caller of [anonymous, { authorization: `Bearer fgw_${'x'.repeat(49)}` }]) {
    const answer = await gateway.send('/graphql', { caller, method: 'POST', headers, body });
    expect(answer.status).toBe(401);
    expect(await answer.text()).toContain('16384 bytes');
  }
  const announced = { ...headers, 'Content-Length': '200000' };
  const unread = await gateway.send('/graphql', { method: 'POST', headers: announced, body: '{}' });
  expect(unread.status).toBe(401);
  const withKey = await gateway.send('/graphql', { caller: key, method: 'POST', headers, body });
  expect(withKey.status).toBe(400);
  const small = await gateway.send('/graphql', {
    method: 'POST',
    headers,
    body: JSON.stringify({ query: '{ __schema { queryType { name } } }' }),
  });
  expect(small.status).toBe(200);
});

test.each(['ids', '$&', "$'"])(
  'a variable %s with more than 10,000 values is refused by its name',
  async (name) => {
    const ids = Array.from({ length: 10_001 }, () => null);
    const answer = await gateway.send('/graphql', {
      caller: key,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        query: 'query ($ids: [ID!]! = []) { nodes(ids: $ids) { id } }',
        variables: { [name]: ids },
      }),
    });
    expect(await answer.json()).toMatchObject({
      errors: [{ message: `There are more than 10000 values in the variable ${name}.` }],
    });
  },
);
