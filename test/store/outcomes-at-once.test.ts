// Outcomes of deliveries that others change at the same time. PostgreSQL crashes with a segmentation fault, which ends all sessions, if a
// statement that rechecks a changed row has pruned partitions during its execution.
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { createLogger } from '../../src/output/log.ts';
import { type DueDelivery, findDueDeliveries } from '../../src/store/webhooks/deliveries-due.ts';
import { type Outcome, recordOutcomes } from '../../src/store/webhooks/delivery-outcomes.ts';
import { createWorkerStore } from '../../src/store/worker-store.ts';
import { webhookEndpoint, workspace } from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';

const ROUNDS = 10;
const BATCH = 20;

const { app } = await ownGateway();
const db = createWorkerStore(app.store, createLogger('silent', { write() {} }));
const other = new pg.Client(app.store.connection);
await other.connect();
afterAll(async () => {
  await other.end();
  await db.close();
});
const { id: workspaceId } = await workspace(app);
const endpoint = { ...(await webhookEndpoint(app, { workspaceId })), strictOrder: false };

async function dueDeliveries(): Promise<readonly DueDelivery[]> {
  await db.pool.query('delete from webhook_deliveries');
  await db.pool.query(
    `with event as (
      insert into events (workspace_id, event_type, subject_type, subject_id, data)
      select $1, 'contact.created', 'Contact', n, '{}' from generate_series(1, $3::int) n returning id
    ) insert into webhook_deliveries (workspace_id, endpoint_id, event_id, event_type)
    select $1, $2, id, 'contact.created' from event order by id`,
    [workspaceId, endpoint.id, BATCH],
  );
  return (await findDueDeliveries(db, endpoint, [], BATCH)).deliveries;
}

function failedOnce({ id, createdAt }: DueDelivery, number = 1): Outcome {
  return {
    ...{ workspaceId, endpointId: endpoint.id, url: endpoint.url, number, durationMs: 1 },
    ...{ deliveryId: id, deliveryCreatedAt: createdAt, startedAt: new Date(), requestHeaders: {} },
    ...{ code: 500, error: null, responseStart: 'told', status: 'pending', waitMs: 60_000 },
  };
}

test.each([
  [
    'canceled',
    "update webhook_deliveries set status = 'canceled', next_attempt_at = null where id = any($1)",
  ],
  ['deleted', 'delete from webhook_deliveries where id = any($1)'],
  ['changed', 'update webhook_deliveries set attempts_before = 0 where id = any($1)'],
])('some that were %s meanwhile stay so, and the others are recorded', async (how, change) => {
  for (let round = 0; round < ROUNDS; round++) {
    const due = await dueDeliveries();
    const touched = due.filter((_, index) => index % 3 === round % 3).map(({ id }) => id);
    await other.query('begin');
    await other.query(change, [touched]);
    const recorded = recordOutcomes(
      db,
      due.map((delivery) => failedOnce(delivery)),
    );
    const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    while ((await other.query(waits)).rowCount === 0) await new Promise(setImmediate);
    await other.query('commit');
    await recorded;
    const { rows } = await other.query<{ id: string; status: string; attempts: number; told: string | null }>(
      `select d.id, d.status, d.attempt_count as attempts, a.response_start as told
       from webhook_deliveries d join webhook_attempts a on a.delivery_id = d.id order by d.id`,
    );
    expect(rows).toEqual(
      due.flatMap(({ id }) => {
        const isCanceled = how === 'canceled' && touched.includes(id);
        const row = {
          id: String(id),
          status: isCanceled ? 'canceled' : 'pending',
          attempts: 1,
          told: isCanceled ? null : 'told',
        };
        return how === 'deleted' && touched.includes(id) ? [] : [row];
      }),
    );
  }
});

test('four processes that record the same outcomes wait for each other, without a deadlock', async () => {
  const due = await dueDeliveries();
  for (let round = 0; round < ROUNDS; round++)
    await Promise.all(
      [0, 1, 2, 3].map((one) => {
        const inOrder = one % 2 === 0 ? due : due.toReversed();
        return recordOutcomes(
          db,
          inOrder.map((delivery) => failedOnce(delivery, 1 + 4 * round + one)),
        );
      }),
    );
  const { rows } = await other.query('select distinct attempt_count from webhook_deliveries');
  expect(rows).toEqual([{ attempt_count: 4 * ROUNDS }]);
});
