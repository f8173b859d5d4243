// Orders whose fulfillment status does not follow from their invoices. There should be none, because one transaction writes both. But in a
// store without triggers (shard-placement/), an earlier version may have changed invoices.
import type pg from 'pg';
import { fulfillmentStatusOf } from '../sql/shipping.ts';

const WRONG = `select s.workspace_id, s.id, s.status
  from (select o.workspace_id, o.id, o.fulfillment_status, ${fulfillmentStatusOf('o', 'o.workspace_id')} as status from orders o) s
  where s.fulfillment_status <> s.status`;

/** Corrects these orders. */
export const CORRECT_FULFILLMENT_STATUSES =
  `update orders t set fulfillment_status = w.status from (${WRONG}) w where w.workspace_id = t.workspace_id and w.id = t.id`.replaceAll(
    /\s+/g,
    ' ',
  );

/** Counts these orders. @throws the driver's error */
export async function countWrongFulfillmentStatuses(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(`select count(*)::int as count from (${WRONG}) w`);
  return rows[0]?.count ?? 0;
}
