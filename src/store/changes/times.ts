// The times of changes that take several steps: read before the change and given with it, for a distributed store has its shards compute none.
import type { Executor } from '../executor.ts';

/** What a change of the row `c` sets. @param now the placeholder of its time, which was read before */
export function bumpAt(now: string): string {
  return `row_version = c.row_version + 1, updated_at = later_time(c.updated_at, ${now}::timestamptz)`;
}

/** The database's time. */
export async function timeOf(tx: Pick<Executor, '$queryRawUnsafe'>): Promise<string> {
  const [time] = await tx.$queryRawUnsafe<{ now: string }[]>('select clock_timestamp()::text as now');
  return time?.now ?? '';
}
