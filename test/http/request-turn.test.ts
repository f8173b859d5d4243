// Queue slots for teams: requests through the real handler, which queue once their callers are known.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FairQueue } from '../../src/concurrency/fair-queue.ts';
import { type Metrics, noMetrics } from '../../src/telemetry/metrics.ts';
import * as factories from '../support/factories.ts';
import { type Caller, createGateway, type Gateway } from '../support/gateway.ts';

let gateway: Gateway;
let busy: Caller;
let quiet: Caller;
let contacts: string;
let operation: string;
let turns: FairQueue;
/** The weight in progress and the number of waiting requests, in each turn of the event loop and at each answer. */
const seen: number[][] = [];

beforeAll(async () => {
  const watching: Metrics = {
    ...noMetrics,
    watch(_kind, name, read) {
      if (name === 'turns') turns = read() as unknown as FairQueue;
    },
  };
  gateway = await createGateway({ overrides: { metrics: watching } });
  const workspace = await factories.workspace(gateway.app);
  busy = await factories.apiKey(gateway.app, { teamId: workspace.teamId });
  const other = await factories.workspace(gateway.app);
  quiet = await factories.apiKey(gateway.app, { teamId: other.teamId });
  contacts = `/api/v2/workspaces/${other.id}/contacts`;
  const lists = Array.from({ length: 20 }, (_, i) => `p${i}: contacts(first: 100) { nodes { id } }`);
  operation = `{ workspace(by: { databaseId: "${workspace.id}" }) { ${lists.join(' ')} } }`;
  // The first operation waits until the GraphQL API is loaded.
  await Promise.all(operations(1, quiet));
});
afterAll(() => gateway.close());

const operations = (count: number, caller: Caller) =>
  Array.from({ length: count }, () =>
    gateway.send('/graphql', {
      caller,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: operation }),
      address: '192.0.2.1',
    }),
  );

test('two of one team’s many requests run at a time, and another team is answered meanwhile', async () => {
  // The most that wait are between two answers.
  let isOver = false;
  const watch = () => {
    seen.push([turns.running, turns.waiting]);
    if (!isOver) setImmediate(watch);
  };
  watch();
  const all = operations(24, busy).map(async (one) => {
    const response = await one;
    seen.push([turns.running, turns.waiting]);
    return [response.status, response.ok ? '' : await response.text()];
  });
  const page = await gateway.send(contacts, { caller: quiet, address: '192.0.2.1' });
  expect(page.status).toBe(200);
  expect(new Set((await Promise.all(all)).map(String))).toEqual(new Set(['200,']));
  isOver = true;
  expect(Math.max(...seen.map(([, waiting = 0]) => waiting))).toBeGreaterThan(12);
  // The other team's page has the weight of one.
  expect(Math.max(...seen.map(([running = 0]) => running))).toBeLessThanOrEqual(65);
  expect([turns.running, turns.waiting, turns.keys]).toEqual([0, 0, 0]);
});
