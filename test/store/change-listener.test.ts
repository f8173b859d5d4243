// Changes are trusted to be heard only by a connection that has heard something (src/store/changes.ts).
import { afterEach, expect, test } from 'vitest';
import { createLogger } from '../../src/log.ts';
import { listenForChanges } from '../../src/store/change-listener.ts';
import { createStore } from '../../src/store/store.ts';
import { cloneTemplate } from '../support/gateway.ts';
import { createNetwork } from '../support/network.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Listens over a network of the test's own, while everything else goes straight to the database. */
async function listen(losing?: string) {
  const database = await cloneTemplate();
  cleanups.push(() => database.drop());
  const network = await createNetwork(database.url, losing === undefined ? {} : { losing });
  cleanups.push(() => network.close());
  const lines: string[] = [];
  const log = createLogger('info', { write: (line) => lines.push(line) });
  const store = createStore({
    url: database.url,
    listenUrl: network.url,
    poolSize: 2,
    statementTimeoutMs: 5_000,
    log,
  });
  cleanups.push(() => store.close());
  const heard: string[] = [];
  const changes = listenForChanges({
    store,
    log,
    onChange: () => heard.push('change'),
    proof: { timeoutMs: 500, everyMs: 1_000 },
  });
  cleanups.push(() => changes.close());
  return { changes, network, store, lines, heard };
}

test('a connection that loses every notification is never live, and the log says so once', async () => {
  const { changes, lines, heard } = await listen('A');
  let wasLive = false;
  const watch = setInterval(() => {
    wasLive ||= changes.live;
  }, 1);
  try {
    // By then it has not heard what it should have.
    await expect.poll(() => lines.length, { timeout: 15_000 }).toBe(1);
    // And tried again.
    await expect.poll(() => heard.length, { timeout: 30_000 }).toBeGreaterThan(1);
  } finally {
    clearInterval(watch);
  }
  expect(wasLive).toBe(false);
  expect(lines).toEqual([expect.stringContaining('DATABASE_LISTEN_URL')]);
}, 60_000);

test('a connection that hears its proof is live, hears changes, and other proofs are none', async () => {
  const { changes, store, heard } = await listen();
  await expect.poll(() => changes.live, { timeout: 10_000 }).toBe(true);
  const before = heard.length;
  await store.pool.query("select pg_notify('funnel_gateway_proof_of_another', 'x')");
  await store.pool.query('notify funnel_gateway_lookups');
  await expect.poll(() => heard.length).toBe(before + 1);
});

test('a live connection whose network is cut is found out, and another one takes its place', async () => {
  const { changes, network, lines } = await listen();
  await expect.poll(() => changes.live, { timeout: 10_000 }).toBe(true);
  network.connections[0]?.cut();
  await expect.poll(() => changes.live, { timeout: 20_000 }).toBe(false);
  expect(lines).toHaveLength(1);
  await expect.poll(() => changes.live, { timeout: 30_000 }).toBe(true);
}, 60_000);
