// The fast path gives the same bytes as Yoga, for any operation and any caller.
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { encodeCursor } from '../../../src/cursors.ts';
import { examples } from '../../../src/graphiql/app/examples.ts';
import { endOf, RowBlock } from '../../../src/rows/row-block.ts';
import { seedDemoKey } from '../../support/demo.ts';
import * as factories from '../../support/factories.ts';
import {
  type Comparison,
  createComparison,
  type GraphqlOperation,
  type GraphqlRequest,
  mustUseFastPath,
} from '../../support/fast-path.ts';
import { operations, readAsked, readTestOperations } from '../../support/fast-path-operations.ts';
import { anonymous, createGateway } from '../../support/gateway.ts';
import { oauthGrant } from '../../support/grants.ts';
import { intercept } from '../../support/graphql-statements.ts';
import { sampleAt, times } from '../../support/nightly.ts';
import { prismaOf } from '../../support/prisma.ts';

const RUNS = times(160);

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown) => unhandled.push(reason);

const gateway = await createGateway();
const caller = { authorization: `Bearer ${await seedDemoKey(gateway.app)}` };
const compare = createComparison(gateway);
const teamId = BigInt((await readAsked(gateway.app)).teamIds[0] ?? 0);
await oauthGrant(gateway.app, { teamId });
const asked = await readAsked(gateway.app);
const key = (scopes: string[], of = teamId) => factories.apiKey(gateway.app, { teamId: of, scopes });
const callers = {
  everything: { caller },
  'some scopes': { caller: await key(['account:read', 'funnels:read']) },
  'another team': { caller: await key(['read'], BigInt(asked.teamIds[1] ?? 0)) },
  'a workspace': { caller, host: `${asked.subdomains[1]}.localhost:4000` },
  nobody: { caller: anonymous },
};
// Otherwise `lastUsedAt` would be updated between two answers that contain it.
await prismaOf(gateway.app.store).apiKey.updateMany({ data: { lastUsedAt: new Date('2999-01-01') } });
process.on('unhandledRejection', onUnhandled);
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});
afterAll(async () => {
  process.off('unhandledRejection', onUnhandled);
  await gateway.close();
});

