// The statuses of orders and invoices: which may follow which, and what happens when one is entered. Everything that changes a status reads
// these tables.
import type { Transitions } from '../resource.ts';

export const ORDER_TYPES = ['one-time-order', 'subscription-order'] as const;
export type OrderType = (typeof ORDER_TYPES)[number];

/** What an order's invoices say together. */
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

/** Whether the buyer gets what was ordered. */
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

/** Besides, paying back all that was paid in part makes an invoice `unpaid` again, or `past-due`, which nobody can ask for. */
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

/** The invoices on which nothing was paid back yet or in full, and that wait for money. */
export const OPEN = ['draft', 'unpaid', 'past-due', 'partially-paid'] as const satisfies InvoiceStatus[];
/** The invoices that were paid and not paid back in full. What is paid back changes them; of other invoices so much is due again. */
export const SETTLED = ['paid', 'partially-refunded', 'disputed'] as const satisfies InvoiceStatus[];

/** Nothing of such an invoice is sent: it was given up, or all of it was paid back. */
export const UNSENDABLE = ['voided', 'abandoned', 'refunded'] as const satisfies InvoiceStatus[];
/** Nothing of such a one-time order is sent. A subscription that has ended still gets what was billed. */
export const CALLED_OFF = ['canceled', 'abandoned', 'voided'] as const satisfies ServiceStatus[];

/** Whether goods were sent: of an invoice, or of an order over its invoices. */
export const FULFILLMENT_STATUSES = ['not_applicable', 'unfulfilled', 'partial', 'complete'] as const;

/**
 * By the billing status that an order is given: which of its invoices change with it, and to what. The others stay as they are. An order
 * is refused a status that its invoices would not say together afterwards (`billingOf`).
 */
export const INVOICES_FOLLOW: Readonly<
  Record<BillingStatus, { readonly from: readonly InvoiceStatus[]; readonly to: InvoiceStatus }>
> = {
  draft: { from: [], to: 'draft' },
  pending: { from: ['draft'], to: 'unpaid' },
  unpaid: { from: ['draft'], to: 'unpaid' },
  'past-due': { from: ['unpaid', 'partially-paid'], to: 'past-due' },
  paid: { from: [...OPEN, 'disputed'], to: 'paid' },
  disputed: { from: ['paid', 'partially-refunded'], to: 'disputed' },
  'partially-refunded': { from: ['paid', 'disputed'], to: 'partially-refunded' },
  refunded: { from: SETTLED, to: 'refunded' },
  voided: { from: OPEN, to: 'voided' },
};

/**
 * What the invoices of an order say together: the first of these that one of them has, but where some are refunded and others
 * are paid, a part is refunded. An order that waits for its first payment may be called `pending` or `unpaid`: it stays what it was.
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

/** What an order becomes that waits until it is paid, when it is; a service status that says anything else stays. */
export function servedWhenPaid(orderType: OrderType, service: ServiceStatus): ServiceStatus {
  if (service !== 'pending') return service;
  return orderType === 'one-time-order' ? 'completed' : 'active';
}

/** An event that happens when a status is entered, also by an object that begins with it. */
export interface StatusEvent {
  /** Its type. Those that end in `invoice.` and a word are of the invoice, others of the order. */
  readonly type: string;
  /** Which status, of the order or of an invoice. */
  readonly of: 'serviceStatus' | 'billingStatus' | 'invoice';
  readonly to: readonly (ServiceStatus | BillingStatus | InvoiceStatus)[];
  /** From which it has to come; null stands for a new object. Absent: from any other, and a new one. */
  readonly from?: readonly (ServiceStatus | BillingStatus | InvoiceStatus | null)[];
  /** The only type of order with it; absent: both. */
  readonly orders?: OrderType;
}

/** Money for an invoice arrives once: a dispute that is won is no second payment. */
const UNPAID = [...OPEN, null];

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

/** The types of the events that a change from one status to another has. @param from null: the object is new */
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
