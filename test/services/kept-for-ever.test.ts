// Partitions with many rows that are kept for ever (src/services/partitions.ts): anybody can have contacts erased, as many as they like,
// and whoever writes must not wait for all of these to be copied.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keepPartitions, partitionHealth } from '../../src/services/partitions.ts';
import { AGING_TABLES } from '../../src/store/partitions/tables.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';

const MANY = 5_001;

let gateway: Gateway;
let workspaceId: bigint;

beforeAll(async () => {
  gateway = await createGateway();
  workspaceId = (await factories.workspace(gateway.app)).id;
});
afterAll(() => gateway.close());

/** A partition of a month of 2024 with so many erasures, and one other change. */
async function fill(name: string, month: number, erasures: number): Promise<void> {
  const { pool } = gateway.app.store;
  const day = (ofMonth: number) => `'2024-0${ofMonth}-01Z'`;
  await pool.query(`create table ${name} (like audit_entries including all)`);
  await pool.query(
    `alter table audit_entries attach partition ${name} for values from (${day(month)}) to (${day(month + 1)})`,
  );
  await pool.query(
    `insert into audit_entries (id, workspace_id, action, subject_type, subject_id, contact_id, actor_kind, actor_id, request_id, created_at)
     select 1000000000000 + i, $1, case when i = 0 then 'contact.updated' else 'contact.erased' end, 'contact', i, i, 'api_key', 'a', 'r', ${day(month)}
     from generate_series(0, ${erasures}) i`,
    [workspaceId],
  );
}

/** How many entries of what was done stand in each table. */
async function entries(): Promise<object[]> {
  const { rows } = await gateway.app.store.pool.query(
    // Where they are distributed, with the number of a shard behind it.
    `select regexp_replace(tableoid::regclass::text, '_\\d{6}$', '') as table, action, count(*)::int
      from audit_entries group by 1, 2 order by 1, 2`,
  );
  return rows;
}

test('of many a partition is left that has nothing else; it stays, and the next one is dropped', async () => {
  const { app } = gateway;
  const table = AGING_TABLES.find(({ name }) => name === 'audit_entries');
  if (table === undefined) throw new Error('There is no such table.');
  await fill('january', 1, MANY);
  await fill('february', 2, 2);
  const rest = { table: 'audit_entries_20240101_rest', action: 'contact.erased', count: MANY };

  expect(await keepPartitions(app, table, { drops: true })).toMatchObject({ dropped: 'january' });
  expect(await entries()).toEqual([
    rest,
    { table: 'february', action: 'contact.erased', count: 2 },
    { table: 'february', action: 'contact.updated', count: 1 },
  ]);
  expect(await keepPartitions(app, table, { drops: true })).toMatchObject({ dropped: 'february' });
  expect(await entries()).toEqual([
    rest,
    { table: 'audit_entries_default', action: 'contact.erased', count: 2 },
  ]);
  expect(await keepPartitions(app, table, { drops: true })).toMatchObject({ dropped: null });

  const health = await partitionHealth(app);
  expect(health.find((one) => one.table === 'audit_entries')?.strayMs).toBeNull();
  const { rows } = await app.store.pool.query(
    `select conname from pg_constraint where conrelid = 'audit_entries_default'::regclass and conname like '%until_partition'`,
  );
  expect(rows).toEqual([]);
});
