// The statuses of orders and invoices: the allowed transitions, and the events and effects of each. All code that changes a status uses these
// tables.
import type { Transitions } from '../description/fields.ts';

export const ORDER_TYPES = ['one-time-order', 'subscription-order'] as const;
export type OrderType = (typeof ORDER_TYPES)[number];

/** The billing status of an order, which summarizes its invoices. */
export const BILLING_TRANSITIONS = {
  draft: ['pending', 'unpaid', 'paid', 'voided'],
  pending: ['unpaid', 'paid', 'past-due', 'voided'],
  unpaid: ['paid', 'past-due', 'voided'],
  'past-due': ['paid', 'voided'],
  paid: ['partially-refunded', 'refunded', 'disputed'],
  'partially-refunded': ['refunded', 'disputed'],
  disputed: ['paid', 'partially-refunded', 'refunded'],
  refunded: [],
  voided: [],
} as const satisfies Transitions;
export type BillingStatus = keyof typeof BILLING_TRANSITIONS;
export const BILLING_STATUSES = Object.keys(BILLING_TRANSITIONS) as BillingStatus[];

/** The service status of an order: whether the buyer gets the goods. */
export const SERVICE_TRANSITIONS = {
  pending: ['active', 'completed', 'canceled', 'abandoned', 'voided'],
  active: ['paused', 'suspended', 'completed', 'canceled', 'churned'],
  paused: ['active', 'canceled', 'churned'],
  suspended: ['active', 'canceled', 'churned'],
  canceled: ['active'],
  churned: ['active'],
  completed: [],
  abandoned: [],
  voided: [],
} as const satisfies Transitions;
export type ServiceStatus = keyof typeof SERVICE_TRANSITIONS;
export const SERVICE_STATUSES = Object.keys(SERVICE_TRANSITIONS) as ServiceStatus[];

/** Clients can request these. In addition, a full refund of a partial payment makes an invoice `unpaid` or `past-due` again. */
export const INVOICE_TRANSITIONS = {
  draft: ['unpaid', 'paid', 'voided'],
  unpaid: ['partially-paid', 'paid', 'past-due', 'abandoned', 'voided'],
  'past-due': ['partially-paid', 'paid', 'abandoned', 'voided'],
  'partially-paid': ['paid', 'past-due', 'voided'],
  paid: ['partially-refunded', 'refunded', 'disputed'],
  'partially-refunded': ['refunded', 'disputed'],
  disputed: ['paid', 'partially-refunded', 'refunded'],
  refunded: [],
  abandoned: [],
  voided: [],
} as const satisfies Transitions;
export type InvoiceStatus = keyof typeof INVOICE_TRANSITIONS;
export const INVOICE_STATUSES = Object.keys(INVOICE_TRANSITIONS) as InvoiceStatus[];

/** The statuses of invoices that still expect payment. */
export const OPEN_INVOICE_STATUSES = [
  'draft',
  'unpaid',
  'past-due',
  'partially-paid',
] as const satisfies InvoiceStatus[];
/** The statuses of invoices that were paid and not refunded in full. A refund changes these; for other invoices the refunded amount is due again. */
export const SETTLED_INVOICE_STATUSES = [
  'paid',
  'partially-refunded',
  'disputed',
] as const satisfies InvoiceStatus[];

/** Whether money has arrived for an invoice with this status. */
export function isPaid(status: string): boolean {
  return [...SETTLED_INVOICE_STATUSES, 'refunded'].includes(status);
}

/** The service statuses of subscriptions that renew at their next charge. */
export const RENEWING_SERVICE_STATUSES: readonly ServiceStatus[] = ['pending', 'active', 'suspended'];

/** The statuses of invoices whose goods are not sent: abandoned, voided or refunded in full. */
export const UNSHIPPABLE_INVOICE_STATUSES = [
  'voided',
  'abandoned',
  'refunded',
] as const satisfies InvoiceStatus[];
/** The statuses of one-time orders whose goods are not sent. A subscription that has ended still gets the billed goods. */
export const CANCELED_SERVICE_STATUSES = [
  'canceled',
  'abandoned',
  'voided',
] as const satisfies ServiceStatus[];

/** Whether goods of an invoice that were not sent yet still will be. */
export function isShippedFor(
  orderType: OrderType,
  service: ServiceStatus,
  invoiceStatus: InvoiceStatus,
): boolean {
  const isCanceled =
    orderType === 'one-time-order' && (CANCELED_SERVICE_STATUSES as readonly string[]).includes(service);
  return !isCanceled && !(UNSHIPPABLE_INVOICE_STATUSES as readonly string[]).includes(invoiceStatus);
}

/** Whether the goods of an invoice, or of all invoices of an order, were sent. */
export const FULFILLMENT_STATUSES = ['not_applicable', 'unfulfilled', 'partial', 'complete'] as const;
export type FulfillmentStatus = (typeof FULFILLMENT_STATUSES)[number];
export const FULFILLMENT_STATUS_DESCRIPTIONS = {
  not_applicable: 'Nothing has to be shipped.',
  unfulfilled: 'Nothing was shipped yet.',
  partial: 'Part of the goods was shipped.',
  complete: 'All goods were shipped.',
};

/**
 * By the new billing status of an order: the changes of its invoices. Other invoices keep their status. The change is refused if the
 * invoices would not have that billing status afterwards (`billingOf`).
 */
