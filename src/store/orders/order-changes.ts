// Changes an order together with its invoices. Locks the order first, then its invoices, and plans the change before it writes anything, so
// that a refused change has no effect.
import { invoice } from '../../resources/orders/order-invoices.ts';
import {
  type BillingStatus,
  billingOf,
  eventsOf,
  INVOICE_CHANGES,
  type InvoiceStatus,
  isPaid,
  OPEN_INVOICE_STATUSES,
  type OrderType,
  type ServiceStatus,
  serviceStatusWhenPaid,
} from '../../resources/orders/order-statuses.ts';
import { order } from '../../resources/orders/orders.ts';
import { bigintAsText } from '../../rows/json.ts';
import { changeRow } from '../changing/change-row.ts';
import { differsInOtherRows } from '../changing/fulfillments.ts';
import { lockRow } from '../changing/lock-row.ts';
import { countSales } from '../changing/page-sales.ts';
import { type ChangeRecord, timeOf } from '../changing/records.ts';
import type { ChangeRules } from '../changing/rules.ts';
import { findSnapshots } from '../changing/snapshots.ts';
import type { Executor } from '../connections/executor.ts';
import { fulfillmentStatusOf } from '../sql/shipping.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import { invoiceTable } from '../tables/orders/order-invoices.ts';
import { orderTable, PAID_UNTIL } from '../tables/orders/orders.ts';
import { tableOf } from '../tables/tables.ts';
import { followOrder } from './order-enrollments.ts';
import { orderEvent } from './order-events.ts';
import { lockNumbers, takeNumbers } from './order-numbers.ts';

const ORDERS = tableOf(orderTable);
const INVOICES = tableOf(invoiceTable);

/** Rules for columns that a change sets although clients cannot. */
const derivedColumnsOnly = (...columns: string[]): ChangeRules => ({
  derived: Object.fromEntries(
    columns.map((column) => [column, { onCreate: `n.${column}`, onUpdate: `n.${column}` }]),
  ),
});
const ORDER_RULES: ChangeRules = {
  derived: {
    ...derivedColumnsOnly('in_trial', 'recurring_invoices_paid_count', 'total_amount').derived,
    fulfillment_status: {
      onCreate: 'n.fulfillment_status',
      onUpdate: fulfillmentStatusOf('n', '$workspace_id::bigint'),
    },
  },
};
const INVOICE_RULES = derivedColumnsOnly('subtotal_amount', 'fulfillment_status', 'paid_amount');

/** An order that is locked, with its invoices. */
export interface LockedOrder {
  readonly id: bigint;
  readonly workspaceId: bigint;
  readonly contactId: bigint;
  /** The page where it was ordered. */
  readonly pageId: bigint | null;
  readonly orderType: OrderType;
  readonly currency: string;
  readonly billingStatus: BillingStatus;
  readonly serviceStatus: ServiceStatus;
  readonly inTrial: boolean;
  /** Whether it is or was in a trial. */
  readonly hasTrial: boolean;
  readonly activatedAt: Date | null;
  readonly canceledAt: Date | null;
  readonly churnedAt: Date | null;
  /** The end of the time that is paid for. */
  readonly paidUntil: Date;
  /** Its JSON snapshot. */
  readonly shown: string;
  readonly invoices: readonly LockedInvoice[];
}

export interface LockedInvoice {
  readonly id: bigint;
  readonly status: InvoiceStatus;
  readonly invoiceType: string;
  readonly invoiceNumber: string | null;
  readonly issuedAt: Date | null;
  readonly paidAt: Date | null;
}

/** Values by column. They are sent as JSON, which PostgreSQL converts. */
export type Columns = Readonly<Record<string, unknown>>;

const LOCKED_COLUMNS = `t.id, t.contact_id as "contactId", t.page_id as "pageId", t.order_type as "orderType", t.currency,
    t.billing_status as "billingStatus", t.service_status as "serviceStatus", t.in_trial as "inTrial",
    t.trial_end_at is not null as "hasTrial", t.activated_at as "activatedAt",
    t.canceled_at as "canceledAt", t.churned_at as "churnedAt", ${PAID_UNTIL} as "paidUntil"`;
const LOCK_INVOICES = `select i.id, i.status, i.invoice_type as "invoiceType", i.invoice_number as "invoiceNumber", i.issued_at as "issuedAt",
    i.paid_at as "paidAt"
  from order_invoices i where i.workspace_id = $1::bigint and i.order_id = $2::bigint order by i.id for no key update`;

