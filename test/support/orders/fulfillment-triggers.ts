// The triggers that keep the fulfillment status of orders when something other than the gateway changes invoices.
import type { App } from '../../../src/context.ts';

/** Drops them, if the store has them. */
export async function dropFulfillmentTriggers({ store: { pool } }: App): Promise<void> {
  const { rows } = await pool.query<{ drop: string }>(
    `select format('drop trigger %I on %s', tgname, tgrelid::regclass) as drop from pg_trigger where tgname like 'keep\\_fulfillment\\_status\\_%'`,
  );
  for (const { drop } of rows) await pool.query(drop);
}
