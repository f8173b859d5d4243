// Creates an order with its lines and its first invoice, and takes it from stock, in one transaction. PostgreSQL computes the sums from the
// current prices.
import { notFound } from '../../errors.ts';
import type { NounTable } from '../../resources/nouns.ts';
import { invoice } from '../../resources/orders/order-invoices.ts';
import { MAX_LINE_ITEMS } from '../../resources/orders/order-line-items.ts';
import {
  type BillingStatus,
  eventsOf,
  INVOICE_CHANGES,
  isPaid,
  type OrderType,
  type ServiceStatus,
  serviceStatusWhenPaid,
} from '../../resources/orders/order-statuses.ts';
import { order } from '../../resources/orders/orders.ts';
import { type Changed, execute } from '../changing/changes.ts';
import { insertContact } from '../changing/contacts.ts';
import { countSales } from '../changing/page-sales.ts';
import { findSubscriptions } from '../changing/record.ts';
import type { ChangeOrigin, ChangeRecord } from '../changing/records.ts';
import { findSnapshots } from '../changing/snapshots.ts';
import { withSql } from '../changing/transactions.ts';
import type { Executor } from '../connections/executor.ts';
import { TYPE_NUMBER } from '../sql/public-ids.ts';
import type { StoreContext } from '../store.ts';
import { invoiceTable } from '../tables/orders/order-invoices.ts';
import { orderTable } from '../tables/orders/orders.ts';
import { ownedWorkspace } from '../tables/table.ts';
import { tableOf } from '../tables/tables.ts';
import { ENROLLING_EVENTS, followOrder } from './order-enrollments.ts';
import { orderEvent } from './order-events.ts';
import {
  findLines,
  LineRefused,
  lockOrdered,
  type Priced,
  requireOrderable,
  takeFromStock,
} from './order-lines.ts';
import { takeNumbers } from './order-numbers.ts';
import { countInvoiceLines, type Drawn, insertOrderWithInvoice, type NewOrder } from './order-rows.ts';

const ORDERS = tableOf(orderTable);
const INVOICES = tableOf(invoiceTable);

/** A client's order. Statuses that the client omits are null, and follow from the amount due. */
export interface RequestedOrder extends Omit<NewOrder, 'billingStatus' | 'serviceStatus'> {
  readonly billingStatus: BillingStatus | null;
  readonly serviceStatus: ServiceStatus | null;
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

function ask<Row extends object>(tx: Executor, text: string, ...values: unknown[]): PromiseLike<Row[]> {
  return tx.$queryRawUnsafe<Row[]>(text, ...values);
}
