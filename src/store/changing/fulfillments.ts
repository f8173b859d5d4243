// The SQL that is specific to fulfillments: how much of an invoice's lines can still be sent, and whether they were sent. A change locks
// the orders, then the invoices, in the order of their ids before it reads them, so that concurrent changes see each other.

import { type FieldErrorCode, outOfRange } from '../../errors.ts';
import { parseJson } from '../../resources/description/field-types.ts';
import { restNameOf } from '../../resources/description/names.ts';
import { fulfillmentLocation } from '../../resources/fulfillment-locations.ts';
import { fulfillment } from '../../resources/fulfillments.ts';
import type { InvoiceRow } from '../../resources/orders/order-invoices.ts';
import type { OrderRow } from '../../resources/orders/orders.ts';
import type { Executor } from '../connections/executor.ts';
import {
  billedGoods,
  fulfillmentStatusOf,
  isCanceled,
  isUnsendable,
  returnedQuantity,
  sentQuantity,
} from '../sql/shipping.ts';
import { invoiceTable } from '../tables/orders/order-invoices.ts';
import { orderTable } from '../tables/orders/orders.ts';
import { tableOf } from '../tables/tables.ts';
import { changeRows, requireUnreferenced } from './other-rows.ts';
import { type ChangeRecord, timeOf } from './records.ts';
import { type ChangeRules, type ChangingRow, Refused } from './rules.ts';
import { findSnapshotsById } from './snapshots.ts';

const FULFILLMENTS = tableOf(fulfillment);
const INVOICES = tableOf(invoiceTable);
const ORDERS = tableOf(orderTable);
type InvoiceStatus = InvoiceRow['fulfillmentStatus'];

/** The property that has the lines of a fulfillment or an invoice. */
const LINES_PROPERTY = 'lineItems';

const WORKSPACE = '$1::bigint';
const GOODS = billedGoods(WORKSPACE);

/** Must run before more of the lines is sent (`UNSENT` in sql/shipping.ts). */
const RECORD_UNSENT_RETURNS = `update order_line_items p set returned_unsent = s.back - s.sent
  from order_invoice_line_items l cross join lateral (select ${sentQuantity(WORKSPACE)} as sent, ${returnedQuantity(WORKSPACE)} as back) s
  where p.workspace_id = $1::bigint and l.workspace_id = $1::bigint and l.id = any($2::bigint[]) and p.id = l.order_line_item_id
    and s.back - s.sent > p.returned_unsent`;

/** Uses the row that counts orders and invoices. A change takes the number after its other locks, as it does for those. */
const TAKE_NUMBER = `insert into order_counters as c (workspace_id, last_fulfillment_number) values ($1::bigint, 1)
  on conflict (workspace_id) do update set last_fulfillment_number = c.last_fulfillment_number + 1 returning c.last_fulfillment_number as number`;

export const FULFILLMENT_RULES: ChangeRules = {
  derived: {
    fulfillment_number: { onCreate: '$fulfillment_number::int', onUpdate: 'o.fulfillment_number' },
  },
  others: {
    nouns: [INVOICES, ORDERS],
    async before(tx, row) {
      if (isUpdate(row)) return [];
      await lockInvoicesOf(tx, row.workspaceId, lineIdsOf(row));
      if (row.given !== null) {
        await requireOrdered(tx, row);
        await tx.$executeRawUnsafe(RECORD_UNSENT_RETURNS, row.workspaceId, lineIdsOf(row));
      }
      return [];
    },
    parameters: async (tx, { workspaceId }) => ({
      fulfillment_number: await takeNumber(tx, workspaceId),
    }),
    async after(tx, row) {
      if (isUpdate(row)) return [];
      const invoiceIds = await lockInvoicesOf(tx, row.workspaceId, lineIdsOf(row));
      return updateInvoiceStatuses(tx, row.workspaceId, invoiceIds);
    },
  },
};

/** A location cannot be removed while fulfillments refer to it. */
export const FULFILLMENT_LOCATION_RULES: ChangeRules = {
  others: {
    nouns: [],
    async before(tx, row) {
      await requireUnreferenced(tx, fulfillmentLocation, FULFILLMENTS, 'location_id', row);
      return [];
    },
  },
};

