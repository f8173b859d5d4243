// Which expired rows are deleted, when, and which are kept.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cleaning } from '../../src/jobs/cleaning.ts';
import { clean } from '../../src/services/cleaning.ts';
import { revokeGrant, saveGrant } from '../../src/store/accounts/oauth-grants.ts';
import { countTry } from '../../src/store/accounts/sign-in-failures.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { oauthGrant } from '../support/grants.ts';
import { prismaOf } from '../support/prisma.ts';
import { createRestClient } from '../support/rest-client.ts';

const DAY_MS = 86_400_000;
let gateway: Gateway;
let now: Date;

beforeAll(async () => {
  gateway = await createGateway({ overrides: { clock: () => now } });
});
beforeEach(() => {
  now = new Date('2026-05-01T12:00:00Z');
});
afterAll(() => gateway.close());

const prisma = () => prismaOf(gateway.app.store);
const ago = (ms: number) => new Date(now.getTime() - ms);
const hence = (ms: number) => new Date(now.getTime() + ms);

test('one run deletes a bounded number of rows, and the job continues while there are more', async () => {
  await gateway.app.store.pool.query(
    `insert into oauth_states (model, id_hash, payload, expires_at)
      select 'Interaction', sha256(n::text::bytea), '{}', $1 from generate_series(1, 20500) n`,
    [ago(DAY_MS)],
  );
  const left = () => prisma().oauthState.count();
  expect([await clean(gateway.app, now), await left()]).toEqual([true, 500]);
  await cleaning(gateway.app).run(new AbortController().signal);
  expect(await left()).toBe(0);
});

describe('the visitors of a page', () => {
  const visitors = async (pageId: bigint, of: { workspaceId: bigint }, days: readonly string[]) =>
    gateway.app.store.pool.query(
      `insert into page_visitors (workspace_id, page_id, visitor, first_on)
        select $1, $2, gen_random_uuid(), u.day::date from unnest($3::text[]) u (day)`,
      [of.workspaceId, pageId, days],
    );
  const left = async (pageId: bigint) => {
    const { rows } = await gateway.app.store.pool.query<{ day: string }>(
      'select first_on::text as day from page_visitors where page_id = $1 order by 1',
      [pageId],
    );
    return rows.map(({ day }) => day);
  };

  test('are deleted with the visits of their day', async () => {
    const { id: workspaceId } = await factories.workspace(gateway.app);
    const page = await factories.page(gateway.app, workspaceId, 'Visited');
    const { visitsKeepDays } = gateway.app.config;
    const day = (days: number) =>
      ago(days * DAY_MS)
        .toISOString()
        .slice(0, 10);
    await visitors(page.id, { workspaceId }, [day(visitsKeepDays + 1), day(visitsKeepDays), day(0)]);
    await clean(gateway.app, now);
    expect(await left(page.id)).toEqual([day(visitsKeepDays), day(0)]);
  });

  test('are deleted in batches after the page', async () => {
    const client = await createRestClient(gateway);
    const pages = await Promise.all(
      ['Gone', 'Kept'].map((name) => factories.page(gateway.app, client.workspaceId, name)),
    );
    const [gone, kept] = pages.map(({ id }) => id) as [bigint, bigint];
    const today = Array.from({ length: 6_000 }, () => now.toISOString().slice(0, 10));
    await visitors(gone, client, today);
    await visitors(kept, client, today.slice(0, 1));
    expect((await client.send('DELETE', `/api/v2/pages/${gone}`)).status).toBe(204);
    expect([(await left(gone)).length, (await left(kept)).length]).toEqual([6_000, 1]);
    await clean(gateway.app, now);
    expect([(await left(gone)).length, (await left(kept)).length]).toEqual([0, 1]);
    const { rows } = await gateway.app.store.pool.query('select from deleted_pages');
    expect(rows).toEqual([]);
  });
});

test('a grant that never got a team is deleted after a day, and no other', async () => {
  const { id: teamId } = await factories.team(gateway.app);
  const { id: userId } = await factories.user(gateway.app);
  const { id: clientId } = await factories.oauthClient(gateway.app);
  const expiresAt = hence(365 * DAY_MS);
  await saveGrant(gateway.app.store, { key: 'unfinished', userId, clientId, payload: {}, expiresAt });
  const revoked = await oauthGrant(gateway.app, { teamId });
  await revokeGrant(gateway.app.store, { key: revoked.key }, now);
  await prisma().oauthGrant.updateMany({ data: { createdAt: now } });
  now = hence(DAY_MS - 1_000);
  await clean(gateway.app, now);
  expect(await prisma().oauthGrant.count({ where: { key: 'unfinished' } })).toBe(1);
  now = hence(2_000);
  await clean(gateway.app, now);
  expect(await prisma().oauthGrant.findMany({ select: { key: true } })).toEqual([{ key: revoked.key }]);
});

