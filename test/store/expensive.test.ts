// Expensive statements of one tenant do not delay other tenants (store.ts, rows.ts).
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { contact } from '../../src/resources/contacts.ts';
import { countUnder, MAX_EXACT_COUNT } from '../../src/store/reading/counts.ts';
import { tableOf } from '../../src/store/tables/tables.ts';
import * as factories from '../support/factories.ts';
import { type Caller, createGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { statementsOf } from '../support/graphql-statements.ts';

const CONTACTS = tableOf(contact);

interface Tenant {
  readonly caller: Caller;
  readonly teamId: bigint;
  readonly workspaceId: bigint;
}

// Keys and hosts are looked up by every request here.
const gateway = await createGateway({ env: { STATEMENT_TIMEOUT_MS: '20000', LOOKUP_CACHE_MS: '0' } });
const admin = new pg.Client(gateway.app.store.connection);
await admin.connect();
const tenant = async () => {
  const { id, teamId } = await factories.workspace(gateway.app);
  return { caller: await factories.apiKey(gateway.app, { teamId }), teamId, workspaceId: id };
};
const [busy, quiet] = [await tenant(), await tenant()];
afterAll(async () => {
  await admin.end();
  await gateway.close();
});

interface Counted {
  workspace: Record<string, { totalCount: number | null; totalCountIsExact?: boolean | null }>;
}

const count = (of: Tenant, list: string, fields = 'totalCount totalCountIsExact') => {
  const query = `query ($id: BigInt!) { workspace(by: { databaseId: $id }) { ${list} { ${fields} } } }`;
  const variables = { id: String(of.workspaceId) };
  return post<Counted>(gateway, { query, variables }, { caller: of.caller });
};

/** Other tenants are authenticated, read and count. */
async function expectOthersServed(): Promise<void> {
  for (let index = 0; index < 10; index++) {
    const path = `/api/v2/workspaces/${quiet.workspaceId}/funnels`;
    expect((await gateway.send(path, { caller: quiet.caller })).status).toBe(200);
    const { data } = await count(quiet, 'funnels');
    expect(data?.workspace['funnels']).toEqual({ totalCount: 0, totalCountIsExact: true });
  }
}

test('blocked counts of one team let others be served; a bounded number of its own waits, and the rest is refused', async () => {
  const { store } = gateway.app;
  await admin.query('begin; lock table contacts');
  const tenancy = { teamId: busy.teamId, workspaceIds: null };
  const stuck = Promise.allSettled(
    Array.from({ length: 200 }, () => countUnder({ store }, CONTACTS, tenancy, [busy.workspaceId])),
  );
  try {
    await expect.poll(() => store.expensive.waiting).toBe(128);
    await expectOthersServed();
    // Funnels can be read, although their count is refused: a list whose count was selected is null without it.
    const { data, errors } = await count(busy, 'funnels', 'totalCount nodes { name }');
    expect(data?.workspace['funnels']).toBeNull();
    expect(errors).toMatchObject([
      { path: ['workspace', 'funnels', 'totalCount'], extensions: { code: 'TOO_MANY_REQUESTS' } },
    ]);
    const listed = await count(busy, 'funnels', 'nodes { name }');
    expect(listed).toMatchObject({ data: { workspace: { funnels: { nodes: [] } } } });
    expect(listed.errors).toBeUndefined();
    expect(await Promise.race([stuck, 'stuck'])).toBe('stuck');
  } finally {
    await admin.query('rollback');
  }
  const outcomes = await stuck;
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(200 - 128 - 1);
  for (const outcome of refused)
    expect(outcome).toMatchObject({ reason: { code: 'too_many_requests', retryAfterSeconds: 1 } });
  expect([store.expensive.running, store.expensive.waiting, store.expensive.keys]).toEqual([0, 0, 0]);
});

test('stalled reads of one team on every connection that it may use let others be served', async () => {
  await admin.query('begin; lock table contacts');
  const path = `/api/v2/workspaces/${busy.workspaceId}/contacts`;
  const stuck = Promise.all(Array.from({ length: 100 }, () => gateway.send(path, { caller: busy.caller })));
  try {
    const stalled = () =>
      gateway.logLines.filter((line) => line.includes('reading connection stalled')).length;
    await expect.poll(stalled).toBeGreaterThanOrEqual(6);
    await expectOthersServed();
    expect(await Promise.race([stuck, 'stuck'])).toBe('stuck');
  } finally {
    await admin.query('rollback');
  }
  for (const response of await stuck) expect(response.status).toBe(200);
});

test('pages of large rows wait for their team’s slot and are read one at a time, and small pages do not wait', async () => {
  const { store } = gateway.app;
  const { id, teamId } = await factories.workspace(gateway.app);
  const caller = await factories.apiKey(gateway.app, { teamId });
  await factories.contacts(gateway.app, id, 40);
  const text = `update contacts set custom_attributes = jsonb_build_object('note', repeat('x', 60000)) where workspace_id = $1`;
  await store.pool.query(text, [id]);
  const page = (size: number) =>
    gateway.send(`/api/v2/workspaces/${id}/contacts?per_page=${size}`, { caller });
  const release = await store.expensive.acquire(String(teamId));
  const large = Promise.all(Array.from({ length: 3 }, () => page(40)));
  try {
    await expect.poll(() => store.expensive.waiting).toBe(3);
    expect(((await (await page(5)).json()) as unknown[]).length).toBe(5);
    await expectOthersServed();
    expect(await Promise.race([large, 'waits'])).toBe('waits');
  } finally {
    release();
  }
  for (const response of await large) expect(((await response.json()) as unknown[]).length).toBe(40);
  expect([store.expensive.running, store.expensive.waiting]).toEqual([0, 0]);
});

test('totalCount and totalCountIsExact are one statement, for many parents too', async () => {
  const query =
    '{ viewer { teams { nodes { workspaces { nodes { contacts { totalCountIsExact totalCount } pages { totalCount } } } } } } }';
  await factories.workspace(gateway.app, { teamId: busy.teamId });
  const names = await statementsOf(gateway, () => post(gateway, { query }, { caller: busy.caller }));
  expect(names.filter((name) => name.endsWith('.count')).sort()).toEqual(['contacts.count', 'pages.count']);
});

test('a list is counted up to a limit, beyond which the count is the limit, and not exact', async () => {
  // Without other work on each row, such as looking up its workspace.
  const add = (rows: number) =>
    admin.query(`begin; set local session_replication_role = replica; set local statement_timeout = 0;
      insert into contacts (workspace_id) select ${quiet.workspaceId} from generate_series(1, ${rows}); commit`);
  await add(MAX_EXACT_COUNT);
  const counted = async () => (await count(quiet, 'contacts(first: 1)')).data?.workspace['contacts'];
  expect(await counted()).toEqual({ totalCount: MAX_EXACT_COUNT, totalCountIsExact: true });
  await add(1);
  expect(await counted()).toEqual({ totalCount: MAX_EXACT_COUNT, totalCountIsExact: false });
});

test('counts and probes read only the index of their parent, however many rows others have before it', async () => {
  const { pool, readers, scans } = gateway.app.store;
  await pool.query('analyze contacts');
  // Sequential requests use the same connection, which reports at once what it has read.
  const flush = { name: '', text: 'select pg_stat_force_next_flush() where $1::int = 1' };
  const reads = async () => {
    await Promise.all([readers.read(flush, [1]), scans.read(flush, [1])]);
    const { rows } = await admin.query<{ seq: string }>(
      `select seq_tup_read as seq from pg_stat_user_tables where relname = 'contacts'`,
    );
    return Number(rows[0]?.seq);
  };
  const before = await reads();
  for (let index = 0; index < 12; index++) {
    const after = Buffer.from(`contacts:${index + 1}`).toString('base64url');
    const { errors } = await count(
      busy,
      `contacts(last: 3, after: "${after}")`,
      'totalCount pageInfo { hasPreviousPage hasNextPage }',
    );
    expect(errors).toBeUndefined();
  }
  expect(await reads()).toBe(before);
});
