// Checks whether the time-partitioned tables have partitions for the next days.
import type { App } from '../../context.ts';
import { partitionHealth } from '../../services/partitions.ts';
import { type Finding, findingsOf, findingsOrOk } from './findings.ts';

const { ok, warn } = findingsOf('partitions');
const NEAR_MS = 3 * 86_400_000;

/** A finding for each table that will soon lack partitions, or that has rows outside of them. */
export async function checkPartitions(app: Pick<App, 'store'>): Promise<Finding[]> {
  const health = await partitionHealth(app);
  const untilMs = Math.min(...health.map(({ coveredMs }) => coveredMs));
  const wrong = health.flatMap(({ table, nowMs, coveredMs, strayMs }) => [
    coveredMs - nowMs < NEAR_MS &&
      warn(
        coveredMs <= nowMs
          ? `${table} has none for today: rows go into ${table}_default`
          : `the next one of ${table} is missing: it has them until ${timeOf(coveredMs)}`,
        'serve and work create them; if their database user does not own the tables, the owner has to grant execute on function keep_partitions to it',
      ),
    strayMs !== null &&
      warn(
        `${table}_default has rows, the last one of ${timeOf(strayMs)}, although partitions for earlier rows exist`,
        'no data is lost, and old rows are deleted as usual; the log says why the partition was missing',
      ),
  ]);
  return findingsOrOk(ok(`made until ${timeOf(untilMs)}`), wrong);
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
