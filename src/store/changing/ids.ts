// Assigns ids before the rows are written, for rows that refer to each other.
import type { Executor } from '../connections/executor.ts';
import { type PublicIdTable, TYPE_NUMBER } from '../sql/public-ids.ts';

/** Takes ascending ids for a table. Lists read their lower bound until the transaction ends (`draw_id` in the migrations). */
export async function drawIds(steps: Executor, table: PublicIdTable, count: number): Promise<bigint[]> {
  const rows = await steps.$queryRawUnsafe<{ id: bigint }[]>(
    'select draw_id($1::int, $2::regclass) as id from generate_series(1, $3::int)',
    ...[Number(TYPE_NUMBER[table]), `${table}_id_seq`, count],
  );
  return rows.map(({ id }) => id);
}
