// Keys and hosts are remembered for a moment, and never beyond what was committed elsewhere (src/auth/lookups.ts).
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as apiKeys from '../../src/services/operator/api-keys.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { intercept } from '../support/graphql-statements.ts';

let gateway: Gateway;
let workspace: Awaited<ReturnType<typeof factories.workspace>>;

beforeAll(async () => {
  gateway = await createGateway({ env: { LOOKUP_CACHE_MS: '60000' } });
  workspace = await factories.workspace(gateway.app, { subdomain: 'remembered' });
});
afterAll(() => gateway.close());

const newKey = () => factories.apiKey(gateway.app, { teamId: workspace.teamId });
const send = (caller: Awaited<ReturnType<typeof newKey>>, host = 'remembered.localhost:4000') =>
  gateway.send('/api/v2/teams', { caller, host });

/** The lookups that a request needs statements for. */
async function lookupsOf(work: () => Promise<unknown>): Promise<string[]> {
  const names: string[] = [];
  const stop = intercept(gateway, (name, run) => {
    if (/^(hosts\.|api_keys\.by_hash)/.test(name)) names.push(name);
    return run();
  });
  await work().finally(stop);
  return names;
}

/** Sends until key and host are remembered: listening for changes begins with the first request. */
async function untilRemembered(caller: Awaited<ReturnType<typeof newKey>>): Promise<void> {
  for (let tries = 0; (await lookupsOf(() => send(caller))).length > 0; tries++) {
    if (tries > 200) throw new Error('never remembered');
    await sleep(10);
  }
}

/** The status, once it has changed from 200. */
async function statusAfterChange(caller: Awaited<ReturnType<typeof newKey>>): Promise<number> {
  for (let tries = 0; tries < 200; tries++) {
    const { status } = await send(caller);
    if (status !== 200) return status;
    await sleep(10);
  }
  return 200;
}

test('a key and a host that are known cost no statement', async () => {
  const key = await newKey();
  await untilRemembered(key);
  expect(await lookupsOf(() => send(key))).toEqual([]);
});

test('a key that another process revokes is refused long before its time in memory is over', async () => {
  const key = await newKey();
  await untilRemembered(key);
  await gateway.app.store.pool.query('update api_keys set revoked_at = now() where id = $1', [key.id]);
  expect(await statusAfterChange(key)).toBe(401);
});

test('a key that this process revokes is refused at once', async () => {
  const key = await newKey();
  await untilRemembered(key);
  await apiKeys.revoke(gateway.app, key.id);
  expect((await send(key)).status).toBe(401);
});

test('a key expires while it is remembered', async () => {
  const key = await factories.apiKey(gateway.app, {
    teamId: workspace.teamId,
    expiresAt: new Date(Date.now() + 1_500),
  });
  await untilRemembered(key);
  await sleep(1_600);
  expect((await send(key)).status).toBe(401);
});

test('a subdomain that was given up is nobody’s', async () => {
  const key = await newKey();
  await untilRemembered(key);
  await gateway.app.store.pool.query("update workspaces set subdomain = 'renamed' where id = $1", [
    workspace.id,
  ]);
  expect(await statusAfterChange(key)).toBe(421);
  await gateway.app.store.pool.query("update workspaces set subdomain = 'remembered' where id = $1", [
    workspace.id,
  ]);
});

test('while changes cannot be heard nothing is remembered, and afterwards it is again', async () => {
  const key = await newKey();
  await untilRemembered(key);
  await gateway.app.store.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' and datname = current_database()",
  );
  for (let tries = 0; (await lookupsOf(() => send(key))).length === 0 && tries < 200; tries++) await sleep(5);
  expect(await lookupsOf(() => send(key))).toHaveLength(2);
  await untilRemembered(key);
});
