// Expired idempotency keys are found without locks, which Citus does not take, and then deleted (src/store/cleaning/cleaning.ts).
import pg from 'pg';
import { expect, test } from 'vitest';
import { deleteExpired } from '../../src/store/cleaning/cleaning.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';

const gateway = await ownGateway();
const workspaceId = (await factories.workspace(gateway.app)).id;

test('an idempotency key that is reused during its deletion stays, so that nothing is done twice', async () => {
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
    const swept = deleteExpired(store, new Date(), new Date(0), 10);
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
