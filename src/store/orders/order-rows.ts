// The rows of a new order: the order with its lines, and its first invoice with the invoice's lines.
import {
  type BillingStatus,
  type FulfillmentStatus,
  INVOICE_CHANGES,
  isPaid,
  isShippedFor,
  type OrderType,
  type ServiceStatus,
} from '../../resources/orders/order-statuses.ts';
import { orderLineItem } from '../../resources/orders/orders.ts';
import type { ColumnValues } from '../changing/children.ts';
import { insertObjects } from '../changing/insert-objects.ts';
import type { Executor } from '../connections/executor.ts';
import { invoiceLineItemTable, invoiceTable } from '../tables/orders/order-invoices.ts';
import { orderTable } from '../tables/orders/orders.ts';
import { tableOf } from '../tables/tables.ts';
import type { Priced, RequestedLine } from './order-lines.ts';

const ORDERS = tableOf(orderTable);
const LINES = tableOf(orderLineItem);
const INVOICES = tableOf(invoiceTable);
const INVOICE_LINES = tableOf(invoiceLineItemTable);

/** An order that is ready to be written. */
export interface NewOrder {
  readonly workspaceId: bigint;
  /** The contact who orders: one of the workspace, or the columns of one to create with the order. */
  readonly contact: bigint | ColumnValues;
  readonly lines: readonly RequestedLine[];
  readonly orderType: OrderType;
  readonly billingStatus: BillingStatus;
  readonly serviceStatus: ServiceStatus;
  /** The client's values by column. */
  readonly columns: ColumnValues['columns'];
}

/** The ids of the new rows, and the times of the change. */
export interface Drawn {
  readonly auditEntryId: bigint;
  readonly orderId: bigint;
  readonly invoiceId: bigint;
  readonly lineIds: bigint[];
  /** Each drawn for one table. */
  readonly orderTime: string;
  readonly invoiceTime: string;
  readonly variantTime: string;
}

/** How many lines the first invoice has: a set-up fee is a separate line. */
export function countInvoiceLines(lines: Priced['lines']): number {
  return lines.length + lines.filter(({ hasSetup }) => hasSetup).length;
}

function sumsOf({ total, zero, lines: [line] }: Priced) {
  return {
    currency: line?.currency,
    subtotal_amount: total,
    shipping_amount: zero,
    tax_amount: zero,
    discount_amount: zero,
  };
}

/** The time columns of a new row. */
export function timeColumns(now: string) {
  return { created_at: now, updated_at: now };
}

/** Values of a new order that are computed before it is written. */
interface ComputedValues {
  readonly contactId: bigint;
  readonly inTrial: boolean;
  /** The numbers of order and invoice. */
  readonly order: number;
  readonly invoice: number;
}

/** Inserts an order with its lines, its first invoice and the invoice's lines. The statements are sent together. */
export function insertOrderWithInvoice(
  tx: Executor,
  wanted: NewOrder,
  priced: Priced,
  drawn: Drawn,
  derived: ComputedValues,
): Promise<unknown> {
  const { workspaceId } = wanted;
  return Promise.all([
    insertOrder(tx, wanted, priced, drawn, derived),
    insertLines(tx, workspaceId, priced, drawn),
    insertFirstInvoice(tx, wanted, priced, drawn, derived),
    insertInvoiceLines(tx, workspaceId, priced, drawn),
  ]);
}

/** The fulfillment status of a new order's invoice. */
function fulfillmentStatusOf({ lines }: Priced): FulfillmentStatus {
  return lines.some(({ isSent }) => isSent) ? 'unfulfilled' : 'not_applicable';
}

function insertFirstInvoice(
  tx: Executor,
  { workspaceId, orderType, billingStatus }: NewOrder,
  priced: Priced,
  { orderId, invoiceId, invoiceTime }: Drawn,
  { invoice: number }: ComputedValues,
) {
  const { to: status } = INVOICE_CHANGES[billingStatus];
  return insertObjects(tx, INVOICES, workspaceId, [
    {
      ...{ id: invoiceId, order_id: orderId, status },
      invoice_number: status === 'draft' ? null : `${number}`,
      invoice_type: orderType === 'subscription-order' ? 'initial' : 'one_time',
      ...sumsOf(priced),
      issued_at: status === 'draft' ? null : invoiceTime,
      paid_at: isPaid(status) ? invoiceTime : null,
      fulfillment_status: fulfillmentStatusOf(priced),
      ...timeColumns(invoiceTime),
    },
  ]);
}

