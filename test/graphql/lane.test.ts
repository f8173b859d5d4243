// Both ways to an answer, Yoga's and the short lane's, say the same, to the byte, whatever is asked and whoever asks.
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { examples } from '../../src/graphiql/app/examples.ts';
import { seedDemoKey } from '../support/demo.ts';
import * as factories from '../support/factories.ts';
import { anonymous, type Caller, createGateway, type Gateway } from '../support/gateway.ts';
import {
  type Comparison,
  createLanes,
  type LaneOperation,
  type LaneRequest,
  mustBeByLane,
} from '../support/lane.ts';
import { type Asked, operations, readAsked, readTestOperations } from '../support/lane-operations.ts';

let gateway: Gateway;
let bothLanes: (request: LaneRequest) => Promise<Comparison>;
let asked: Asked;
let caller: Caller;
let teamId: bigint;
let callers: Readonly<Record<string, Omit<LaneRequest, 'body'>>>;

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown) => unhandled.push(reason);

beforeAll(async () => {
  gateway = await createGateway();
  caller = { authorization: `Bearer ${await seedDemoKey(gateway.app)}` };
  bothLanes = createLanes(gateway);
  asked = await readAsked(gateway.app);
  teamId = BigInt(asked.teamIds[0] ?? 0);
  const key = (scopes: string[], of = teamId) => factories.apiKey(gateway.app, { teamId: of, scopes });
  callers = {
    everything: { caller },
    'some scopes': { caller: await key(['account:read', 'funnels:read']) },
    'another team': { caller: await key(['read'], BigInt(asked.teamIds[1] ?? 0)) },
    'a workspace': { caller, host: `${asked.subdomains[1]}.localhost:4000` },
    nobody: { caller: anonymous },
  };
  process.on('unhandledRejection', onUnhandled);
});
afterEach(() => expect(unhandled).toEqual([]));
afterAll(async () => {
  process.off('unhandledRejection', onUnhandled);
  await gateway.close();
});

/** Asks both; what was asked three times is the same three times, from where it has to come. */
async function agree(request: LaneRequest): Promise<Comparison> {
  const comparison = await bothLanes(request);
  const { byYoga, first, second, secondByLane, statementsByYoga, statements } = comparison;
  expect(first).toEqual(byYoga);
  expect(second).toEqual(byYoga);
  const expected = mustBeByLane(request, comparison);
  if (expected !== null) expect(secondByLane).toBe(expected);
  if (secondByLane) expect(statements.length).toBeLessThanOrEqual(statementsByYoga.length);
  return comparison;
}

/** As `agree`, and the lane gave the answer. */
async function agreeByLane(request: LaneRequest): Promise<Comparison> {
  const comparison = await agree(request);
  expect(comparison.secondByLane).toBe(true);
  return comparison;
}

async function agreeForEveryCaller(operation: LaneOperation): Promise<number> {
  let byLane = 0;
  for (const from of Object.values(callers)) {
    const { secondByLane } = await agree({ ...from, body: operation });
    if (secondByLane) byLane++;
  }
  return byLane;
}

describe('both lanes agree for every caller, and the lane runs no more statements', () => {
  test('on the examples of the explorer, which the lane answers', async () => {
    for (const { query, variables } of examples.filter((example) => !example.query.includes('mutation'))) {
      const body = { query, variables: JSON.parse(variables || '{}') as unknown };
      await agreeByLane({ caller, body });
      await agreeForEveryCaller(body);
    }
  });

  test('on every operation of the tests', async () => {
    const all = await readTestOperations(asked);
    expect(all.length).toBeGreaterThan(60);
    let byLane = 0;
    for (const operation of all) byLane += await agreeForEveryCaller(operation);
    expect(byLane).toBeGreaterThan(100);
  });

  test('on generated operations', async () => {
    let byLane = 0;
    await fc.assert(
      fc.asyncProperty(operations(asked), async (operation) => {
        byLane += await agreeForEveryCaller(operation);
      }),
      { numRuns: 150 },
    );
    expect(byLane).toBeGreaterThan(100);
  });
});

const PAGE =
  'query ($n: Int, $after: String) { workspace(subdomain: "acme") { contacts(first: $n, after: $after) { nodes { id } } } }';

test.each([
  ['a page size of zero', { n: 0 }],
  ['a page size of the wrong type', { n: 'ten' }],
  ['a cursor of another list', { after: Buffer.from('funnels:1').toString('base64url') }],
  ['no cursor at all', { after: 'x' }],
  ['a variable that is not declared', { m: 1 }],
  ['a null', { n: null }],
  ['a page size beyond the cap', { n: 1_000 }],
])('both lanes agree on %s once the lane knows the operation', async (_what, variables) => {
  await agreeByLane({ caller, body: { query: PAGE, variables: { n: 2 } } });
  await agree({ caller, body: { query: PAGE, variables } });
});

test.each([
  '',
  '*/*',
  'application/json',
  'application/graphql-response+json',
  'application/graphql-response+json;q=0.5, application/json',
  'text/html',
])('both lanes agree on the media type for Accept: %s', async (accept) => {
  const headers = accept === '' ? {} : { accept };
  const { second } = await agree({ caller, body: { query: '{ viewer { name } }' }, headers });
  expect(second.headers['content-type']).toMatch(/^application\/(graphql-response\+)?json/);
});

test('a key that is revoked is refused for an operation that the lane knows', async () => {
  const key = await factories.apiKey(gateway.app, { teamId });
  const body = { query: '{ viewer { name scopes } }' };
  await agreeByLane({ caller: key, body });
  await gateway.app.store.prisma.apiKey.update({ where: { id: key.id }, data: { revokedAt: new Date() } });
  expect((await agree({ caller: key, body })).second.status).toBe(401);
});
