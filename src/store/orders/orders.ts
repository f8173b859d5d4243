// Creates an order with its lines and its first invoice, and takes it from stock, in one transaction. PostgreSQL computes the sums from the
// current prices.
import { notFound } from '../../errors.ts';
import type { NounTable } from '../../resources/nouns.ts';
import { invoice } from '../../resources/orders/order-invoices.ts';
import { MAX_LINE_ITEMS } from '../../resources/orders/order-line-items.ts';
import {
  type BillingStatus,
  eventsOf,
  type FulfillmentStatus,
  INVOICE_CHANGES,
  isShippedFor,
  type OrderType,
  type ServiceStatus,
  serviceStatusWhenPaid,
} from '../../resources/orders/order-statuses.ts';
import { order, orderLineItem } from '../../resources/orders/orders.ts';
import { type Changed, execute } from '../changing/changes.ts';
import type { ColumnValues } from '../changing/children.ts';
import { insertContact } from '../changing/contacts.ts';
import { insertRows } from '../changing/insert-rows.ts';
import { countSales } from '../changing/page-sales.ts';
import { findSubscriptions } from '../changing/record.ts';
import type { ChangeOrigin, ChangeRecord } from '../changing/records.ts';
import { findSnapshots } from '../changing/snapshots.ts';
import { typeOfColumn } from '../changing/statements.ts';
import { withSql } from '../changing/transactions.ts';
import type { Executor } from '../connections/executor.ts';
import { TYPE_NUMBER } from '../sql/public-ids.ts';
import type { StoreContext } from '../store.ts';
import { invoiceLineItemTable, invoiceTable } from '../tables/orders/order-invoices.ts';
import { orderTable } from '../tables/orders/orders.ts';
import { ownedWorkspace, type Table } from '../tables/table.ts';
import { tableOf } from '../tables/tables.ts';
import { ENROLLING_EVENTS, followOrder } from './order-enrollments.ts';
import { orderEvent } from './order-events.ts';
import {
  findLines,
  LineRefused,
  lockOrdered,
  type Priced,
  type RequestedLine,
  requireOrderable,
  takeFromStock,
} from './order-lines.ts';
import { takeNumbers } from './order-numbers.ts';

const ORDERS = tableOf(orderTable);
const LINES = tableOf(orderLineItem);
const INVOICES = tableOf(invoiceTable);
const INVOICE_LINES = tableOf(invoiceLineItemTable);

/** A client's order. Statuses that the client omits are null, and follow from the amount due. */
export interface RequestedOrder extends Omit<NewOrder, 'billingStatus' | 'serviceStatus'> {
  readonly billingStatus: BillingStatus | null;
  readonly serviceStatus: ServiceStatus | null;
}

