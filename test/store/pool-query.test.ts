// A statement that PostgreSQL refuses costs no connection (src/store/connections/pool-query.ts).
import { afterAll, expect, test } from 'vitest';
import { queryAs } from '../../src/store/changing/pipeline.ts';
import { inTransaction } from '../../src/store/connections/executor.ts';
import { query } from '../support/cluster.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { createObserver } from '../support/statements.ts';

const gateway = await ownGateway({ env: { POOL_SIZE: '1' } });
const observer = await createObserver(gateway);
afterAll(() => observer.close());
const workspace = await factories.workspace(gateway.app);
const workspaceId = workspace.id;
const caller = await factories.apiKey(gateway.app, { teamId: workspace.teamId });

const create = (email: string) =>
  gateway.send(`/api/v2/workspaces/${workspaceId}/contacts`, {
    caller,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ contact: { email_address: email } }),
  });

async function backendOfPool(): Promise<number> {
  const { rows } = await gateway.app.store.pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}

test('a taken e-mail address is refused without losing the connection', async () => {
  expect((await create('ann@example.com')).status).toBe(201);
  const pid = await backendOfPool();
  for (let tries = 0; tries < 3; tries++) expect((await create('ann@example.com')).status).toBe(422);
  expect(await backendOfPool()).toBe(pid);
  expect((await create('bob@example.com')).status).toBe(201);
  expect(await backendOfPool()).toBe(pid);
});

test.each([
  ['a value of the wrong form', "select 'x'::int", '22P02'],
  ['a statement timeout', 'set statement_timeout = 50; select pg_sleep(9)', '57014'],
])('the connection is kept after %s', async (_name, text, code) => {
  const { pool } = gateway.app.store;
  const pid = await backendOfPool();
  await expect(pool.query(text)).rejects.toMatchObject({ code });
  expect(await backendOfPool()).toBe(pid);
});

test('a connection that is lost during a statement is replaced', async () => {
  const { pool } = gateway.app.store;
  const pid = await backendOfPool();
  await expect(pool.query('select pg_terminate_backend(pg_backend_pid())')).rejects.toThrow();
  expect(await backendOfPool()).not.toBe(pid);
});

test('a statement that is unknown to the database closes its connection, whose prepared statements may be out of date', async () => {
  const pid = await backendOfPool();
  await expect(gateway.app.store.pool.query('select nothing')).rejects.toMatchObject({ code: '42703' });
  expect(await backendOfPool()).not.toBe(pid);
});

const HELD = 4_712;

test('a statement for a caller holds its connection until it is answered', async () => {
  const { store } = gateway.app;
  const waiting = { name: '', text: `select pg_advisory_xact_lock_shared(${HELD})::text` };
  let asked: Promise<unknown> | undefined;
  await observer.whileLocked(`select pg_advisory_xact_lock(${HELD})`, async () => {
    asked = queryAs(store, { teamId: workspace.teamId, workspaceIds: null }, waiting, []);
    await expect.poll(() => observer.underWay()).toContain(waiting.text);
    expect(store.pool.idleCount).toBe(0);
  });
  await asked;
  expect(store.pool.idleCount).toBe(1);
});

test('one that is unknown to the database closes its connection too', async () => {
  const { store } = gateway.app;
  const pid = await backendOfPool();
  const unknown = { name: '', text: 'select nothing' };
  const tenancy = { teamId: workspace.teamId, workspaceIds: null };
  await expect(queryAs(store, tenancy, unknown, [])).rejects.toMatchObject({ code: '42703' });
  expect(await backendOfPool()).not.toBe(pid);
});

// An error event without a listener would end the process: here it fails the run.
test.each(['within a statement', 'between two'])(
  'a transaction whose session is ended %s fails alone',
  async (where) => {
    const { pool, connection } = gateway.app.store;
    const made = inTransaction(pool, async (tx) => {
      const [session] = await tx.$queryRawUnsafe<{ pid: number }[]>('select pg_backend_pid() as pid');
      const end = `select pg_terminate_backend(${session?.pid}, 5000)`;
      if (where === 'between two') await query(connection.connectionString ?? '', end);
      await tx.$queryRawUnsafe(end);
    });
    await expect(made).rejects.toMatchObject({ code: 'unavailable' });
    expect(await backendOfPool()).toBeGreaterThan(0);
  },
);
