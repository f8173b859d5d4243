// Prepares a new connection for reads: sets planner settings, and checks that rows are read correctly.
import { createRequire } from 'node:module';
import type pg from 'pg';
import { StartupError } from '../../errors.ts';
import { BlockRow, type RowBlock, textOf } from '../../rows/row-block.ts';
import { IncompleteRows, RowsQuery } from '../connections/rows-query.ts';

// Planning each execution would cost more than executing these statements. One generic plan is right for all parameters, because the
// statements' text determines which index they scan (rows.ts), and in that index's order they can stop early. The planner cannot know how
// many rows a parent has, or how many a queue that is empty now will have, so without these settings it may choose a sequential scan or a
// bitmap scan. With Citus each execution needs its own plan, because the parameters determine the shard.
export const SCAN_SETTINGS = `
  select set_config('plan_cache_mode', case when exists (select from pg_extension where extname = 'citus')
    then 'auto' else 'force_generic_plan' end, false);
  set enable_seqscan = off; set enable_bitmapscan = off`;

/** Also for statements that never join more rows than they return. */
export const PLAN_SETTINGS = `${SCAN_SETTINGS}; set enable_hashjoin = off; set enable_mergejoin = off`;

/** A statement with a fixed result: a number, text with multibyte characters, null, and an empty string. */
const CANARY = {
  name: '',
  text: `select n, repeat('é', n), nullif(n, 2), '' from generate_series(1, $1::int) n`,
};
const CANARY_ROWS = [1, 2, 3].map((n) => [`${n}`, 'é'.repeat(n), n === 2 ? null : `${n}`, '']);

/** Identifies the start of the server, and the database. No connection survives a restart. */
const INSTANCE = `select extract(epoch from pg_postmaster_start_time()) || ' ' || d.oid as instance
  from pg_database d where d.datname = current_database()`;

const VERSION: string = createRequire(import.meta.url)('pg/package.json').version;

/**
 * Prepares a new connection.
 * @returns the server's instance, which identifies its start and the database
 * @throws StartupError if rows are not read correctly, because the driver has another version; otherwise the driver's error
 */
export async function prepareSession(client: pg.Client): Promise<string> {
  const canary = new Promise<RowBlock>((resolve, reject) => {
    client.query(new RowsQuery(CANARY, [3], resolve, reject));
  });
  const [rows, told] = await Promise.all([
    canary.catch((error: Error) => {
      if (error instanceof IncompleteRows) return null;
      throw error;
    }),
    client.query<{ instance: string }>(INSTANCE),
    client.query(PLAN_SETTINGS),
  ]);
  const read = rows?.map((block, index) =>
    [0, 1, 2, 3].map((field) => textOf(new BlockRow(block, index), field)),
  );
  if (JSON.stringify(read) === JSON.stringify(CANARY_ROWS)) return told.rows[0]?.instance ?? '';
  throw new StartupError(
    `This gateway does not work with node-postgres ${VERSION}. Install the versions in package-lock.json.`,
  );
}