/** Compares the answers: all three are equal, and the second one is the fast path's where it must be. */
async function agree(request: GraphqlRequest): Promise<Comparison> {
  const comparison = await compare(request);
  const { byYoga, first, second, secondByFastPath, statementsByYoga, statements } = comparison;
  expect(first).toEqual(byYoga);
  expect(second).toEqual(byYoga);
  const expected = mustUseFastPath(request, comparison);
  if (expected !== null) expect(secondByFastPath).toBe(expected);
  // Objects that the fast path does not read may be missing: then their nested fields were read too.
  const isRefused = /^\{"errors"|^\{"data":\{"\w+":null/.test(byYoga.body);
  const selections = JSON.stringify(request.body).split('{').length;
  const most = isRefused ? 2 * statementsByYoga.length + selections : statementsByYoga.length;
  if (secondByFastPath) expect(statements.length).toBeLessThanOrEqual(most);
  return comparison;
}

/** As `agree`, and the fast path must give the second answer. */
async function agreeByFastPath(request: GraphqlRequest): Promise<Comparison> {
  const comparison = await agree(request);
  expect(comparison.secondByFastPath).toBe(true);
  return comparison;
}

async function agreeForEveryCaller(operation: GraphqlOperation): Promise<number> {
  let byFastPath = 0;
  for (const from of Object.values(callers)) {
    const { secondByFastPath } = await agree({ ...from, body: operation });
    if (secondByFastPath) byFastPath++;
  }
  return byFastPath;
}

describe('every existing operation', () => {
  test('GraphiQL’s examples', async () => {
    for (const { query, variables } of examples) {
      if (query.includes('mutation')) continue;
      await agreeByFastPath({ caller, body: { query, variables: JSON.parse(variables || '{}') as unknown } });
      await agreeForEveryCaller({ query, variables: JSON.parse(variables || '{}') as unknown });
    }
  });

  test('the operations of all tests', { timeout: 180_000 }, async () => {
    const all = await readTestOperations(asked);
    expect(all.length).toBeGreaterThan(60);
    let byFastPath = 0;
    const some = sampleAt('fast path', all, 10);
    for (const operation of some) byFastPath += await agreeForEveryCaller(operation);
    // About one of each operation's callers; `agree` checks for each whether it must be one.
    expect(byFastPath).toBeGreaterThan(some.length / 2);
  });
});

test('the values of enums, in rows, nested rows and variables', async () => {
  const query = `query ($of: [InvoiceStatus!], $types: [OrderType!] = [ONE_TIME]) {
    workspace(by: { subdomain: "acme" }) { team { locale }
      orders(filter: { types: $types }) { nodes { type billingStatus serviceStatus cancelReason
        lineItems { price { paymentType ... on SubscriptionPrice { interval trialInterval } } }
        invoices(filter: { statuses: $of }) { nodes { status type fulfillmentStatus lineItems { fulfillmentStatus } } } } }
      shippingPackages { nodes { type carrier distanceUnit weightUnit } }
      collections { nodes { type sortMethod } } savedFilters { nodes { conjunction } } images { nodes { status contentType } }
    } }`;
  const { byYoga } = await agreeByFastPath({
    caller,
    body: { query, variables: { of: ['PAID', 'UNPAID'] } },
  });
  for (const name of ['ONE_TIME', 'PAID', 'BOX', 'MANUAL', 'AND']) expect(byYoga.body).toContain(`"${name}"`);
  for (const text of ['one-time-order', 'paid', 'one_time', 'manual', 'and'])
    expect(byYoga.body).not.toContain(`"${text}"`);
  await agree({ caller, body: { query, variables: { of: ['paid'] } } });
});

test('generated operations', { timeout: 180_000 }, async () => {
  let byFastPath = 0;
  await fc.assert(
    fc.asyncProperty(operations(asked), async (operation) => {
      byFastPath += await agreeForEveryCaller(operation);
    }),
    // No shrinking: operations are small, and shrinking one would take as long as all runs.
    { numRuns: RUNS, endOnFailure: true },
  );
  // About 0.8 a run on average; `agree` checks for each whether it must be one.
  expect(byFastPath).toBeGreaterThan(RUNS * 0.4);
});

const PAGE = `query Page($first: Int = 2, $last: Int, $after: String, $direction: SortDirection! = DESC, $id: BigInt!, $ids: [ID!] = []) {
  workspace(by: { databaseId: $id }) {
    contacts(first: $first, last: $last, after: $after, orderBy: { direction: $direction }) {
      edges { cursor node { uuid workspace { contacts(first: $first) { nodes { workspace { contacts(first: $first) { nodes { id } } } } } } } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
  nodes(ids: $ids) { __typename id }
}`;

describe('a variant of a compiled operation', () => {
  const warmUp = () => agreeByFastPath({ caller, body: { query: PAGE, variables: { id: 1 } } });

  test.each<[string, Record<string, unknown> | null, boolean]>([
    ['no size', { first: null }, true],
    ['another page', { first: null, last: 3, direction: 'ASC' }, true],
    ['a cursor', { after: encodeCursor('contacts', 9n) }, true],
    ['digits as text', { id: '1' }, true],
    ['one for a list', { ids: btoa('Contact:1') }, true],
    ['many ids, some of nobody', { ids: ['', 'x', btoa('Contact:1'), btoa('Team:2')] }, true],
    ['a variable that is not there', { nope: 1, __proto__: 2 }, true],
    ['a required variable left out', { id: undefined }, false],
    ['null for a required one', { id: null }, false],
    ['null where a default does not help', { direction: null }, false],
    ['null for a list with a default', { ids: null }, false],
    ['another type', { first: 'x' }, false],
    ['a fraction', { first: 1.5 }, false],
    ['an unknown value of an enum', { direction: 'UP' }, false],
    ['a number beyond 64 bits', { id: '9223372036854775808' }, false],
    ['an inexact number', { id: 2 ** 60 }, false],
    ['null in a list', { ids: [null] }, false],
    ['size 0', { first: 0 }, true],
    ['a size below 0', { first: -1 }, true],
    ['both ends', { last: 1 }, true],
    ['a bad cursor', { after: 'x' }, true],
    ['another list’s cursor', { after: encodeCursor('funnels', 1n) }, true],
    ['what costs too much', { first: 100 }, true],
    ['too many ids', { ids: Array.from({ length: 101 }, () => 'x') }, true],
    ['a workspace that is not there', { id: 999_999 }, true],
    ['another team’s workspace', { id: 3 }, true],
    ['no variables', null, false],
  ])('variables: %s', async (_name, changed, byFastPath) => {
    await warmUp();
    const variables = changed === null ? null : { id: 1, ...changed };
    const { secondByFastPath } = await agree({ caller, body: { query: PAGE, variables } });
    expect(secondByFastPath).toBe(byFastPath);
    await warmUp();
  });

  const QUERY = '{ viewer { name } }';
  const NAMED = 'query A { viewer { name } } query B { viewer { scopes } }';

  test('with another content type', async () => {
    await agreeByFastPath({ caller, body: { query: QUERY } });
    await agreeByFastPath({ caller, body: { query: NAMED, operationName: 'A' } });
    await agreeByFastPath({ caller, body: { query: NAMED, operationName: 'B' } });
    const bodies = [
      { query: QUERY, nope: 1 },
      { query: QUERY, nope: null },
      { query: QUERY, extensions: {} },
      { query: QUERY, extensions: 1 },
      { query: QUERY, variables: [] },
      { query: QUERY, variables: '{}' },
      { query: QUERY, variables: null, operationName: null },
      { query: QUERY, operationName: '' },
      { query: QUERY, operationName: 1 },
      { query: QUERY, operationName: 'A' },
      { query: NAMED },
      { query: NAMED, operationName: '' },
      { query: NAMED, operationName: 'C' },
      { query: [QUERY] },
      [{ query: QUERY }],
      { variables: {} },
      // Another operation name and document with the same cache key.
      { query: `A\n${NAMED}` },
      { query: `${NAMED}\nA` },
      { query: `\n${QUERY}` },
      { query: QUERY, operationName: '\n' },
    ].map((body) => JSON.stringify(body));
    const texts = [
      `\uFEFF${JSON.stringify({ query: QUERY })}`,
      ` ${JSON.stringify({ query: QUERY })}\n`,
      `{"query":"{","query":${JSON.stringify(QUERY)}}`,
      `{"query":${JSON.stringify(QUERY)},"query":"{"}`,
      `{"query":${JSON.stringify(QUERY)},"__proto__":{"variables":1}}`,
      `{"query":${JSON.stringify(QUERY)},"variables":{"__proto__":1}}`,
      `{"query":${JSON.stringify(QUERY)}`,
      'null',
      '',
    ];
    for (const body of [...bodies, ...texts]) await agree({ caller, body });
  });

  test('with a comment, which makes it another document', async () => {
    const commented = `#A\n${QUERY}`;
    await agreeByFastPath({ caller, body: { query: commented } });
    await agree({ caller, body: { query: QUERY, operationName: '#A' } });
    await agreeByFastPath({ caller, body: { query: `#B\n${NAMED}`, operationName: 'A' } });
    await agree({ caller, body: { query: NAMED, operationName: 'A\n#B' } });
  });

  test.each([['application/json; charset=utf-8'], ['APPLICATION/JSON'], ['application/json;charset=latin1']])(
    'content type "%s"',
    async (type) => {
      await agreeByFastPath({ caller, body: { query: QUERY } });
      await agree({ caller, body: JSON.stringify({ query: QUERY }), headers: { 'Content-Type': type } });
    },
  );

  test('with parameters in the URL', async () => {
    await agreeByFastPath({ caller, body: { query: QUERY } });
    for (const search of [
      '?query=%7B__typename%7D',
      '?operationName=A',
      '?variables=%7B',
      '?extensions=x',
      '?x=1',
    ]) {
      await agree({ caller, body: JSON.stringify({ query: QUERY }), search });
    }
  });
});

describe('the Accept header', () => {
  const all = [
    '',
    '*/*',
    '*',
    'application/*',
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=latin1',
    'application/json, text/plain, */*',
    'application/graphql-response+json',
    'application/graphql-response+json, application/json;q=0.9',
    'application/json;q=0.9, application/graphql-response+json',
    'application/json;q=0, application/graphql-response+json;q=1',
    'APPLICATION/JSON',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'text/html',
    'image/png',
    'nonsense',
    'text/event-stream',
    'text/event-stream, application/json',
    'application/json, text/event-stream',
    'multipart/mixed',
    'multipart/mixed, application/json',
    'text/*',
  ];
  test.each(all)('"%s" gets the same answer', async (accept) => {
    const headers = { Accept: accept };
    for (const query of [
      '{ viewer { name } }',
      '{ __typename }',
      '{ team(by: { databaseId: 99 }) { name } }',
      '{ nope }',
    ]) {
      // A document of its own, since the fast path keeps headers for a few Accept headers of each.
      const body = { query: `# ${accept}\n${query}` };
      for (const by of [caller, anonymous]) await agree({ caller: by, body, headers });
    }
  });

  test('one operation with very many Accept headers, each with response headers of its own', async () => {
    const body = { query: '{ viewer { name scopes } }' };
    const types = new Set<string | undefined>();
    for (const accept of [...all, ...all]) {
      const { byYoga } = await agree({ caller, body, headers: { Accept: accept } });
      types.add(byYoga.headers['content-type']);
    }
    expect(types).toContain('application/json; charset=utf-8');
    expect(types).toContain('application/graphql-response+json; charset=utf-8');
  });
});

describe('the caller', () => {
  const query = `{ workspace(by: { databaseId: 1 }) { name contacts(first: 2) { nodes { uuid } } funnels(first: 2) { nodes { name } } } }`;
  const warmUp = () => agreeByFastPath({ caller, body: { query } });

  test('without credentials is never answered by the fast path', async () => {
    for (const text of [query, '{ __typename }', '{ viewer { name } }']) {
      await agreeByFastPath({ caller, body: { query: text } });
      const { firstByFastPath, secondByFastPath } = await agree({ caller: anonymous, body: { query: text } });
      expect([firstByFastPath, secondByFastPath]).toEqual([false, false]);
    }
    for (const authorization of ['Bearer nope', 'Basic Zm9vOmJhcg==', `Bearer fgw_${'0'.repeat(49)}`]) {
      const { byYoga, firstByFastPath } = await agree({ caller: { authorization }, body: { query } });
      expect([byYoga.status, firstByFastPath]).toEqual([401, false]);
    }
  });

  test('with a revoked or expired key gets 401 from then on', async () => {
    const prisma = prismaOf(gateway.app.store);
    for (const change of [
      { revokedAt: new Date() },
      { createdAt: new Date('2020-01-01'), expiresAt: new Date('2020-02-01') },
    ]) {
      const key = await factories.apiKey(gateway.app, { teamId });
      await agreeByFastPath({ caller: key, body: { query } });
      await prisma.apiKey.update({ where: { id: key.id }, data: change });
      const { byYoga, firstByFastPath, secondByFastPath } = await agree({ caller: key, body: { query } });
      expect([byYoga.status, firstByFastPath, secondByFastPath]).toEqual([401, false, false]);
    }
    await warmUp();
  });

  test('with a key that loses and regains a scope gets the matching answers', async () => {
    const key = await factories.apiKey(gateway.app, { teamId, scopes: ['read'] });
    const give = (scopes: string[]) =>
      prismaOf(gateway.app.store).apiKey.update({ where: { id: key.id }, data: { scopes } });
    const { byYoga: whole } = await agreeByFastPath({ caller: key, body: { query } });
    for (const scopes of [
      ['account:read', 'funnels:read'],
      ['account:read'],
      ['contacts:read'],
      ['webhooks:read'],
    ]) {
      await give(scopes);
      const { byYoga, firstByFastPath } = await agree({ caller: key, body: { query } });
      expect([firstByFastPath, byYoga.body.includes('INSUFFICIENT_SCOPE')]).toEqual([true, true]);
    }
    await give(['read']);
    const { first, firstByFastPath } = await agree({ caller: key, body: { query } });
    expect([first, firstByFastPath]).toEqual([whole, true]);
  });

  test('of another team, and on another host, gets its own data', async () => {
    await warmUp();
    for (const [name, from] of Object.entries(callers)) {
      const { firstByFastPath, first } = await agree({ ...from, body: { query } });
      expect([name, firstByFastPath]).toEqual([name, name !== 'nobody']);
      expect([name, /"uuid"/.test(first.body)]).toEqual([name, name === 'everything']);
    }
    const own = '{ viewer { name teams { nodes { name workspaces { nodes { name } } } } } }';
    const bodies = new Set<string>();
    for (const from of Object.values(callers))
      bodies.add((await agree({ ...from, body: { query: own } })).byYoga.body);
    expect(bodies.size).toBe(Object.keys(callers).length);
  });

  test('gets the current values of changed rows', async () => {
    const { byYoga } = await warmUp();
    await prismaOf(gateway.app.store).workspace.update({
      where: { id: 1n },
      data: { name: 'Renamed "\u2028" 🏕' },
    });
    const changed = await warmUp();
    expect(changed.firstByFastPath).toBe(true);
    expect(changed.byYoga.body).not.toBe(byYoga.body);
  });
});

describe('while the store fails', () => {
  const query = `{ workspace(by: { databaseId: 1 }) { name
    contacts(first: 3) { nodes { uuid tags { nodes { name } } } totalCount } a: contacts(first: 2) { edges { node { uuid } } }
    funnels(first: 2) { nodes { name steps { __typename name ... on PageStep { page { name } } } } } } viewer { name } }`;
  const warmUp = () => agreeByFastPath({ caller, body: { query } });

  /** Compares the answers while `watch` intercepts each statement. */
  async function during(watch: Parameters<typeof intercept>[1]): Promise<Comparison> {
    await warmUp();
    const stop = intercept(gateway, watch);
    try {
      return await agree({ caller, body: { query } });
    } finally {
      stop();
      await warmUp();
    }
  }

  test.each(['workspaces', 'contacts', 'contacts.count', 'funnels', 'funnel_steps', 'c', 'f'])(
    'failed statements that begin with "%s"',
    async (prefix) => {
      let failed = 0;
      const { byYoga, firstByFastPath } = await during((name, send) => {
        if (!name.startsWith(prefix) || /^(hosts|api_keys)\./.test(name)) return send();
        failed++;
        return Promise.reject(new TypeError(`column of ${name}`));
      });
      expect(failed).toBeGreaterThan(0);
      expect([firstByFastPath, byYoga.body.includes('"code":"INTERNAL"')]).toEqual([false, true]);
    },
  );

  test('an unreachable database', async () => {
    const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const { byYoga, firstByFastPath } = await during((name, send) =>
      /^(hosts|api_keys)\./.test(name) ? send() : Promise.reject(away),
    );
    expect([byYoga.status, firstByFastPath]).toEqual([503, false]);
  });

  test('an unexpected null in a non-null column makes the same fields null', async () => {
    const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;
    let emptied = 0;
    const { byYoga, firstByFastPath } = await during(async (_name, send) => {
      const rows = await send();
      if (!(rows instanceof RowBlock)) return rows;
      for (const [field, start] of rows.starts.entries()) {
        if (start < 0 || !UUID.test(rows.bytes.toString('latin1', start, endOf(rows.bytes, start)))) continue;
        rows.starts[field] = -1;
        emptied++;
      }
      return rows;
    });
    expect(emptied).toBeGreaterThan(0);
    expect(firstByFastPath).toBe(false);
    expect(byYoga.body).toContain('"contacts":null,"a":null,"funnels":{');
  });
});