/** Whether the change does not concern goods: updates can change only the tracking and the like. */
function isUpdate({ before, given }: ChangingRow): boolean {
  return before !== null && given !== null;
}

/** Takes the next number of a workspace's fulfillments. */
async function takeNumber(tx: Executor, workspaceId: bigint): Promise<number> {
  const [taken] = await tx.$queryRawUnsafe<{ number: number }[]>(TAKE_NUMBER, workspaceId);
  if (taken === undefined) throw new TypeError('No number was taken');
  return taken.number;
}

interface WantedLine {
  readonly lineId: bigint;
  readonly quantity: number;
}

/** The lines that a client wants to send, in the client's order. */
function requestedLines({ given }: ChangingRow): WantedLine[] {
  return (given?.children?.[LINES_PROPERTY] ?? []).map((child) => ({
    lineId: child.given?.columns['invoices_line_item_id'] as bigint,
    quantity: child.given?.columns['quantity'] as number,
  }));
}

interface FulfillmentFacts {
  readonly included_invoices_line_items: readonly { readonly invoices_line_item_id: number | bigint }[];
}

/** The ids of a fulfillment's invoice lines; for a new one, of those requested. */
function lineIdsOf(row: ChangingRow): bigint[] {
  if (row.before === null) return requestedLines(row).map(({ lineId }) => lineId);
  const { included_invoices_line_items: items } = parseJson(row.before) as FulfillmentFacts;
  return items.map((item) => BigInt(item.invoices_line_item_id));
}

/**
 * Cancels a locked fulfillment.
 * @param lineIds its invoice lines
 * @returns the changes of invoices, and all events
 */
export async function cancelFulfillment(
  tx: Executor,
  workspaceId: bigint,
  id: bigint,
  lineIds: readonly bigint[],
): Promise<{ children: readonly ChangeRecord[]; events: ChangeRecord['events'] }> {
  const invoiceIds = await lockInvoicesOf(tx, workspaceId, lineIds);
  const own = await changeRows(tx, FULFILLMENTS, workspaceId, [id], "status = 'cancelled'");
  const children = await updateInvoiceStatuses(tx, workspaceId, invoiceIds);
  return { children, events: [...own, ...children].flatMap(({ events }) => events) };
}

/** Locks the orders of invoice lines, then their invoices, like changes of orders do. @returns the ids of the invoices */
async function lockInvoicesOf(
  tx: Executor,
  workspaceId: bigint,
  lineIds: readonly bigint[],
): Promise<bigint[]> {
  await tx.$queryRawUnsafe(
    `select o.id from orders o where o.workspace_id = $1::bigint
      and o.id in (select i.order_id from order_invoice_line_items l
        join order_invoices i on i.workspace_id = l.workspace_id and i.id = l.invoice_id
        where l.workspace_id = $1::bigint and l.id = any($2::bigint[]))
      order by o.id for no key update of o`,
    ...[workspaceId, lineIds],
  );
  const locked = await tx.$queryRawUnsafe<{ id: bigint }[]>(
    `select i.id from order_invoices i where i.workspace_id = $1::bigint
      and i.id in (select l.invoice_id from order_invoice_line_items l where l.workspace_id = $1::bigint and l.id = any($2::bigint[]))
      order by i.id for no key update of i`,
    ...[workspaceId, lineIds],
  );
  return locked.map(({ id }) => id);
}

interface Line {
  readonly id: bigint;
  readonly contactId: bigint;
  /**
   * How many can still be sent: the smaller of the billed and the ordered quantity, less what was sent, and less what was returned before
   * it was sent.
   */
  readonly left: number;
  /** Whether its invoice was voided, abandoned or refunded in full. */
  readonly isOver: boolean;
  /** Whether its order was canceled. */
  readonly isCalledOff: boolean;
  /** Whether there is nothing to send: a set-up fee, or a variant without fulfillment. */
  readonly isIgnored: boolean;
}

/**
 * Checks the lines to send. @throws Refused for a line of another contact, of a canceled order or invoice, or with nothing to send, and for
 * more than is left of a line
 */
