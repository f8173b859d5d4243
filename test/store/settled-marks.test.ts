// The limits of a high-water mark: not for another database, not for an earlier page; and lists without one.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { intercept } from '../support/graphql-statements.ts';
import { contactsOf, createSessions } from '../support/open-transactions.ts';

let workspaceId: bigint;
const sessions = createSessions(() => gateway);
const { connect } = sessions;
const { insert, begin, list } = contactsOf(sessions, () => ({ gateway, caller, workspaceId }));

/** How often a key was looked up. */
let lookUps = 0;

const gateway = await ownGateway({ env: { LOOKUP_CACHE_MS: '60000' } });
intercept(gateway, (name, send) => {
  if (name.startsWith('api_keys.')) lookUps += 1;
  return send();
});
const teamId = (await factories.team(gateway.app)).id;
const caller = (await factories.apiKey(gateway.app, { teamId })) as { authorization: string };
beforeEach(async () => {
  workspaceId = (await factories.workspace(gateway.app, { teamId })).id;
});
afterEach(() => sessions.endAll());

test('a high-water mark is not used against another database: it is read anew after a lost connection', async () => {
  const writer = await connect();
  const kept = [await insert(writer), await insert(writer)];
  expect(await list()).toEqual(kept);
  // As after a crash, or in a promoted replica, which has an earlier state of the sequence.
  await writer.query("select setval('contacts_id_seq', currval('contacts_id_seq') + 1000)");
  const ahead = await insert(writer);
  expect(await list()).toEqual([...kept, ahead]);
  await writer.query('delete from contacts where id = $1', [ahead]);
  await writer.query("select setval('contacts_id_seq', $1)", [kept.at(-1)]);
  await writer.query(
    'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  const late = await begin();
  await insert(writer);
  await expect.poll(() => list().catch(() => null)).toEqual(kept);
  await late.client.query('rollback');
});

test('lists are refused if the high-water mark is unavailable; look-ups by id are not', async () => {
  const writer = await connect();
  const id = await insert(writer);
  await writer.query('alter function horizons rename to hidden');
  try {
    const response = await gateway.send(`/api/v2/workspaces/${workspaceId}/contacts`, { caller });
    expect(response.status).toBe(503);
    expect((await gateway.send(`/api/v2/contacts/${id}`, { caller })).status).toBe(200);
  } finally {
    await writer.query('alter function hidden rename to horizons');
  }
  expect(await list()).toEqual([id]);
});

test('a page is compared with the high-water mark from before its read, not with a later one', async () => {
  const writer = await connect();
  const first = await insert(writer);
  const late = await begin();
  const second = await insert(writer);
  const { promise: mayGo, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: isRead, resolve: tellRead } = Promise.withResolvers<void>();
  let isFirst = true;
  const stop = intercept(gateway, async (name, send) => {
    const isHeld = isFirst && name.startsWith('contacts.under');
    if (isHeld) isFirst = false;
    const rows = await send();
    if (!isHeld) return rows;
    tellRead();
    await mayGo;
    return rows;
  });
  try {
    const held = list();
    await isRead;
    await late.client.query('commit');
    expect(await list()).toEqual([first, late.id, second]);
    letGo();
    expect(await held).toEqual([first, late.id, second]);
  } finally {
    stop();
  }
});

test('changes of API keys cause no new read of the high-water mark', async () => {
  const { highWaterMarks, pool } = gateway.app.store;
  await list();
  // Until the change arrives: then a key is looked up once.
  await vi.waitFor(async () => {
    const before = lookUps;
    await list();
    expect(lookUps).toBe(before);
  }, 60_000);
  await highWaterMarks.after(highWaterMarks.asked());
  const generation = highWaterMarks.generation();
  const before = lookUps;
  await pool.query("update api_keys set name = name || '.' where team_id = $1", [teamId]);
  await vi.waitFor(async () => {
    await list();
    expect(lookUps).toBeGreaterThan(before);
  }, 60_000);
  expect(highWaterMarks.generation()).toBe(generation);
});
