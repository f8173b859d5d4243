// How a connection for reads begins: plans as they must be, and the proof that rows come whole.
import { createRequire } from 'node:module';
import type pg from 'pg';
import { StartupError } from '../../errors.ts';
import { BlockRow, type RowBlock, textOf } from '../../rows/row-block.ts';
import { RowsQuery, UnreadAnswer } from './rows-query.ts';

// Planning anew for every set of values costs more than these statements themselves. Their one plan is sound for all
// values: what they may scan is fixed by their text (rows.ts). Each has an index in whose order it may stop early, which
// the planner, who cannot know how many rows a parent has, otherwise takes for dearer than reading the whole table; and each
// join follows an index from few rows. Citus finds the shard by the values, so that there plans are made for them.
export const PLAN_SETTINGS = `
  select set_config('plan_cache_mode', case when exists (select from pg_extension where extname = 'citus')
    then 'auto' else 'force_generic_plan' end, false);
  set enable_seqscan = off; set enable_bitmapscan = off; set enable_hashjoin = off; set enable_mergejoin = off`;

/** Rows that are known: a number, text of more than one byte a character, null, and an empty string. */
const CANARY = {
  name: '',
  text: `select n, repeat('é', n), nullif(n, 2), '' from generate_series(1, $1::int) n`,
};
const CANARY_ROWS = [1, 2, 3].map((n) => [`${n}`, 'é'.repeat(n), n === 2 ? null : `${n}`, '']);

const VERSION: string = createRequire(import.meta.url)('pg/package.json').version;

/**
 * Sets up a connection that was just opened.
 * @throws StartupError when rows do not come whole: the driver is not the one that this was made for; what the driver says
 */
export async function prepareSession(client: pg.Client): Promise<void> {
  const canary = new Promise<RowBlock>((resolve, reject) => {
    client.query(new RowsQuery(CANARY, [3], resolve, reject));
  });
  const [rows] = await Promise.all([
    canary.catch((error: Error) => {
      if (error instanceof UnreadAnswer) return null;
      throw error;
    }),
    client.query(PLAN_SETTINGS),
  ]);
  const read = rows?.map((block, index) =>
    [0, 1, 2, 3].map((field) => textOf(new BlockRow(block, index), field)),
  );
  if (JSON.stringify(read) === JSON.stringify(CANARY_ROWS)) return;
  throw new StartupError(
    `Rows do not come whole out of node-postgres ${VERSION}: install the versions that package-lock.json names.`,
  );
}
