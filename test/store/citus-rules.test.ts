// A store that Citus distributes is migrated like any other: no migration does what Citus refuses.
import { expect, test } from 'vitest';
import { PRISMA_FOLDER, readMigrations } from '../../src/store/migrations/folder.ts';
import { readTables } from '../../src/store/shard-placement/state.ts';
import { findRefused } from '../support/citus-rules.ts';
import { REFUSED, TAKEN } from '../support/citus-statements.ts';
import { ownGateway } from '../support/gateway.ts';

/** The last migration from before distributed stores. */
const LAST_BEFORE_RULES = '20261123031000_distributed';

const gateway = await ownGateway();
const client = await gateway.app.store.pool.connect();
const tables = await readTables(client).finally(() => client.release());
const distributed = new Set(tables.filter(({ wanted }) => wanted === 'distributed').map(({ name }) => name));

test('no migration does anything to a table below a workspace that Citus refuses', async () => {
  const migrations = await readMigrations(PRISMA_FOLDER);
  const newer = migrations.filter(({ name }) => name > LAST_BEFORE_RULES);
  expect(newer.length).toBeGreaterThan(0);
  const refused = await Promise.all(newer.map(({ sql }) => findRefused(sql, distributed)));
  expect(refused.flat()).toEqual([]);
});

test.each(TAKEN.map((sql) => [sql]))('%s is accepted', async (sql) => {
  expect(await findRefused(sql, distributed)).toEqual([]);
});

test.each(REFUSED)('%s is refused', async (sql, reason) => {
  expect(await findRefused(sql, distributed)).toEqual([expect.stringContaining(reason)]);
});