async function requireOrdered(tx: Executor, row: ChangingRow): Promise<void> {
  const wanted = requestedLines(row);
  const lines = await tx.$queryRawUnsafe<Line[]>(
    `select l.id, o.contact_id as "contactId", ${isUnsendable('i')} as "isOver", ${isCanceled('o')} as "isCalledOff",
        l.fulfillment_status = 'ignored' as "isIgnored", g.left from ${GOODS}
      join order_invoices i on i.workspace_id = l.workspace_id and i.id = l.invoice_id
      join orders o on o.workspace_id = i.workspace_id and o.id = i.order_id
      where l.workspace_id = $1::bigint and l.id = any($2::bigint[])`,
    ...[row.workspaceId, wanted.map(({ lineId }) => lineId)],
  );
  const left = new Map(lines.map((line) => [line.id, line.left]));
  const contactId = row.given?.columns['contact_id'];
  for (const [index, { lineId, quantity }] of wanted.entries()) {
    const line = lines.find(({ id }) => id === lineId);
    const refuse = (code: FieldErrorCode, message: string) =>
      new Refused(LINES_PROPERTY, { code, message }, { index, property: 'invoicesLineItemId' });
    if (line?.contactId !== contactId)
      throw refuse('not_found', 'there is no such invoice line of the contact');
    if (line?.isOver)
      throw refuse(
        'not_allowed_now',
        'names a line of an invoice that is voided, abandoned or fully refunded',
      );
    if (line?.isCalledOff) throw refuse('not_allowed_now', 'names a line of an order that was canceled');
    if (line?.isIgnored) throw refuse('not_allowed', 'names a line that is not shipped');
    const rest = left.get(lineId) ?? 0;
    if (quantity < 1 || quantity > rest)
      throw new Refused(
        LINES_PROPERTY,
        rest === 0
          ? { code: 'out_of_range', message: 'is too much: nothing of the line is left to ship' }
          : outOfRange(`from 1 to ${rest}, which is what is left to ship`),
        { index, property: 'quantity' },
      );
    left.set(lineId, rest - quantity);
  }
}

const ORDERS_OF = `select distinct i.order_id as id from order_invoices i
  where i.workspace_id = $1::bigint and i.id = any($2::bigint[]) order by 1`;

interface LineStatus {
  readonly id: bigint;
  readonly invoiceId: bigint;
  readonly quantity: number;
  readonly sent: number;
  readonly left: number;
  readonly was: string;
  readonly status: string;
}

const LINE_STATUSES = `select l.id, l.invoice_id as "invoiceId", l.quantity, s.sent::int, g.left, l.fulfillment_status as was,
    case when l.fulfillment_status = 'ignored' then 'ignored' when s.sent = 0 then 'unfulfilled'
      when g.left > 0 then 'partially_fulfilled' else 'complete' end as status
  from ${GOODS} where l.workspace_id = $1::bigint and l.invoice_id = any($2::bigint[]) order by l.id`;
const INVOICE_STATUSES = `select i.id, i.fulfillment_status as was from order_invoices i
  where i.workspace_id = $1::bigint and i.id = any($2::bigint[])`;

/** The fulfillment status of an invoice before, and the one that follows from its lines now. */
interface InvoiceSettlement {
  readonly id: bigint;
  readonly was: InvoiceStatus;
  readonly status: InvoiceStatus;
  /** Whether the invoice or one of its lines has changed. */
  readonly isChanged: boolean;
}

/**
 * Sets the fulfillment status of the lines of locked invoices from the existing fulfillments.
 * @throws Refused if more was sent of a line than its quantity
 */