export const INVOICE_CHANGES: Readonly<
  Record<BillingStatus, { readonly from: readonly InvoiceStatus[]; readonly to: InvoiceStatus }>
> = {
  draft: { from: [], to: 'draft' },
  pending: { from: ['draft'], to: 'unpaid' },
  unpaid: { from: ['draft'], to: 'unpaid' },
  'past-due': { from: ['unpaid', 'partially-paid'], to: 'past-due' },
  paid: { from: [...OPEN_INVOICE_STATUSES, 'disputed'], to: 'paid' },
  disputed: { from: ['paid', 'partially-refunded'], to: 'disputed' },
  'partially-refunded': { from: ['paid', 'disputed'], to: 'partially-refunded' },
  refunded: { from: SETTLED_INVOICE_STATUSES, to: 'refunded' },
  voided: { from: OPEN_INVOICE_STATUSES, to: 'voided' },
};

/**
 * The billing status of an order, from its invoices: the first of these statuses that one of them has. Paid and refunded invoices together make
 * it partially refunded. An order that waits for its first payment may be `pending` or `unpaid`, and keeps which of the two it was.
 */
export function billingOf(statuses: readonly InvoiceStatus[], was: BillingStatus): BillingStatus {
  const has = (...some: InvoiceStatus[]) => some.some((status) => statuses.includes(status));
  if (has('disputed')) return 'disputed';
  if (has('past-due')) return 'past-due';
  if (has('unpaid', 'partially-paid')) return was === 'pending' ? was : 'unpaid';
  if (has('partially-refunded') || (has('refunded') && has('paid'))) return 'partially-refunded';
  if (has('paid')) return 'paid';
  if (has('refunded')) return 'refunded';
  return has('draft') ? 'draft' : 'voided';
}

/** The service status of an order once it is paid: changes only if the order was waiting for payment. */
export function serviceStatusWhenPaid(orderType: OrderType, service: ServiceStatus): ServiceStatus {
  if (service !== 'pending') return service;
  return orderType === 'one-time-order' ? 'completed' : 'active';
}

/** An event that occurs when an object enters a status, also when it is created with that status. */
export interface StatusEvent {
  /** Its type. The subject of `…invoice.<word>` is the invoice, otherwise the order. */
  readonly type: string;
  /** The status field, of the order or of an invoice. */
  readonly of: 'serviceStatus' | 'billingStatus' | 'invoice';
  readonly to: readonly (ServiceStatus | BillingStatus | InvoiceStatus)[];
  /** The allowed previous statuses; null is a new object. Absent: any other status, or a new object. */
  readonly from?: readonly (ServiceStatus | BillingStatus | InvoiceStatus | null)[];
  /** The only order type with the event; absent: both. */
  readonly orders?: OrderType;
}

/** The statuses before a payment. Without `disputed`: winning a dispute is not a second payment. */
const UNPAID = [...OPEN_INVOICE_STATUSES, null];

export const STATUS_EVENTS: readonly StatusEvent[] = [
  { type: 'order.completed', of: 'serviceStatus', to: ['completed'] },
  { type: 'one-time-order.completed', of: 'serviceStatus', to: ['completed'], orders: 'one-time-order' },
  { type: 'one_time_order.refunded', of: 'billingStatus', to: ['refunded'], orders: 'one-time-order' },
  { type: 'subscription.completed', of: 'serviceStatus', to: ['completed'], orders: 'subscription-order' },
  {
    type: 'subscription.activated',
    of: 'serviceStatus',
    to: ['active'],
    from: ['pending', null],
    orders: 'subscription-order',
  },
  {
    type: 'subscription.reactivated',
    of: 'serviceStatus',
    to: ['active'],
    from: ['canceled', 'churned'],
    orders: 'subscription-order',
  },
  { type: 'subscription.canceled', of: 'serviceStatus', to: ['canceled'], orders: 'subscription-order' },
  { type: 'subscription.churned', of: 'serviceStatus', to: ['churned'], orders: 'subscription-order' },
  { type: 'orders/invoice.paid', of: 'invoice', to: ['paid'], from: UNPAID },
  {
    type: 'one-time-order.invoice.paid',
    of: 'invoice',
    to: ['paid'],
    from: UNPAID,
    orders: 'one-time-order',
  },
  {
    type: 'subscription.invoice.paid',
    of: 'invoice',
    to: ['paid'],
    from: UNPAID,
    orders: 'subscription-order',
  },
  { type: 'orders/invoice.past_due', of: 'invoice', to: ['past-due'] },
  { type: 'orders/invoice.refunded', of: 'invoice', to: ['refunded'] },
  { type: 'orders/invoice.abandoned', of: 'invoice', to: ['abandoned'] },
  { type: 'orders/invoice.voided', of: 'invoice', to: ['voided'] },
];

/** The types of the events of a change from one status to another. @param from null: the object is new */
export function eventsOf(
  of: StatusEvent['of'],
  orders: OrderType,
  from: string | null,
  to: string,
): readonly string[] {
  if (from === to) return [];
  return STATUS_EVENTS.filter(
    (event) =>
      event.of === of &&
      (event.to as readonly string[]).includes(to) &&
      (event.from === undefined || (event.from as readonly (string | null)[]).includes(from)) &&
      (event.orders ?? orders) === orders,
  ).map(({ type }) => type);
}