/** Locks an order and its invoices; null if there is no such order or the caller does not own it. */
export async function lockOrder(tx: Executor, tenancy: Tenancy, id: bigint): Promise<LockedOrder | null> {
  type Locked = Omit<LockedOrder, 'invoices' | 'shown'>;
  const locked = await lockRow<Locked>(tx, ORDERS, tenancy, id, LOCKED_COLUMNS, 'no key update');
  if (locked === null) return null;
  const invoices = await tx.$queryRawUnsafe<LockedInvoice[]>(LOCK_INVOICES, locked.workspaceId, id);
  const [shown = ''] = await findSnapshots(tx, ORDERS, locked.workspaceId, [id]);
  return { ...locked, invoices, shown };
}

const ORDER_OF = `select t.order_id as "orderId" from order_invoices t where t.id = $1::bigint and ${INVOICES.owned('$2', '$3')}`;

/** Locks the order of an invoice, and all invoices of the order; null if there is no such invoice or the caller does not own it. */
export async function lockOrderOfInvoice(
  tx: Executor,
  tenancy: Tenancy,
  invoiceId: bigint,
): Promise<LockedOrder | null> {
  const [found] = await tx.$queryRawUnsafe<{ orderId: bigint }[]>(
    ORDER_OF,
    ...[invoiceId, tenancy.teamId, tenancy.workspaceIds],
  );
  return found === undefined ? null : lockOrder(tx, tenancy, found.orderId);
}

/** A requested change of an order. */
export interface OrderChange {
  /** Columns of the order, including its statuses. */
  readonly order?: Columns;
  /** Columns of invoices, including the status, by invoice id. */
  readonly invoices?: ReadonlyMap<bigint, Columns>;
  /** Invoices that were created in this transaction. `LockedOrder.invoices` contains them too. */
  readonly created?: readonly bigint[];
}

/** A planned change. */
export interface OrderPlan {
  readonly order: Columns;
  readonly invoices: ReadonlyMap<bigint, Columns>;
  readonly created: readonly bigint[];
}

/** An order cannot have this billing status, because its invoices imply another one. */
export class BillingRefused extends Error {
  readonly status: BillingStatus;
  readonly instead: BillingStatus;

  constructor(status: BillingStatus, instead: BillingStatus) {
    super(`The invoices say ${instead}`);
    this.status = status;
    this.instead = instead;
  }
}

/**
 * Plans a change: a requested billing status changes the invoices, and the order's billing status then follows from these. If the change
 * pays the last invoice and requests no service status, service begins.
 * @throws BillingRefused
 */
export function planOrder(
  locked: LockedOrder,
  { order: given = {}, invoices = new Map(), created = [] }: OrderChange,
): OrderPlan {
  const wanted = given['billing_status'] as BillingStatus | undefined;
  const changed = new Map(invoices);
  const statusOf = (one: LockedInvoice) => (changed.get(one.id)?.['status'] ?? one.status) as InvoiceStatus;
  if (wanted !== undefined && wanted !== locked.billingStatus) {
    const { from, to } = INVOICE_CHANGES[wanted];
    for (const one of locked.invoices)
      if (from.includes(statusOf(one))) changed.set(one.id, { ...changed.get(one.id), status: to });
  }
  const says = billingOf(locked.invoices.map(statusOf), wanted ?? locked.billingStatus);
  if (wanted !== undefined && says !== wanted) throw new BillingRefused(wanted, says);
  const renewals = locked.invoices.filter(isRenewal);
  const isNowPaid =
    says === 'paid' &&
    locked.invoices.some(
      (one) => statusOf(one) === 'paid' && (created.includes(one.id) || !isPaid(one.status)),
    );
  const service = (given['service_status'] ??
    (isNowPaid
      ? serviceStatusWhenPaid(locked.orderType, locked.serviceStatus)
      : locked.serviceStatus)) as ServiceStatus;
  const isOver = !['pending', 'active', 'paused', 'suspended'].includes(service);
  return {
    order: {
      ...given,
      ...{ billing_status: says, service_status: service },
      in_trial: locked.inTrial && renewals.length === 0 && !isOver,
      recurring_invoices_paid_count: renewals.filter((one) => isPaid(statusOf(one))).length,
    },
    invoices: changed,
    created,
  };
}