function insertOrder(
  tx: Executor,
  { workspaceId, columns, orderType, billingStatus, serviceStatus }: NewOrder,
  priced: Priced,
  { orderId, orderTime }: Drawn,
  { contactId, inTrial, order: orderNumber }: ComputedValues,
) {
  const isSubscription = orderType === 'subscription-order';
  const { total, zero, trialEndAt, nextChargeAt } = priced;
  const [line] = priced.lines;
  const isShipped = isShippedFor(orderType, serviceStatus, INVOICE_CHANGES[billingStatus].to);
  /** A time that the service status sets, unless the client sets it. */
  const since = (column: string, ...statuses: ServiceStatus[]) => ({
    [column]: columns[column] ?? (statuses.includes(serviceStatus) ? orderTime : null),
  });
  const charge = columns['next_charge_at'] ?? (isSubscription ? nextChargeAt : null);
  const ended = isSubscription && serviceStatus === 'canceled' ? (charge ?? orderTime) : null;
  return insertObjects(tx, ORDERS, workspaceId, [
    {
      ...columns,
      ...{ id: orderId, contact_id: contactId, order_number: orderNumber, in_trial: inTrial },
      ...{ currency: line?.currency, total_amount: total, tax_amount: zero },
      fulfillment_status: isShipped ? fulfillmentStatusOf(priced) : 'not_applicable',
      trial_end_at: inTrial ? trialEndAt : null,
      next_charge_at: charge,
      ...since('activated_at', 'active'),
      ...since('canceled_at', 'canceled'),
      churned_at: since('churned_at', 'churned')['churned_at'] ?? ended,
      ...timeColumns(orderTime),
    },
  ]);
}

function insertLines(
  tx: Executor,
  workspaceId: bigint,
  { lines }: Priced,
  { orderId, lineIds, orderTime }: Drawn,
) {
  return insertObjects(
    tx,
    LINES,
    workspaceId,
    lines.map((line, index) => ({
      ...{ id: lineIds[index], order_id: orderId, quantity: line.quantity, currency: line.currency },
      ...{ product_id: line.productId, variant_id: line.variantId, price_id: line.priceId },
      ...{ amount: line.amount, first_amount: line.firstAmount, setup_amount: line.setupAmount },
      original_product: line.originalProduct,
      products_price: line.productsPrice,
      products_variant: line.productsVariant,
      taken_quantity: line.taken,
      ...timeColumns(orderTime),
    })),
    { taken_quantity: 'int' },
  );
}

function insertInvoiceLines(
  tx: Executor,
  workspaceId: bigint,
  { lines }: Priced,
  { invoiceId, lineIds, invoiceTime }: Drawn,
) {
  return insertObjects(
    tx,
    INVOICE_LINES,
    workspaceId,
    lines.flatMap((line, index) => {
      const billed = {
        ...{ invoice_id: invoiceId, order_line_item_id: lineIds[index], ...billedColumns(line) },
        ...{ description: null as string | null, quantity: line.quantity, amount: line.firstAmount },
        period_number: line.periodEndAt === null ? null : 1,
        period_start_at: line.periodEndAt === null ? null : invoiceTime,
        period_end_at: line.periodEndAt,
        ...timeColumns(invoiceTime),
      };
      const setup = { quantity: 1, amount: line.setupAmount, fulfillment_status: 'ignored' };
      return line.hasSetup ? [billed, { ...billed, ...setup, description: 'Set-up' }] : [billed];
    }),
  );
}

/** The columns of an invoice line that are copied from a line of the order. */
export function billedColumns(line: Priced['lines'][number]) {
  return {
    ...{ product_id: line.productId, variant_id: line.variantId, price_id: line.priceId },
    payment_type: line.paymentType,
    fulfillment_status: line.isSent ? 'unfulfilled' : 'ignored',
    products_price: line.billedPrice,
    products_variant: line.billedVariant,
  };
}
