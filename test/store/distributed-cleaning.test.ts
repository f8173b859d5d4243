// What is over is deleted where tables are distributed as well (src/store/cleaning/cleaning.ts): there no rows are locked while they are looked for.
import pg from 'pg';
import { expect, test } from 'vitest';
import { deleteExpired } from '../../src/store/cleaning/cleaning.ts';
import type { Store } from '../../src/store/store.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';

const gateway = await ownGateway();
const workspaceId = (await factories.workspace(gateway.app)).id;

/** The store, on a server that has no row locks in queries of several shards. */
function distributed(store: Store): Store {
  const query = (statement: { name: string }) =>
    statement.name === 'idempotency_records.sweep'
      ? Promise.reject(Object.assign(new Error('could not run distributed query'), { code: '0A000' }))
      : store.pool.query(statement as unknown as string);
  return { ...store, pool: { ...store.pool, query } } as unknown as Store;
}

test('a key of a retry that is used anew while it is deleted stays: else what it is for would be done twice', async () => {
  const { store } = gateway.app;
  const keep = new pg.Client(store.connection);
  await keep.connect();
  try {
    await keep.query(
      `insert into idempotency_records (workspace_id, key_hash, request_hash, outcome, audit_entry_id, created_at)
       select $1, decode(n, 'hex'), '', 'created', 1, now() - interval '2 days' from unnest(array['aa', 'bb']) n`,
      [workspaceId],
    );
    await keep.query('begin');
    await keep.query("update idempotency_records set created_at = now() where key_hash = '\\xaa'");
    const swept = deleteExpired(distributed(store), new Date(), 10);
    await expect
      .poll(async () => {
        const { rows } = await store.pool.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return rows.length;
      })
      .toBe(1);
    await keep.query('commit');
    await swept;
    const { rows } = await keep.query("select encode(key_hash, 'hex') as key from idempotency_records");
    expect(rows).toEqual([{ key: 'aa' }]);
  } finally {
    await keep.end();
  }
});