const isRenewal = ({ invoiceType }: LockedInvoice) => invoiceType === 'renewal';

/** The change that voids all invoices that await payment. */
export function voidOpenInvoices({ invoices }: LockedOrder): ReadonlyMap<bigint, Columns> {
  const open = invoices.filter(({ status }) => (OPEN_INVOICE_STATUSES as readonly string[]).includes(status));
  return new Map(open.map(({ id }) => [id, { status: 'voided' }]));
}

/** The records of a written change, and all of its events. */
export interface WrittenOrder {
  /** null: the order has not changed. */
  readonly order: ChangeRecord | null;
  readonly invoices: readonly ChangeRecord[];
  /** Enrollments of the buyer in courses. */
  readonly enrollments: readonly ChangeRecord[];
  readonly events: ChangeRecord['events'];
}

/**
 * Writes a planned change.
 * @param touched planned invoices whose lines were changed in this transaction
 * @throws the database's error
 */
export async function writeOrder(
  tx: Executor,
  locked: LockedOrder,
  plan: OrderPlan,
  touched: readonly bigint[] = [],
): Promise<WrittenOrder> {
  const { workspaceId, id, contactId, orderType, invoices } = locked;
  if (invoices.some((one) => needsNumber(one, plan.invoices.get(one.id)))) await lockNumbers(tx, workspaceId);
  const now = await timeOf(tx, ORDERS);
  const invoiceTime = await timeOf(tx, INVOICES);
  const of = { workspaceId, contactId };
  const statusOf = (one: LockedInvoice) =>
    (plan.invoices.get(one.id)?.['status'] ?? one.status) as InvoiceStatus;

  const changes: { one: LockedInvoice; before: string | null; from: InvoiceStatus | null }[] = [];
  for (const one of invoices) {
    if (plan.created.includes(one.id)) changes.push({ one, before: null, from: null });
    const given = plan.invoices.get(one.id);
    if (given === undefined) continue;
    const settled = await withNumber(tx, workspaceId, one, {
      ...given,
      ...invoiceTimes(one, given, invoiceTime),
    });
    const row = await changeRow(tx, INVOICES, INVOICE_RULES, {
      workspaceId,
      id: one.id,
      now: invoiceTime,
      given: toJson(settled),
      touched: touched.includes(one.id),
    });
    if (row.isChanged && !plan.created.includes(one.id))
      changes.push({ one, before: row.before, from: one.status });
  }
  const [settled = ''] = await findSnapshots(tx, ORDERS, workspaceId, [id]);
  const ordered = await changeRow(tx, ORDERS, ORDER_RULES, {
    ...{ workspaceId, id, now, shown: locked.shown, touched: differsInOtherRows(locked.shown, settled) },
    given: toJson({ ...plan.order, ...serviceTimes(locked, plan.order, now) }),
  });

  if (locked.pageId !== null) {
    const paid = changes.filter(({ one, from }) => isPaid(statusOf(one)) && !isPaid(from ?? ''));
    await countSales(
      tx,
      workspaceId,
      paid.map(({ one }) => one.id),
    );
  }
  const ids = changes.map(({ one }) => one.id);
  const shownInvoices = await findSnapshots(tx, INVOICES, workspaceId, ids);
  const [orderJson = ''] = await findSnapshots(tx, ORDERS, workspaceId, [id]);
  const shownOrder = { id, json: orderJson };
  const paidBefore = invoices.filter((one) => !plan.created.includes(one.id) && isPaid(one.status));
  let isFirst = paidBefore.length === 0;
  let isConverted = locked.hasTrial && !paidBefore.some(isRenewal);
  const invoiceEvents = changes.flatMap(({ one, before, from }, index) => {
    const shown = { order: shownOrder, invoice: { id: one.id, json: shownInvoices[index] ?? '' } };
    const to = statusOf(one);
    const types = [
      from === null ? 'orders/invoice.created' : 'orders/invoice.updated',
      ...eventsOf('invoice', orderType, from, to),
      // A line with a smaller quantity may make the invoice completely sent.
      ...(isFulfilled(shown.invoice.json) && before !== null && !isFulfilled(before)
        ? ['orders/invoice.fulfilled']
        : []),
    ];
    if (isFirst && types.includes('subscription.invoice.paid')) {
      types.push('subscription.first_payment_received');
      isFirst = false;
    }
    if (isConverted && isRenewal(one) && types.includes('subscription.invoice.paid')) {
      types.push('subscription.trial_converted');
      isConverted = false;
    }
    return types.map((type) => orderEvent(type, shown));
  });
  const {
    billing_status: billing,
    service_status: service = locked.serviceStatus,
    in_trial: inTrial,
  } = plan.order;
  const orderTypes = ordered.isChanged
    ? [
        'order.updated',
        ...eventsOf('serviceStatus', orderType, locked.serviceStatus, String(service)),
        ...eventsOf('billingStatus', orderType, locked.billingStatus, String(billing)),
        ...(locked.inTrial && inTrial === false ? ['subscription.trial_ended'] : []),
      ]
    : [];
  const { records: enrollments, events: enrollmentEvents } = await followOrder(tx, {
    ...{ workspaceId, id, contactId },
    before: { billing: locked.billingStatus, service: locked.serviceStatus },
    after: { billing: (billing ?? locked.billingStatus) as BillingStatus, service: service as ServiceStatus },
    isPaidNow: changes.some(({ one, from }) => isPaid(statusOf(one)) && !isPaid(from ?? '')),
  });
  return {
    order: ordered.isChanged
      ? {
          ...{ ...of, resource: order, action: 'updated', outcome: 'updated', subjectId: id },
          ...{ before: ordered.before, after: orderJson, events: [] },
        }
      : null,
    invoices: changes.map(
      ({ one, before }, index): ChangeRecord => ({
        ...{
          ...of,
          resource: invoice,
          subjectId: one.id,
          before,
          after: shownInvoices[index] ?? null,
          events: [],
        },
        ...(before === null
          ? { action: 'created', outcome: 'created' }
          : { action: 'updated', outcome: 'updated' }),
      }),
    ),
    enrollments,
    events: [
      ...orderTypes.map((type) => orderEvent(type, { order: shownOrder })),
      ...[...invoiceEvents, ...enrollmentEvents],
    ],
  };
}