/** An order that is ready to be written. */
interface NewOrder {
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
interface Drawn {
  readonly auditEntryId: bigint;
  readonly orderId: bigint;
  readonly invoiceId: bigint;
  readonly lineIds: bigint[];
  /** Each drawn for one table. */
  readonly orderTime: string;
  readonly invoiceTime: string;
  readonly variantTime: string;
}

const drawId = (table: NounTable) => `draw_id(${TYPE_NUMBER[table]}, '${table}_id_seq')`;
const drawTime = (table: NounTable) => `draw_time(${TYPE_NUMBER[table]})::text`;
const DRAW = `select ${drawId('audit_entries')} as "auditEntryId", ${drawId('orders')} as "orderId", ${drawId('order_invoices')} as "invoiceId",
  ${drawTime('orders')} as "orderTime", ${drawTime('order_invoices')} as "invoiceTime", ${drawTime('product_variants')} as "variantTime",
  array(select ${drawId('order_line_items')} from generate_series(1, $1::int)) as "lineIds"`;

const OWNER = `select p.id from workspaces p where p.id = $1::bigint and ${ownedWorkspace('p.id', '$2', '$3')}`;

/**
 * Creates an order.
 * @returns null: the idempotency key was claimed before
 * @throws AppError `not_found` if the caller does not own the workspace; LineRefused; as `execute`
 */
export async function createOrder(
  ctx: StoreContext,
  recorded: ChangeOrigin,
  wanted: RequestedOrder,
): Promise<Changed | null> {
  // Without the tenant role, nothing else keeps the next statements from touching rows of other tenants.
  const waitsForOwner = !(await ctx.store.hasTenantRole());
  return execute(ctx, recorded, withSql, (tx) => makeOrder(tx, recorded, wanted, waitsForOwner));
}

async function makeOrder(
  tx: Executor,
  { team, workspaces }: ChangeOrigin,
  wanted: RequestedOrder,
  waitsForOwner: boolean,
): Promise<ChangeRecord> {
  const { workspaceId, orderType, billingStatus, serviceStatus } = wanted;
  const isDraft = INVOICE_CHANGES[billingStatus ?? 'pending'].to === 'draft';
  const isSubscription = orderType === 'subscription-order';
  const billings = billingStatus === null ? (['pending', 'paid'] as const) : [billingStatus];
  const services =
    serviceStatus === null
      ? (['pending', serviceStatusWhenPaid(orderType, 'pending')] as const)
      : [serviceStatus];
  /** The event types for all statuses that the order may get. */
  const types = billings.flatMap((billing) =>
    services.flatMap((service) => createdEvents(orderType, billing, service)),
  );
  const trialTypes = isSubscription ? ['subscription.trial_started'] : [];
  const contactTypes = typeof wanted.contact === 'bigint' ? [] : ['contact.created', 'contact.identified'];

  const owning = ask<{ id: bigint }>(tx, OWNER, workspaceId, team, workspaces);
  if (waitsForOwner && (await owning).length === 0) throw notFound('Workspace');
  const locking = lockOrdered(tx, workspaceId, wanted.lines);
  const pricing = findLines(tx, workspaceId, wanted.lines);
  const numbering = takeNumbers(tx, workspaceId, { order: 1, invoice: isDraft ? 0 : 1 });
  // Drawn after all locks, because the lists of all teams hide rows newer than the ids of an open transaction.
  const drawing = ask<Drawn>(tx, DRAW, wanted.lines.length);
  const pageId = (wanted.columns['page_id'] ?? null) as bigint | null;
  const subscribing =
    pageId === null
      ? findSubscriptions(tx, workspaceId, [
          ...new Set(types),
          ...[...trialTypes, ...contactTypes, ...ENROLLING_EVENTS],
        ])
      : Promise.resolve(undefined);
  for (const answer of [drawing, subscribing, locking, pricing, numbering]) answer.then(null, () => {});
  if ((await owning).length === 0) throw notFound('Workspace');
  const [[drawn], subscriptions, rows, numbers] = await Promise.all([
    drawing,
    subscribing,
    pricing,
    numbering,
  ]);
  if (drawn === undefined) throw new TypeError('Nothing was drawn');
  const priced = requireOrderable(rows, wanted.lines);
  const full = priced.lines.findIndex(
    (_, index) => countInvoiceLines(priced.lines.slice(0, index + 1)) > MAX_LINE_ITEMS,
  );
  if (full >= 0) throw new LineRefused(full, 'too many');

  const person =
    typeof wanted.contact === 'bigint' ? null : await insertContact(tx, workspaceId, wanted.contact);
  const contactId = person?.subjectId ?? (wanted.contact as bigint);
  const { orderId, invoiceId, auditEntryId } = drawn;
  const inTrial = isSubscription && priced.trialEndAt !== null;
  const settled = settleStatuses(wanted, priced, inTrial);
  const { to: invoiceStatus } = INVOICE_CHANGES[settled.billingStatus];
  const stocking = takeFromStock(tx, workspaceId, priced.lines, drawn.variantTime);
  const writing = insertOrderWithInvoice(tx, settled, priced, drawn, { contactId, inTrial, ...numbers });
  const [, [orderJson = ''], [invoiceJson = '']] = await Promise.all([
    stocking,
    findSnapshots(tx, ORDERS, workspaceId, [orderId]),
    findSnapshots(tx, INVOICES, workspaceId, [invoiceId]),
    writing,
    pageId !== null && isPaid(invoiceStatus) && countSales(tx, workspaceId, [invoiceId]),
  ]);
  const { billingStatus: billing, serviceStatus: service } = settled;
  const enrolled = priced.lines.some(({ courseIds }) => courseIds.length > 0)
    ? await followOrder(tx, {
        ...{ workspaceId, id: orderId, contactId },
        ...{ before: null, after: { billing, service }, isPaidNow: true },
      })
    : { records: [], events: [] };
  const shown = {
    order: { id: orderId, json: orderJson },
    invoice: { id: invoiceId, json: invoiceJson },
  };
  const created = { workspaceId, action: 'created', outcome: 'created', contactId, before: null } as const;
  return {
    ...{ ...created, pageId, resource: order, subjectId: orderId, after: orderJson },
    events: [
      ...(person?.events ?? []),
      ...[
        ...createdEvents(orderType, settled.billingStatus, settled.serviceStatus),
        ...(inTrial ? trialTypes : []),
      ].map((type) => orderEvent(type, shown)),
      ...enrolled.events,
    ],
    children: [
      ...(person === null ? [] : [person]),
      { ...created, resource: invoice, subjectId: invoiceId, after: invoiceJson, events: [] },
      ...enrolled.records,
    ],
    // Its lines, the invoice and its lines, the contact, and enrollments.
    rows:
      priced.lines.length +
      1 +
      countInvoiceLines(priced.lines) +
      (person === null ? 0 : 1) +
      enrolled.records.length,
    prepared: { auditEntryId, subscriptions },
  };
}

/** The event types of a new order with these statuses, and of its invoice. */
function createdEvents(orderType: OrderType, billing: BillingStatus, service: ServiceStatus): string[] {
  const { to: invoiceStatus } = INVOICE_CHANGES[billing];
  const isFirstPayment = orderType === 'subscription-order' && invoiceStatus === 'paid';
  return [
    ...['order.created', 'orders/invoice.created'],
    ...eventsOf('serviceStatus', orderType, null, service),
    ...eventsOf('billingStatus', orderType, null, billing),
    ...eventsOf('invoice', orderType, null, invoiceStatus),
    ...(isFirstPayment ? ['subscription.first_payment_received'] : []),
  ];
}

/** Adds the statuses that the client omits: service begins if nothing is left to pay, or with a trial. */
function settleStatuses(wanted: RequestedOrder, { total }: Priced, inTrial: boolean): NewOrder {
  const { orderType, columns } = wanted;
  const isFree = !/[1-9]/.test(total);
  const billingStatus =
    wanted.billingStatus ?? (isFree && orderType === 'one-time-order' ? 'paid' : 'pending');
  const { to: invoiceStatus } = INVOICE_CHANGES[billingStatus];
  const isServed = invoiceStatus === 'paid' || (invoiceStatus === 'unpaid' && (isFree || inTrial));
  const serviceStatus =
    wanted.serviceStatus ?? (isServed ? serviceStatusWhenPaid(orderType, 'pending') : 'pending');
  return {
    ...{ ...wanted, billingStatus, serviceStatus },
    columns: { ...columns, billing_status: billingStatus, service_status: serviceStatus },
  };
}

/** Whether money has arrived for an invoice with this status. */
export function isPaid(status: string): boolean {
  return ['paid', 'partially-refunded', 'refunded', 'disputed'].includes(status);
}

/** How many lines the first invoice has: a set-up fee is a separate line. */
function countInvoiceLines(lines: Priced['lines']): number {
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
function insertOrderWithInvoice(
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

/** Inserts rows of a noun that all have the same columns. @param unshown the types of columns that are not fields @returns their ids */
export async function insertObjects(
  tx: Executor,
  { name, resource }: Table<{ id: bigint }>,
  workspaceId: bigint,
  rows: readonly Readonly<Record<string, unknown>>[],
  unshown: Readonly<Record<string, string>> = {},
): Promise<bigint[]> {
  const columns = Object.keys(rows[0] ?? {});
  const inserted = await insertRows<{ id: bigint }>(tx, {
    insert: `insert into ${name} (${['workspace_id', ...columns].join(', ')})`,
    workspaceId,
    // A column of the type json keeps the order of members.
    types: columns.map(
      (column) => unshown[column] ?? typeOfColumn(resource, column).replace('jsonb', 'json'),
    ),
    rows: rows.map((row) => columns.map((column) => row[column] ?? null)),
    returning: 'id',
  });
  return inserted.map(({ id }) => id);
}

function ask<Row extends object>(tx: Executor, text: string, ...values: unknown[]): PromiseLike<Row[]> {
  return tx.$queryRawUnsafe<Row[]>(text, ...values);
}
