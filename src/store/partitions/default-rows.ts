// Rows in the default partition, because no partition exists for their time: rows from before partitioning, from a restored backup, or from
// a time when none could be created. They are deleted by age in small batches.
import { statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';
import type { AgingTable } from './tables.ts';

/** Deletes at most `limit` of them that are older than `before`. Returns whether there may be more. */
export async function deleteOldDefaultRows(
  db: Pick<Store, 'pool'>,
  { name, at, key, forEver }: AgingTable,
  before: Date,
  limit: number,
): Promise<boolean> {
  const expired = statement(
    `${name}.expired`,
    () => `delete from ${name}_default where (${key}) in (
      select ${key} from ${name}_default where ${at} < $1::timestamptz ${forEver === undefined ? '' : `and not ${forEver}`}
      limit $2::int) returning 1`,
  );
  return (await query(db, expired, [before, limit])).length === limit;
}

/** The newest of those from `fromMs` on and before `toMs`, in milliseconds since 1970; null where there is none. */
export async function youngestDefaultRow(
  db: Pick<Store, 'pool'>,
  { name, at }: AgingTable,
  fromMs: number,
  toMs: number,
): Promise<number | null> {
  const youngest = statement(
    `${name}.default.youngest`,
    () => `select extract(epoch from max(${at}))::float8 * 1000 as ms from ${name}_default
      where ${at} >= to_timestamp($1::float8 / 1000) and ${at} < to_timestamp($2::float8 / 1000)`,
  );
  const [row] = await query<{ ms: number | null }>(db, youngest, [fromMs, toMs]);
  return row?.ms ?? null;
}
