// A queue is empty when its statements are planned first. They must not read all of it when it is long.
import { afterAll, expect, test } from 'vitest';
import { createLogger } from '../../src/output/log.ts';
import { beginFetches } from '../../src/store/images/image-fetches.ts';
import { findDueDeliveries, findStillPending } from '../../src/store/webhooks/deliveries-due.ts';
import { cancelDelivery, type Outcome, recordOutcomes } from '../../src/store/webhooks/delivery-outcomes.ts';
import { createWorkerStore } from '../../src/store/worker-store.ts';
import { webhookEndpoint, workspace } from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';

/** More executions than PostgreSQL plans with the parameters known. */
const EXECUTIONS = 10;
const DELIVERIES = 3_000;

const { app } = await ownGateway();
const db = createWorkerStore(app.store, createLogger('silent', { write() {} }));
afterAll(() => db.close());
const { id: workspaceId } = await workspace(app);
const endpoint = { ...(await webhookEndpoint(app, { workspaceId })), strictOrder: false };

/** How many rows of deliveries, or of images, were read so far, and how many entries of their indexes. */
async function rowsRead(tables = '^webhook_deliveries'): Promise<number> {
  await db.pool.query('select pg_stat_force_next_flush()');
  const { rows } = await db.pool.query<{ count: number }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as count from pg_stat_user_tables where relname ~ $1`,
    [tables],
  );
  return rows[0]?.count ?? Number.NaN;
}

/** How many blocks of the indexes of what is pending were read so far. What does not fit a condition in an index is counted nowhere else. */
async function blocksOfQueue(): Promise<number> {
  await db.pool.query('select pg_stat_force_next_flush()');
  const { rows } = await db.pool.query<{ count: number }>(
    `select sum(s.idx_blks_hit + s.idx_blks_read)::int as count from pg_statio_user_indexes s join pg_index i using (indexrelid)
     where s.relname ~ '^webhook_deliveries' and i.indpred is not null`,
  );
  return rows[0]?.count ?? Number.NaN;
}

async function deliverOne(): Promise<void> {
  const [next] = (await findDueDeliveries(db, endpoint, [], 1)).deliveries;
  const outcome: Outcome = {
    ...{ workspaceId, endpointId: endpoint.id, url: endpoint.url, number: 1, durationMs: 1 },
    ...{
      deliveryId: next?.id ?? 1n,
      deliveryCreatedAt: next?.createdAt ?? new Date(),
      startedAt: new Date(),
    },
    ...{ requestHeaders: {}, code: 200, error: null, responseStart: '', status: 'delivered', waitMs: null },
  };
  await findStillPending(db, workspaceId, [outcome.deliveryId]);
  await recordOutcomes(db, [outcome]);
}

test('a plan for an empty queue reads no more of a long one than it needs', async () => {
  for (let count = 0; count < EXECUTIONS; count++) {
    await deliverOne();
    await cancelDelivery(db, workspaceId, 1n);
  }
  // Each is due at a time of its own, as those of changes are. By the worker's connection, whose statistics are flushed below.
  await db.pool.query(
    `with event as (
      insert into events (workspace_id, event_type, subject_type, subject_id, data)
      select $1, 'contact.created', 'Contact', n, '{}' from generate_series(1, $3::int) n returning id
    ) insert into webhook_deliveries (workspace_id, endpoint_id, event_id, event_type, next_attempt_at)
    select $1, $2, id, 'contact.created', current_timestamp - interval '1 hour' + (id % 1000000) * interval '1 ms' from event order by id`,
    [workspaceId, endpoint.id, DELIVERIES],
  );
  const before = await rowsRead();
  for (let count = 0; count < EXECUTIONS; count++) await deliverOne();
  // Found, asked for again, locked and changed; and what is behind it in the order of the queue.
  expect((await rowsRead()) - before).toBeLessThan(10 * EXECUTIONS);
  const ids = [1n, 2n].map((id) => BigInt(DELIVERIES) - id);
  for (const find of [
    () => findStillPending(db, workspaceId, ids),
    () => cancelDelivery(db, workspaceId, BigInt(DELIVERIES) - 1n),
  ]) {
    const blocks = await blocksOfQueue();
    await find();
    expect((await blocksOfQueue()) - blocks).toBeLessThan(10);
  }
  const { rows: planned } = await db.pool.query(
    "select name from pg_prepared_statements where name ~ '^webhook_' and custom_plans > 0",
  );
  expect(planned).toEqual([]);
  const { rows } = await db.pool.query("select from webhook_deliveries where status = 'delivered'");
  expect(rows).toHaveLength(EXECUTIONS);
});

test('a look-up of due images reads one of each workspace, however many wait', async () => {
  const images = { pool: db.pool, placement: app.store.placement };
  const begin = (busy: bigint[] = []) => beginFetches(images, busy, { teams: [], workspaces: [] }, 2);
  for (let count = 0; count < EXECUTIONS; count++) expect(await begin()).toEqual([]);
  const others = [await workspace(app), await workspace(app)];
  const [other, waiting] = others.map(({ id }) => id);
  const wait = (of: bigint | undefined, count: number, from: string) =>
    db.pool.query(
      `insert into images (workspace_id, upload_source_url, fetch_at)
        select $1, 'https://a.example/' || n, current_timestamp + $3::interval + n * interval '1 ms' from generate_series(1, $2::int) n`,
      [of, count, from],
    );
  await wait(workspaceId, DELIVERIES, '-1 hour');
  await wait(other, 2, '-1 minute');
  await wait(waiting, 2, '1 hour');
  const before = await rowsRead('^images$');
  const begun = await begin();
  // The first of each workspace, and those that are begun: found, and changed.
  expect((await rowsRead('^images$')) - before).toBeLessThan(12);
  expect(begun.map((image) => image.workspaceId)).toEqual([workspaceId, other]);
  const busy = begun.map(({ teamId }) => teamId);
  expect(await begin(busy)).toEqual([]);
  const [next] = await begin(busy.slice(1));
  expect([next?.workspaceId, next?.sourceUrl]).toEqual([workspaceId, 'https://a.example/2']);
});
