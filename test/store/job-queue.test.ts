// Jobs that one process does for the whole gateway, over pg-boss (src/store/queue/job-queue.ts).
import { PgBoss } from 'pg-boss';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrateJobQueue, startJobQueue } from '../../src/store/queue/job-queue.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';

let gateway: Gateway;
let boss: PgBoss;
beforeAll(async () => {
  gateway = await createGateway();
  const { pool } = gateway.app.store;
  boss = new PgBoss({
    db: { executeSql: (text, values = []) => pool.query(text, values) },
    schema: 'funnel_gateway_jobs',
  });
  await boss.start();
});
afterAll(async () => {
  await boss.stop();
  await gateway.close();
});

test('one of several processes does a due job; running jobs finish before a process ends', async () => {
  const { store, log } = gateway.app;
  const begun = Promise.withResolvers<void>();
  let [begins, ends] = [0, 0];
  const run = async (signal: AbortSignal) => {
    begins++;
    begun.resolve();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    ends++;
  };
  await boss.createQueue('counted', { policy: 'stately' });
  await boss.send('counted');
  const jobs = [{ name: 'counted', cron: '0 0 1 1 *', run }];
  const queues = [1, 2].map(() => startJobQueue(store.pool, log, jobs));
  await begun.promise;
  await Promise.all(queues.map((queue) => queue.close()));
  expect([begins, ends]).toEqual([1, 1]);
  expect((await boss.getSchedules('counted')).map(({ cron }) => cron)).toEqual(['0 0 1 1 *']);
});

test('pg-boss creates missing tables, and accepts those from migrations', async () => {
  const { pool } = gateway.app.store;
  const { ok, ...found } = await boss.detectSchemaDrift();
  expect(ok, JSON.stringify(found)).toBe(true);
  await pool.query('drop schema funnel_gateway_jobs cascade');
  await migrateJobQueue(pool, gateway.app.log);
  expect((await boss.detectSchemaDrift()).ok).toBe(true);
});
