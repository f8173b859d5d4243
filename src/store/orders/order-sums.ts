// Finds orders and invoices whose sums differ from those of their lines. There should be none, because one transaction writes both.
import type pg from 'pg';

/** How many of each differ from the sum of their lines. */
export interface WrongSums {
  readonly orders: number;
  readonly invoices: number;
}

/** @param sum of the lines `l` */
const wrongSumQuery = (table: string, column: string, lines: string, key: string, sum: string) =>
  `(select count(*)::int from ${table} t left join (
      select l.workspace_id, l.${key}, sum(${sum}) as sum from ${lines} l group by l.workspace_id, l.${key}) s
    on s.workspace_id = t.workspace_id and s.${key} = t.id where t.${column} <> coalesce(s.sum, 0))`;

const WRONG = `select
  ${wrongSumQuery('orders', 'total_amount', 'order_line_items', 'order_id', 'l.first_amount * l.quantity + l.setup_amount')} as orders,
  ${wrongSumQuery('order_invoices', 'subtotal_amount', 'order_invoice_line_items', 'invoice_id', 'l.amount * l.quantity')} as invoices`;

/** Counts the orders and invoices with wrong sums. @throws the driver's error */
export async function countWrongSums(pool: pg.Pool): Promise<WrongSums> {
  const { rows } = await pool.query<WrongSums>(WRONG);
  return rows[0] ?? { orders: 0, invoices: 0 };
}
