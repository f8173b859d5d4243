// A connection for LISTEN is trusted only while test notifications arrive over it (src/store/changing/change-listener.ts).
import { afterEach, expect, test } from 'vitest';
import { createLogger } from '../../src/output/log.ts';
import { listenForChanges } from '../../src/store/changing/change-listener.ts';
import { createStore } from '../../src/store/store.ts';
import { cloneTemplate } from '../support/gateway.ts';
import { createNetwork } from '../support/network.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Listens through a proxy, while all other connections lead directly to the database. */
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
    sqlConstants: { authOrigin: 'http://localhost:4000', workspaceOrigin: null },
    statementTimeoutMs: 5_000,
    log,
  });
  cleanups.push(() => store.close());
  let changeCount = 0;
  const listener = listenForChanges({
    store,
    log,
    onChange: () => {
      changeCount += 1;
    },
    check: { timeoutMs: 500, intervalMs: 1_000 },
  });
  cleanups.push(() => listener.close());
  return { listener, network, store, lines, changeCount: () => changeCount };
}

test('a connection without notifications never counts as live, which is logged once', async () => {
  const { listener, lines, changeCount } = await listen('A');
  let wasLive = false;
  const watch = setInterval(() => {
    wasLive ||= listener.live;
  }, 1);
  try {
    // The first test notification has not arrived.
    await expect.poll(() => lines.length, { timeout: 60_000 }).toBe(1);
    // Another attempt has been made.
    await expect.poll(changeCount, { timeout: 60_000 }).toBeGreaterThan(1);
  } finally {
    clearInterval(watch);
  }
  expect(wasLive).toBe(false);
  expect(lines).toEqual([expect.stringContaining('DATABASE_LISTEN_URL')]);
});

test('a connection that gets its own test notification is live and receives changes, and ignores test notifications of others', async () => {
  const { listener, store, changeCount } = await listen();
  await expect.poll(() => listener.live, { timeout: 60_000 }).toBe(true);
  const before = changeCount();
  await store.pool.query("select pg_notify('funnel_gateway_check_of_another', 'x')");
  await store.pool.query('notify funnel_gateway_lookups');
  await expect.poll(changeCount).toBe(before + 1);
});

test('a live connection that loses its network is detected and replaced', async () => {
  const { listener, network, lines } = await listen();
  await expect.poll(() => listener.live, { timeout: 60_000 }).toBe(true);
  network.connections[0]?.cut();
  await expect.poll(() => listener.live, { timeout: 60_000 }).toBe(false);
  expect(lines).toHaveLength(1);
  await expect.poll(() => listener.live, { timeout: 60_000 }).toBe(true);
});
