// A database that does not answer at all: requests are refused at once, and served when it answers again.
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { type Caller, createGateway, type Gateway } from '../support/gateway.ts';
import { createNetwork, type Network } from '../support/network.ts';

let gateway: Gateway;
let network: Network;
let direct: string;
let caller: Caller;
let workspaceId: bigint;

beforeAll(async () => {
  gateway = await createGateway({
    // Without the watch, requests to a silent database are not answered during a test.
    env: { STATEMENT_TIMEOUT_MS: '600000', REQUEST_TIMEOUT_MS: '600000', POOL_SIZE: '4' },
    async through(url) {
      direct = url;
      network = await createNetwork(url);
      return network.url;
    },
  });
  const workspace = await factories.workspace(gateway.app);
  workspaceId = workspace.id;
  caller = await factories.apiKey(gateway.app, { teamId: workspace.teamId });
  gateway.app.store.watchDatabase();
});
afterAll(async () => {
  await gateway.close();
  await network.close();
});

const list = () => `/api/v2/workspaces/${workspaceId}/contacts`;
const page = () => gateway.send(list(), { caller });
const create = (key: string) =>
  gateway.send(list(), {
    caller,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify({ contact: { email_address: `${key}@example.com` } }),
  });
const query = () =>
  gateway.send('/graphql', {
    caller,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      query: `{ workspace(by: { databaseId: "${workspaceId}" }) { contacts(first: 1) { nodes { id } } } }`,
    }),
  });
const POLL = { timeout: 60_000, interval: 10 };
const isSaid = (message: string) => gateway.logLines.some((line) => line.includes(message));

/** Another session locks the contacts during `work`. @param work gets a function that waits until this many wait for the lock */
async function whileLocked(work: (untilWaiting: (count: number) => Promise<void>) => Promise<void>) {
  const other = new pg.Client({ connectionString: direct });
  await other.connect();
  try {
    await other.query('begin; lock table contacts in access exclusive mode');
    await work(async (count) => {
      const waiting = async () => {
        const { rows } = await other.query<{ waiting: number }>(
          'select count(distinct pid)::int as waiting from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())',
        );
        return rows[0]?.waiting;
      };
      await expect.poll(waiting, POLL).toBeGreaterThanOrEqual(count);
    });
    await other.query('rollback');
  } finally {
    await other.end();
  }
}

test('open and new requests are refused at once, and served when the database answers again', async () => {
  const underWay: Promise<Response>[] = [];
  await whileLocked(async (untilWaiting) => {
    underWay.push(page(), query(), create('under-way'));
    await untilWaiting(3);
    network.silence();
    const [read, graphql, write] = await Promise.all(underWay);
    for (const response of [read, graphql, write]) {
      expect(response?.status).toBe(503);
      expect(response?.headers.get('retry-after')).not.toBeNull();
    }
    // Its commit was not sent.
    expect(await write?.text()).toContain('Nothing was changed');
  });
  const opened = network.connections.length;
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, index) => [page(), query(), create(`new-${index}`)]).flat(),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
  for (const answer of answers) expect(await answer.text()).not.toContain('may have been made');
  // Probes only.
  expect(network.connections.length - opened).toBeLessThan(answers.length / 3);
  expect(isSaid('the database does not answer')).toBe(true);

  network.heal();
  await expect.poll(async () => (await page()).status, POLL).toBe(200);
  expect((await create('new-1')).status).toBe(201);
  // Until PostgreSQL has noticed that the first change was abandoned, its key is in use.
  await expect.poll(async () => (await create('under-way')).status).toBe(201);
  expect((await create('under-way')).status).toBe(201);
  expect(await (await page()).json()).toHaveLength(2);
  expect((await query()).status).toBe(200);
});

test('a slow database does not count as unreachable', async () => {
  const before = gateway.logLines.length;
  const slow: Promise<Response>[] = [];
  await whileLocked(async (untilWaiting) => {
    const underWay = [page(), create('slow')];
    await untilWaiting(2);
    // Two probes are made, and answered.
    const opened = network.connections.length;
    await expect.poll(() => network.connections.length, POLL).toBeGreaterThanOrEqual(opened + 4);
    slow.push(...underWay);
  });
  expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([200, 201]);
  expect((await create('slow')).status).toBe(201);
  expect(gateway.logLines.slice(before).join()).not.toContain('does not answer');
});
