// The keeper works in the background of every process, and trusts no clock that has jumped (src/jobs/partition-keeper.ts).
import { expect, test } from 'vitest';
import { startPartitionKeeper, watchClock } from '../../src/jobs/partition-keeper.ts';
import { createPrometheus } from '../../src/telemetry/prometheus.ts';
import { ownGateway } from '../support/gateway.ts';

const metrics = createPrometheus();
let aheadMs = 0;
const clock = () => new Date(Date.now() + aheadMs);
const gateway = await ownGateway({ overrides: { metrics, clock } });

test('the keeper creates missing partitions at its start, logs it, and measures how far ahead partitions exist', async () => {
  const { pool } = gateway.app.store;
  const { rows } = await pool.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass
      and inhrelid <> 'events_default'::regclass`,
  );
  for (const { name } of rows) await pool.query(`drop table ${name}`);
  const keeper = startPartitionKeeper(gateway.app);
  await expect.poll(() => gateway.logLines.join()).toContain('partitions made');
  await expect
    .poll(() => metrics.render())
    .toMatch(/gateway_partitions_ahead_seconds\{table="events"\} [6-9]\d{5}/);
  expect(await metrics.render()).toContain('gateway_partitions_stray{table="events"} 0');
  await keeper.close();
});

test('after a clock jump the keeper drops nothing and logs it; otherwise it drops old partitions', async () => {
  const { pool } = gateway.app.store;
  await pool.query(
    `create table events_old partition of events for values from ('2020-01-01') to ('2020-01-04')`,
  );
  const isThere = async () =>
    (await pool.query(`select from pg_class where relname = 'events_old'`)).rowCount === 1;
  const jumping = startPartitionKeeper(gateway.app);
  aheadMs = 2 * 3_600_000;
  await expect.poll(() => gateway.logLines.join()).toContain('the clock has jumped');
  await jumping.close();
  expect(await isThere()).toBe(true);
  const steady = startPartitionKeeper(gateway.app);
  await expect.poll(isThere).toBe(false);
  await steady.close();
  expect(gateway.logLines.join()).toContain('"partition":"events_old"');
});

test('a jump of the clock in either direction is not trusted for a day; an adjustment by seconds is', () => {
  const HOUR_MS = 3_600_000;
  let [timeMs, uptimeMs, jumps] = [0, 0, 0];
  const isSteady = watchClock(
    () => timeMs,
    () => uptimeMs,
    () => jumps++,
  );
  const after = (uptime: number, time = uptime) => {
    [timeMs, uptimeMs] = [timeMs + time, uptimeMs + uptime];
    return isSteady();
  };
  expect([after(0), after(HOUR_MS), after(HOUR_MS, HOUR_MS + 30_000)]).toEqual([true, true, true]);
  expect([after(1, 40 * 24 * HOUR_MS), after(23 * HOUR_MS), after(HOUR_MS)]).toEqual([false, false, true]);
  expect([after(HOUR_MS, -3 * HOUR_MS), after(24 * HOUR_MS)]).toEqual([false, true]);
  expect(jumps).toBe(2);
});
