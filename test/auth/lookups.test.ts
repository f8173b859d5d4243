// Keys and hosts are cached for a moment, and never longer than another process's committed change (src/auth/lookups.ts).
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as apiKeys from '../../src/services/operator/api-keys.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { intercept } from '../support/graphql-statements.ts';

/** How far the gateway's clock is ahead. */
let aheadMs = 0;
const gateway = await ownGateway({
  env: { LOOKUP_CACHE_MS: '60000' },
  overrides: { clock: () => new Date(Date.now() + aheadMs) },
});
const workspace = await factories.workspace(gateway.app, { subdomain: 'remembered' });

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

const POLL = { timeout: 10_000, interval: 10 };

/** Sends until key and host are cached: listening for changes starts with the first request. */
async function untilRemembered(caller: Awaited<ReturnType<typeof newKey>>): Promise<void> {
  await expect.poll(() => lookupsOf(() => send(caller)), POLL).toEqual([]);
}

/** The status, once it has changed from 200. */
async function statusAfterChange(caller: Awaited<ReturnType<typeof newKey>>): Promise<number> {
  let status = 200;
  const ask = async () => {
    ({ status } = await send(caller));
    return status;
  };
  await expect.poll(ask, POLL).not.toBe(200);
  return status;
}

test('a cached key and a cached host need no statement', async () => {
  const key = await newKey();
  await untilRemembered(key);
  expect(await lookupsOf(() => send(key))).toEqual([]);
});

test('a key that another process revokes is refused long before its cache entry expires', async () => {
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

test('a cached key still expires on time', async () => {
  const key = await factories.apiKey(gateway.app, {
    teamId: workspace.teamId,
    expiresAt: new Date(Date.now() + 50_000),
  });
  // The cache may be cleared in between, because of a revocation above: then it is tried again.
  const lookupsOnceExpired = async () => {
    aheadMs = 0;
    await untilRemembered(key);
    aheadMs = 50_001;
    return lookupsOf(async () => expect((await send(key)).status).toBe(401));
  };
  await expect.poll(lookupsOnceExpired, POLL).toEqual([]);
  aheadMs = 0;
});

test('a released subdomain is unknown at once', async () => {
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

test('nothing is cached while the change listener is down; caching resumes with it', async () => {
  const key = await newKey();
  await untilRemembered(key);
  await gateway.app.store.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' and datname = current_database()",
  );
  await expect.poll(() => lookupsOf(() => send(key)), POLL).not.toEqual([]);
  expect((await lookupsOf(() => send(key))).toSorted()).toEqual(['api_keys.by_hash', 'hosts.subdomain']);
  await untilRemembered(key);
});

describe('a change without an effect sends no notification', () => {
  let listener: pg.Client;
  let heard = 0;
  beforeAll(async () => {
    listener = new pg.Client(gateway.app.store.listening);
    listener.on('notification', () => {
      heard += 1;
    });
    await listener.connect();
    await listener.query('listen funnel_gateway_lookups');
  });
  afterAll(() => listener.end());

  /** The number of notifications that a statement sends before one that surely arrives. */
  async function told(text: string): Promise<number> {
    await gateway.app.store.pool.query(text);
    await listener.query('select');
    const before = heard;
    heard = 0;
    return before;
  }

  test.each([
    'api_keys set revoked_at = now()',
    'api_keys set name = name',
    'teams set subdomain = subdomain',
    'workspaces set subdomain = subdomain',
    'custom_domains set host = host',
    'users set name = name',
    'team_members set role = role',
    'oauth_clients set name = name',
    'oauth_grants set revoked_at = now()',
    'oauth_access_tokens set revoked_at = now()',
    'signing_keys set active_at = active_at',
  ])('update %s of no row, or to what it is', async (update) => {
    await newKey();
    heard = 0;
    expect(await told(`update ${update}${update.includes('now()') ? ' where false' : ''}`)).toBe(0);
    expect(await told(`delete from ${update.split(' ')[0]} where false`)).toBe(0);
  });

  test('a change sends one notification, however many rows it changes', async () => {
    for (let made = 0; made < 3; made++) await newKey();
    heard = 0;
    expect(await told("update api_keys set name = name || '.'")).toBe(1);
    const key = await newKey();
    expect(await told(`delete from api_keys where id = ${key.id}`)).toBe(1);
  });
});

/** A function that revokes a key as a caller of its team does. */
async function revocationOf({ id }: Awaited<ReturnType<typeof newKey>>): Promise<() => Promise<Response>> {
  const caller = await factories.apiKey(gateway.app, {
    teamId: workspace.teamId,
    scopes: ['account:read', 'account:write', 'read'],
  });
  const apiKeyId = btoa(`ApiKey:${id}`);
  return () =>
    gateway.send('/graphql', {
      caller,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        query: `mutation { revokeApiKey(input: { apiKeyId: "${apiKeyId}" }) { __typename } }`,
      }),
    });
}

test('a revocation is answered only when no process accepts the key any more, also if another revocation was first', async () => {
  const key = await newKey();
  const revoke = await revocationOf(key);
  await gateway.app.lookups.forget();
  await untilRemembered(key);
  // Waits: the cache was cleared a moment ago.
  const answers = [revoke(), revoke(), revoke()];
  await Promise.race(answers);
  expect((await send(key)).status).toBe(401);
  for (const answer of await Promise.all(answers)) expect(await answer.json()).not.toHaveProperty('errors');
});

test('repeated revocations of a key clear it from caches once', async () => {
  const revoke = await revocationOf(await newKey());
  expect(await (await revoke()).json()).not.toHaveProperty('errors');
  // Longer than the pause between two clearings of the cache. Nothing shows that none is due any more.
  await sleep(600);
  const known = await newKey();
  await untilRemembered(known);
  for (let tries = 0; tries < 3; tries++) await revoke();
  // A clearing would have been made by now.
  await sleep(300);
  expect(await lookupsOf(() => send(known))).toEqual([]);
});

test('frequent revocations cause only a few look-ups of other keys a second, and no key is used after its end', async () => {
  const known = await newKey();
  await untilRemembered(known);
  const keys = await Promise.all(Array.from({ length: 30 }, newKey));
  let lookups = 0;
  const startedAt = performance.now();
  for (const key of keys) {
    await gateway.app.store.pool.query('update api_keys set revoked_at = now() where id = $1', [key.id]);
    lookups += (await lookupsOf(() => send(known))).length;
  }
  const clearings = 2 + Math.floor((performance.now() - startedAt) / 250);
  // Key and host.
  expect(lookups).toBeLessThanOrEqual(2 * clearings);
  expect(lookups).toBeLessThan(2 * keys.length);
  await apiKeys.revoke(gateway.app, known.id);
  expect((await send(known)).status).toBe(401);
});

test('entries with very many workspaces are evicted early: all entries together have a bounded size', async () => {
  const { lookups } = gateway.app;
  const workspaceIds = Array.from({ length: 10_000 }, (_, index) => 10n ** 17n + BigInt(index));
  const key = await newKey();
  await untilRemembered(key);
  for (let index = 0; index < 100; index++)
    await lookups.remember(`many ${index}`, async () => ({ workspaceIds }));
  let isKnown = true;
  await lookups.remember('many 0', async () => {
    isKnown = false;
    return null;
  });
  expect(isKnown).toBe(false);
});
