// The times of changes that take several steps: read before the change and given with it, for a distributed store has its shards compute none.
import type { Executor } from '../executor.ts';
import { TYPE_NUMBER } from '../public-ids.ts';
import type { Table } from '../tables.ts';

/** What a change of the row `c` sets. @param now the placeholder of its time, which was read before */
export function bumpAt(now: string): string {
  return `row_version = c.row_version + 1, updated_at = later_time(c.updated_at, ${now}::timestamptz)`;
}

/** SQL of the time of a change of a table: the database's, announced where lists are in the order of it. */
export function changeTime(table: Pick<Table<{ id: bigint }>, 'name' | 'resource'> | undefined): string {
  return table?.resource.sorts === undefined ? 'clock_timestamp()' : `draw_time(${TYPE_NUMBER[table.name]})`;
}

/** The time of a change, announced where it is of a table whose lists are in the order of changes. */
export async function timeOf(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  table?: Parameters<typeof changeTime>[0],
): Promise<string> {
  const [time] = await tx.$queryRawUnsafe<{ now: string }[]>(`select ${changeTime(table)}::text as now`);
  return time?.now ?? '';
}
