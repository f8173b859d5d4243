// The numbers of orders and invoices count up in each workspace, as those of fulfillments do (changing/fulfillments.ts). All changes of a
// workspace that take one wait for each other from then on, so a change takes them after its other locks.
import type { Executor } from '../connections/executor.ts';

interface Numbers {
  readonly order: number;
  readonly invoice: number;
}

const TAKE = `insert into order_counters as c (workspace_id, last_order_number, last_invoice_number) values ($1::bigint, $2::int, $3::int)
  on conflict (workspace_id) do update set last_order_number = c.last_order_number + $2::int, last_invoice_number = c.last_invoice_number + $3::int
  returning c.last_order_number as "order", c.last_invoice_number as invoice`;

/** Whether a client has given an invoice the number that would be the next one. */
const IS_GIVEN = `select exists (select from order_invoices i where i.workspace_id = $1::bigint and i.invoice_number =
  (select c.last_invoice_number::text from order_counters c where c.workspace_id = $1::bigint)) as given`;

/**
 * Takes the next numbers of a workspace. Those that clients have given to invoices are passed over. The statements are sent together, at
 * once.
 * @param wanted how many of each, 0 or 1
 */
export async function takeNumbers(tx: Executor, workspaceId: bigint, wanted: Numbers): Promise<Numbers> {
  const [[taken], [found]] = await Promise.all([
    tx.$queryRawUnsafe<Numbers[]>(TAKE, workspaceId, wanted.order, wanted.invoice),
    wanted.invoice === 0 ? [] : tx.$queryRawUnsafe<{ given: boolean }[]>(IS_GIVEN, workspaceId),
  ]);
  if (taken === undefined) throw new TypeError('No number was taken');
  if (found?.given !== true) return taken;
  const { invoice } = await takeNumbers(tx, workspaceId, { order: 0, invoice: 1 });
  return { ...taken, invoice };
}
