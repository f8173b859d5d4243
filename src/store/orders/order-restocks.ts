// Writes a restock of an invoice, and returns the goods to stock. The caller holds the order's lock.
import { restock } from '../../resources/orders/order-restocks.ts';
import { updateInvoiceStatuses } from '../changing/fulfillments.ts';
import { insertObjects } from '../changing/insert-objects.ts';
import { insertRows } from '../changing/insert-rows.ts';
import { type ChangeRecord, timeOf, versionColumns } from '../changing/records.ts';
import { findSnapshots } from '../changing/snapshots.ts';
import type { Executor } from '../connections/executor.ts';
import { restockTable } from '../tables/orders/order-restocks.ts';
import { variantTable } from '../tables/product-variants.ts';
import { tableOf } from '../tables/tables.ts';
import { lockVariants } from './order-lines.ts';
import { timeColumns } from './order-rows.ts';

const RESTOCKS = tableOf(restockTable);
const VARIANTS = tableOf(variantTable);

/** A line of an invoice, and how many of it can still be returned. */
export interface Restockable {
  readonly id: bigint;
  readonly variantId: bigint;
  /** null: the line bills nothing that was ordered, or a fee in addition to it, such as a set-up fee. */
  readonly orderLineItemId: bigint | null;
  /** How many it bills, less its returns. */
  readonly billed: number;
  /** How many were ordered, less the returns of all lines that bill them. */
  readonly ordered: number;
  /** How many of those were taken from stock; null: unknown, for an order of an earlier version. */
  readonly taken: number | null;
}

export interface RestockedLine extends Restockable {
  readonly quantity: number;
}

/** Of the invoice lines that bill one line of the order, the first bills the goods. */
const RESTOCKABLE = `select i.id, i.variant_id as "variantId",
    case when i.id = (select min(o.id) from order_invoice_line_items o
      where o.workspace_id = $1::bigint and o.order_line_item_id = i.order_line_item_id) then i.order_line_item_id end as "orderLineItemId",
    (i.quantity - (select coalesce(sum(r.quantity), 0) from order_restock_line_items r
      where r.workspace_id = $1::bigint and r.invoice_line_item_id = i.id))::int as billed,
    (coalesce(l.quantity, 0) - b.back)::int as ordered, l.taken_quantity - least(b.back, l.taken_quantity)::int as taken
  from order_invoice_line_items i
    left join order_line_items l on l.workspace_id = i.workspace_id and l.id = i.order_line_item_id
    cross join lateral (select coalesce(sum(r.quantity), 0) as back from order_invoice_line_items o
        join order_restock_line_items r on r.workspace_id = o.workspace_id and r.invoice_line_item_id = o.id
      where o.workspace_id = $1::bigint and o.order_line_item_id = i.order_line_item_id) b
  where i.workspace_id = $1::bigint and i.invoice_id = $2::bigint`;

/** Finds the lines of an invoice. */
export async function findRestockable(
  tx: Executor,
  workspaceId: bigint,
  invoiceId: bigint,
): Promise<Restockable[]> {
  return tx.$queryRawUnsafe<Restockable[]>(RESTOCKABLE, workspaceId, invoiceId);
}

interface NewRestock {
  readonly workspaceId: bigint;
  readonly contactId: bigint;
  /** The page of the order. */
  readonly pageId: bigint | null;
  readonly invoiceId: bigint;
  readonly reason: string | null;
  readonly lines: readonly RestockedLine[];
}

/** The invoices that bill the same lines of the order as these invoice lines. */
const INVOICES_OF_SAME_LINES = `select distinct o.invoice_id as id from order_invoice_line_items i
    join order_invoice_line_items o on o.workspace_id = i.workspace_id and o.order_line_item_id = i.order_line_item_id
  where i.workspace_id = $1::bigint and i.id = any($2::bigint[]) order by 1`;

/** Writes a restock with its lines, returns them to stock, and updates the fulfillment status of the invoices. */
export async function writeRestock(
  tx: Executor,
  { workspaceId, contactId, pageId, invoiceId, reason, lines }: NewRestock,
): Promise<ChangeRecord> {
  // Locks before it draws ids and times, because lists hide rows newer than those of an open transaction.
  await lockVariants(tx, workspaceId, lines);
  const times = timeColumns(await timeOf(tx, RESTOCKS));
  const [id = 0n] = await insertObjects(tx, RESTOCKS, workspaceId, [
    { invoice_id: invoiceId, reason, ...times },
  ]);
  await insertRows(tx, {
    insert: 'insert into order_restock_line_items (workspace_id, restock_id, invoice_line_item_id, quantity)',
    workspaceId,
    types: ['bigint', 'bigint', 'int'],
    rows: lines.map((line) => [id, line.id, line.quantity]),
    returning: 'restock_id',
  });
  await returnToStock(tx, workspaceId, lines);
  const sharing = await tx.$queryRawUnsafe<{ id: bigint }[]>(
    INVOICES_OF_SAME_LINES,
    ...[workspaceId, lines.map((line) => line.id)],
  );
  const children = await updateInvoiceStatuses(
    tx,
    workspaceId,
    sharing.map((one) => one.id),
  );
  const [after = ''] = await findSnapshots(tx, RESTOCKS, workspaceId, [id]);
  return {
    ...{ workspaceId, resource: restock, action: 'created', outcome: 'created', subjectId: id },
    ...{ contactId, pageId, before: null, after, rows: lines.length + children.length, children },
    events: [
      { resource: restock, name: 'created', subjectId: id, data: after },
      ...children.flatMap(({ events }) => events),
    ],
  };
}

/** Locks the variants in the order of ids, as orders do. A stock beyond the column's range is set to its maximum. */
const RETURN = `with tracked as materialized (select v.id from product_variants v
    where v.workspace_id = $1::bigint and v.id = any($2::bigint[]) and v.track_quantity and v.quantity is not null
    order by v.id for no key update)
  update product_variants v set quantity = least(v.quantity + i.quantity, 2147483647)::int, ${versionColumns('$4', 'v')}
  from unnest($2::bigint[], $3::bigint[]) i (id, quantity) join tracked on tracked.id = i.id
  where v.workspace_id = $1::bigint and v.id = i.id`;

/** Adds to the stock of tracked variants: for each line of the order at most what it has taken. */
async function returnToStock(
  tx: Executor,
  workspaceId: bigint,
  lines: readonly RestockedLine[],
): Promise<void> {
  const returned = new Map<bigint, bigint>();
  /** What is left to return by line of the order, because several lines of the invoice may bill the same one. */
  const left = new Map<bigint | null, number>();
  for (const { variantId, orderLineItemId, taken, quantity } of lines) {
    const rest = left.get(orderLineItemId) ?? taken ?? Number.POSITIVE_INFINITY;
    const given = Math.min(rest, quantity);
    left.set(orderLineItemId, rest - given);
    if (given > 0) returned.set(variantId, (returned.get(variantId) ?? 0n) + BigInt(given));
  }
  if (returned.size === 0) return;
  const now = await timeOf(tx, VARIANTS);
  await tx.$executeRawUnsafe(RETURN, workspaceId, [...returned.keys()], [...returned.values()], now);
}
