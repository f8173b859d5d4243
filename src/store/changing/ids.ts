// Assigns ids before the rows are written, for rows that refer to each other.
import { type PublicIdTable, TYPE_NUMBER } from '../sql/public-ids.ts';
import type { Transaction } from '../store.ts';

/** Takes ascending ids for a table. Their lower bound is announced until the transaction ends (`draw_id` in the migrations). */
export async function drawIds(tx: Transaction, table: PublicIdTable, count: number): Promise<bigint[]> {
  const rows = await tx.$queryRaw<{ id: bigint }[]>`
    select draw_id(${TYPE_NUMBER[table]}::int, ${`${table}_id_seq`}::regclass) as id
    from generate_series(1, ${count}::int)`;
  return rows.map(({ id }) => id);
}
