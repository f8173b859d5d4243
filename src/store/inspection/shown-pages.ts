// Pages whose `is_shown` disagrees with the steps: it is true although no step shows them, or the other way round. There should be none:
// one transaction writes both. But in a store without triggers (shard-placement/), an earlier version may have changed steps.
import type pg from 'pg';
import { isShownByStep } from '../sql/showing-steps.ts';

const WRONG = `select p.workspace_id, p.id from pages p left join funnel_steps s on ${isShownByStep('s', 'p.workspace_id', 'p.id')}
  where p.is_shown <> (s.id is not null)`;

/** Corrects these pages according to the steps. */
export const CORRECT_SHOWN_PAGES =
  `update pages p set is_shown = not p.is_shown from (${WRONG}) w where w.workspace_id = p.workspace_id and w.id = p.id`.replaceAll(
    /\s+/g,
    ' ',
  );

/** Counts these pages. @throws the driver's error */
export async function countWronglyShown(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(`select count(*)::int as count from (${WRONG}) w`);
  return rows[0]?.count ?? 0;
}
