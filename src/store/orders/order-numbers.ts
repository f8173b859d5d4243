// Orders and invoices are numbered in each workspace, like fulfillments (changing/fulfillments.ts). Taking a number locks the counters of
// the workspace until the transaction ends, so a change takes it after its other locks.
import type { Executor } from '../connections/executor.ts';

/**
 * Locks the counters of a workspace for this change. Must precede drawing ids and times, because lists hide rows newer than those of an
 * open transaction.
 */
export async function lockNumbers(tx: Executor, workspaceId: bigint): Promise<void> {
  await tx.$queryRawUnsafe(
    'select true from order_counters c where c.workspace_id = $1::bigint for no key update',
    workspaceId,
  );
}

interface Numbers {
  readonly order: number;
  readonly invoice: number;
}

const TAKE = `insert into order_counters as c (workspace_id, last_order_number, last_invoice_number) values ($1::bigint, $2::int, $3::int)
  on conflict (workspace_id) do update set last_order_number = c.last_order_number + $2::int, last_invoice_number = c.last_invoice_number + $3::int
  returning c.last_order_number as "order", c.last_invoice_number as invoice`;

/**
 * The first number, from the last one taken, that no client has set on an invoice. `offset 0` forces an index look-up for each number; a
 * join might read all invoices of the workspace.
 */
const FREE = `with recursive free (number) as (
    select c.last_invoice_number from order_counters c where c.workspace_id = $1::bigint
    union all select f.number + 1 from free f
      where exists (select from order_invoices i where i.workspace_id = $1::bigint and i.invoice_number = f.number::text offset 0)
  ) select max(number) as invoice from free`;
const SKIP_NUMBERS = `update order_counters c set last_invoice_number = $2::int where c.workspace_id = $1::bigint`;

/**
 * Takes the next numbers of a workspace. One more statement skips the numbers that clients have set on invoices. The others are sent
 * together.
 * @param wanted how many of each @returns the last number of each
 */
export async function takeNumbers(tx: Executor, workspaceId: bigint, wanted: Numbers): Promise<Numbers> {
  const [[taken], [free]] = await Promise.all([
    tx.$queryRawUnsafe<Numbers[]>(TAKE, workspaceId, wanted.order, wanted.invoice),
    wanted.invoice === 0 ? [] : tx.$queryRawUnsafe<Pick<Numbers, 'invoice'>[]>(FREE, workspaceId),
  ]);
  if (taken === undefined) throw new TypeError('No number was taken');
  if (free === undefined || free.invoice === taken.invoice) return taken;
  await tx.$executeRawUnsafe(SKIP_NUMBERS, workspaceId, free.invoice);
  return { ...taken, ...free };
}
