// Writes an invoice of a locked order, and adds up its lines.
import type { InvoiceStatus } from '../../resources/orders/order-statuses.ts';
import { updateLineStatuses } from '../changing/fulfillments.ts';
import { insertObjects } from '../changing/insert-objects.ts';
import { timeOf } from '../changing/records.ts';
import type { Executor } from '../connections/executor.ts';
import { invoiceLineItemTable, invoiceTable } from '../tables/orders/order-invoices.ts';
import { tableOf } from '../tables/tables.ts';
import { type Columns, type LockedInvoice, type LockedOrder, needsNumber } from './order-changes.ts';
import { findLines, LineRefused, type RequestedLine, requireBillable } from './order-lines.ts';
import { lockNumbers } from './order-numbers.ts';
import { billedColumns, timeColumns } from './order-rows.ts';

const INVOICES = tableOf(invoiceTable);
const LINES = tableOf(invoiceLineItemTable);

/** A line from a client. */
interface GivenLine extends RequestedLine {
  readonly amount: string;
  readonly description?: string | null;
}

/**
 * Inserts an invoice with its lines. `writeOrder` adds its number and times, and updates the order.
 * @param columns the client's values @param zero 0 with the digits of the currency @throws LineRefused; the database's error
 */
export async function insertInvoice(
  tx: Executor,
  { workspaceId, id: orderId, currency }: LockedOrder,
  columns: Columns,
  given: readonly GivenLine[],
  zero: string,
): Promise<LockedInvoice> {
  const priced = requireBillable(await findLines(tx, workspaceId, given), given, currency);
  if (needsNumber({ status: 'draft', invoiceNumber: null }, columns)) await lockNumbers(tx, workspaceId);
  const now = await timeOf(tx, INVOICES);
  const { invoice_number: number, issued_at: issuedAt, paid_at: paidAt } = columns;
  const [id = 0n] = await insertObjects(tx, INVOICES, workspaceId, [
    {
      ...columns,
      // A draft until it has its number.
      ...{ order_id: orderId, currency, status: number == null ? 'draft' : columns['status'] },
      ...{ subtotal_amount: zero, tax_amount: zero, discount_amount: zero },
      fulfillment_status: priced.some(({ isSent }) => isSent) ? 'unfulfilled' : 'not_applicable',
      ...timeColumns(now),
    },
  ]);
  await insertObjects(
    tx,
    LINES,
    workspaceId,
    given.map(({ quantity, amount, description = null }, index) => {
      const line = priced[index];
      if (line === undefined) throw new LineRefused(index, 'no such price');
      return { ...billedColumns(line), invoice_id: id, quantity, amount, description, ...timeColumns(now) };
    }),
  );
  return {
    ...{ id, status: columns['status'] as InvoiceStatus, invoiceType: String(columns['invoice_type']) },
    ...{ invoiceNumber: (number ?? null) as string | null },
    ...{ issuedAt: (issuedAt ?? null) as Date | null, paidAt: (paidAt ?? null) as Date | null },
  };
}

const SUM = `select (coalesce(sum(l.amount * l.quantity), 0) + 0 * i.shipping_amount)::text as subtotal_amount
  from order_invoices i left join order_invoice_line_items l on l.workspace_id = i.workspace_id and l.invoice_id = i.id
  where i.workspace_id = $1::bigint and i.id = $2::bigint group by i.shipping_amount`;

/** Computes the columns of an invoice that follow from its lines, as they are now in this transaction. @throws Refused as `updateLineStatuses` */
export async function addUpLines(tx: Executor, workspaceId: bigint, id: bigint): Promise<Columns> {
  const [sums = {}] = await tx.$queryRawUnsafe<Columns[]>(SUM, workspaceId, id);
  const [settled] = await updateLineStatuses(tx, workspaceId, [id]);
  return { ...sums, fulfillment_status: settled?.status };
}
