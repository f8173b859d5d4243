// Pages whose `is_shown` disagrees with the steps: it says that a step shows them, and none does, or the other way round. There should be none:
// both are written in one transaction. But in a store without triggers (shard-placement/), a version before may have changed steps.
import type pg from 'pg';
import { shows } from '../sql/showing-steps.ts';

const WRONG = `select p.workspace_id, p.id from pages p left join funnel_steps s on ${shows('s', 'p.workspace_id', 'p.id')}
  where p.is_shown <> (s.id is not null)`;

/** Has each page say what the steps do. */
export const CORRECT_SHOWN_PAGES =
  `update pages p set is_shown = not p.is_shown from (${WRONG}) w where w.workspace_id = p.workspace_id and w.id = p.id`.replaceAll(
    /\s+/g,
    ' ',
  );

/** Counts them. @throws the driver's error */
export async function countWronglyShown(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(`select count(*)::int as count from (${WRONG}) w`);
  return rows[0]?.count ?? 0;
}
