// The numbers of orders and invoices count up in each workspace, as those of fulfillments do (changing/fulfillments.ts). All changes of a
// workspace that take one wait for each other from then on, so a change takes them after its other locks.
import type { Executor } from '../connections/executor.ts';

/** Waits for the numbers of a workspace, and keeps them for this change. Before it draws ids and times: lists end before those that are open. */
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
 * The first number, from the last one that was taken on, that no client has given to an invoice. `offset 0` has each number looked up in the
 * index: as a join all invoices of the workspace might be read.
 */
const FREE = `with recursive free (number) as (
    select c.last_invoice_number from order_counters c where c.workspace_id = $1::bigint
    union all select f.number + 1 from free f
      where exists (select from order_invoices i where i.workspace_id = $1::bigint and i.invoice_number = f.number::text offset 0)
  ) select max(number) as invoice from free`;
const PASS_OVER = `update order_counters c set last_invoice_number = $2::int where c.workspace_id = $1::bigint`;

/**
 * Takes the next numbers of a workspace. Those that clients have given to invoices are passed over, however many, in one statement more.
 * The others are sent together, at once.
 * @param wanted how many of each
 * @returns the last ones of each
 */
export async function takeNumbers(tx: Executor, workspaceId: bigint, wanted: Numbers): Promise<Numbers> {
  const [[taken], [free]] = await Promise.all([
    tx.$queryRawUnsafe<Numbers[]>(TAKE, workspaceId, wanted.order, wanted.invoice),
    wanted.invoice === 0 ? [] : tx.$queryRawUnsafe<Pick<Numbers, 'invoice'>[]>(FREE, workspaceId),
  ]);
  if (taken === undefined) throw new TypeError('No number was taken');
  if (free === undefined || free.invoice === taken.invoice) return taken;
  await tx.$executeRawUnsafe(PASS_OVER, workspaceId, free.invoice);
  return { ...taken, ...free };
}