function toJson(columns: Columns): string {
  return JSON.stringify(columns, bigintAsText);
}

/**
 * The times that a new service status sets, unless the client sets them or they are set already. A canceled subscription ends with the time
 * that is paid for.
 */
function serviceTimes(locked: LockedOrder, given: Columns, now: string): Columns {
  const { service_status: to = locked.serviceStatus } = given;
  if (to === locked.serviceStatus) return {};
  const isEnding = to === 'canceled' && locked.orderType === 'subscription-order';
  const times = {
    ...(to === 'active' && locked.activatedAt === null && { activated_at: now }),
    ...(to === 'canceled' && { canceled_at: now }),
    ...(to === 'churned' && { churned_at: now }),
    ...(isEnding && { churned_at: locked.paidUntil }),
  };
  return Object.fromEntries(Object.entries(times).filter(([column]) => given[column] === undefined));
}

/** The times that an invoice's status sets, unless the client sets them or they are set already. */
function invoiceTimes(one: LockedInvoice, { status = one.status, ...given }: Columns, now: string): Columns {
  return {
    ...(isPaid(String(status)) && one.paidAt === null && given['paid_at'] === undefined && { paid_at: now }),
    ...(status !== 'draft' &&
      one.issuedAt === null &&
      given['issued_at'] === undefined && { issued_at: now }),
  };
}

/** Whether an invoice needs a number: it needs one when it is no longer a draft, but not if it is voided as a draft. */
export function needsNumber(
  { status, invoiceNumber }: Pick<LockedInvoice, 'status' | 'invoiceNumber'>,
  given: Columns | undefined,
): boolean {
  const { status: to = status, invoice_number: number = invoiceNumber } = given ?? {};
  return given !== undefined && (number ?? null) === null && to !== 'draft' && to !== 'voided';
}

/** Adds the next number if the invoice needs one. */
async function withNumber(
  tx: Executor,
  workspaceId: bigint,
  one: LockedInvoice,
  given: Columns,
): Promise<Columns> {
  if (!needsNumber(one, given)) return given;
  const { invoice } = await takeNumbers(tx, workspaceId, { order: 0, invoice: 1 });
  return { ...given, invoice_number: `${invoice}` };
}

/** Whether an invoice is completely sent, from its JSON. */
function isFulfilled(json: string): boolean {
  return (JSON.parse(json) as { fulfillment_status: string }).fulfillment_status === 'complete';
}