describe('a client that registered itself', () => {
  const client = (ageDays: number, overrides: object = {}) =>
    factories.oauthClient(gateway.app, { dynamic: true, createdAt: ago(ageDays * DAY_MS), ...overrides });
  const isThere = async ({ id }: { id: string }) => (await prisma().oauthClient.count({ where: { id } })) > 0;
  /** A person's grant to it. */
  const grantTo = async ({ id: clientId }: { id: string }, expiresAt: Date) =>
    oauthGrant(gateway.app, { teamId: (await factories.team(gateway.app)).id, clientId, expiresAt });

  test('is deleted after 30 days without any grant', async () => {
    const [old, young] = [await client(31), await client(29)];
    const registered = await client(31, { dynamic: false });
    const removed = await client(31, { disabledAt: now });
    await clean(gateway.app, now);
    expect(await Promise.all([old, young, registered, removed].map(isThere))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  test('stays while a grant is active, and 30 days longer, because people come back', async () => {
    const [live, expired, revoked] = [await client(400), await client(400), await client(400)];
    await grantTo(live, hence(DAY_MS));
    await grantTo(expired, ago(29 * DAY_MS));
    const { key } = await grantTo(revoked, hence(400 * DAY_MS));
    await revokeGrant(gateway.app.store, { key }, ago(29 * DAY_MS));
    const all = () => Promise.all([live, expired, revoked].map(isThere));
    await clean(gateway.app, now);
    expect(await all()).toEqual([true, true, true]);
    now = hence(2 * DAY_MS);
    await clean(gateway.app, now);
    expect(await all()).toEqual([true, false, false]);
  });
});

test('the newest 10,000 self-registered clients stay, and those with a grant', async () => {
  const { id: teamId } = await factories.team(gateway.app);
  const { id: granted } = await factories.oauthClient(gateway.app, { dynamic: true, createdAt: ago(DAY_MS) });
  await oauthGrant(gateway.app, { teamId, clientId: granted });
  const { id: operators } = await factories.oauthClient(gateway.app, { createdAt: ago(DAY_MS) });
  await gateway.app.store.pool.query(
    `insert into oauth_clients (id, name, metadata, dynamic, created_at)
      select 'flood-' || n, 'Flood', '{}', true, $1::timestamptz + n * interval '1 ms' from generate_series(1, 10010) n`,
    [ago(3_600_000)],
  );
  await clean(gateway.app, now);
  const left = await prisma().oauthClient.findMany({ where: { name: 'Flood' }, select: { id: true } });
  expect(left).toHaveLength(10_000);
  expect(left.map(({ id }) => id)).not.toContain('flood-10');
  expect(await prisma().oauthClient.count({ where: { id: { in: [granted, operators] } } })).toBe(2);
});

test('a count of attempts is deleted once its window is over', async () => {
  const { store } = gateway.app;
  await countTry(store, 'longest', now, 3_600_000);
  now = hence(3_600_000 - 1);
  await clean(gateway.app, now);
  expect(await prisma().signInFailure.count()).toBe(1);
  now = hence(2);
  await clean(gateway.app, now);
  expect(await prisma().signInFailure.count()).toBe(0);
});

test('without anything to delete, no process clears its caches', async () => {
  const client = await gateway.app.store.pool.connect();
  const heard: string[] = [];
  client.on('notification', ({ channel }) => heard.push(channel));
  await client.query('listen funnel_gateway_lookups');
  await clean(gateway.app, now);
  await client.query('select');
  client.release(true);
  expect(heard).toEqual([]);
});

describe('the record of an idempotency key', () => {
  const records = () => prisma().idempotencyRecord.findMany({ select: { keyHash: true } });
  async function record(workspaceId: bigint, byte: number, createdAt: Date) {
    const keyHash = new Uint8Array(32).fill(byte);
    const data = { workspaceId, keyHash, requestHash: keyHash, outcome: 'updated', auditEntryId: 1n };
    await prisma().idempotencyRecord.create({ data: { ...data, createdAt } });
    return { keyHash };
  }

  test('is deleted once no retry can use it any more, in batches, and no other', async () => {
    const { id: workspaceId } = await factories.workspace(gateway.app);
    await gateway.app.store.pool.query(
      `insert into idempotency_records (workspace_id, key_hash, request_hash, outcome, audit_entry_id, created_at)
        select $1, sha256(n::text::bytea), sha256(''), 'created', 1, $2 from generate_series(1, 1500) n`,
      [workspaceId, ago(2 * DAY_MS)],
    );
    const young = await record(workspaceId, 1, ago(DAY_MS));
    expect(await clean(gateway.app, now)).toBe(false);
    expect(await records()).toEqual([young]);
    now = hence(10 * 60_000 + 1);
    await clean(gateway.app, now);
    expect(await records()).toEqual([]);
  });
});