export async function updateLineStatuses(
  tx: Executor,
  workspaceId: bigint,
  invoiceIds: readonly bigint[],
): Promise<InvoiceSettlement[]> {
  const lines = await tx.$queryRawUnsafe<LineStatus[]>(LINE_STATUSES, workspaceId, invoiceIds);
  const over = lines.find(({ sent, quantity }) => sent > quantity);
  if (over !== undefined)
    throw new Refused(LINES_PROPERTY, {
      code: 'not_allowed_now',
      message: `has less of a line than the ${over.sent} that were shipped`,
      which: ` (the line ${over.id})`,
    });
  const changed = lines.filter(({ was, status }) => was !== status);
  const now = await timeOf(tx);
  for (const [status, some] of Map.groupBy(changed, (line) => line.status))
    await tx.$executeRawUnsafe(
      `update order_invoice_line_items l set fulfillment_status = $3::text, row_version = l.row_version + 1, updated_at = $4::timestamptz
        where l.workspace_id = $1::bigint and l.id = any($2::bigint[])`,
      ...[workspaceId, some.map(({ id }) => id), status, now],
    );
  const invoices = await tx.$queryRawUnsafe<Pick<InvoiceSettlement, 'id' | 'was'>[]>(
    INVOICE_STATUSES,
    ...[workspaceId, invoiceIds],
  );
  return invoices.map(({ id, was }) => {
    const own = lines.filter(({ invoiceId }) => invoiceId === id);
    const status = statusOf(own);
    return { id, was, status, isChanged: was !== status || own.some((line) => changed.includes(line)) };
  });
}

/** The status of an invoice from its lines. Lines that never had anything to send do not count. */
function statusOf(lines: readonly LineStatus[]): InvoiceStatus {
  const all = lines
    .filter(({ status, sent, left }) => status !== 'ignored' && (sent > 0 || left > 0))
    .map(({ status }) => status);
  if (all.length === 0) return 'not_applicable';
  if (all.every((status) => status === 'complete')) return 'complete';
  return all.every((status) => status === 'unfulfilled') ? 'unfulfilled' : 'partial';
}

/** Sets the fulfillment status of orders after their invoices were written, unless triggers have done it (shard-placement/). */
const UPDATE_ORDERS = `update orders t set fulfillment_status = s.status
  from (select o.id, ${fulfillmentStatusOf('o', WORKSPACE)} as status from orders o
    where o.workspace_id = $1::bigint and o.id = any($2::bigint[])) s
  where t.workspace_id = $1::bigint and t.id = s.id and t.fulfillment_status <> s.status`;

/** The properties of an order that show data of other rows, by their REST names. The order's own row changes when they do. */
const PROPERTIES_FROM_OTHER_ROWS = (['refundedAmount', 'fulfillmentStatus'] satisfies (keyof OrderRow)[]).map(
  (property) => restNameOf(property),
);

/** Whether an order's data from other rows differs between two of its JSON snapshots. */
export function differsInOtherRows(one: string, other: string): boolean {
  const [before, after] = [one, other].map((json) => parseJson(json) as Readonly<Record<string, unknown>>);
  return PROPERTIES_FROM_OTHER_ROWS.some((name) => before?.[name] !== after?.[name]);
}

/**
 * Updates the fulfillment status of locked invoices and of their orders.
 * @returns their changes: an invoice that is now completely sent has the event `fulfilled`
 */
export async function updateInvoiceStatuses(
  tx: Executor,
  workspaceId: bigint,
  invoiceIds: readonly bigint[],
): Promise<ChangeRecord[]> {
  const orders = await tx.$queryRawUnsafe<{ id: bigint }[]>(ORDERS_OF, workspaceId, invoiceIds);
  const orderIds = orders.map(({ id }) => id);
  const before = await findSnapshotsById(tx, ORDERS, workspaceId, orderIds);
  const settled = await updateLineStatuses(tx, workspaceId, invoiceIds);
  const records: ChangeRecord[] = [];
  for (const { id, was, status } of settled.filter(({ isChanged }) => isChanged)) {
    const events = status === 'complete' && was !== status ? ['fulfilled'] : [];
    const set = `fulfillment_status = '${status}'`;
    records.push(...(await changeRows(tx, INVOICES, workspaceId, [id], set, events)));
  }
  if (records.length === 0) return [];
  await tx.$executeRawUnsafe(UPDATE_ORDERS, workspaceId, orderIds);
  const after = await findSnapshotsById(tx, ORDERS, workspaceId, orderIds);
  const changed = orderIds.filter((id) => differsInOtherRows(before.get(id) ?? '{}', after.get(id) ?? '{}'));
  return [...records, ...(await changeRows(tx, ORDERS, workspaceId, changed, '', [], before))];
}
