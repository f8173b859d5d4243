// The invariants of the orders of a workspace after any changes, checked against the tables and the records.
import { expect } from 'vitest';
import type { App } from '../../../src/context.ts';
import type { Transitions } from '../../../src/resources/description/fields.ts';
import { INVOICE_TRANSITIONS, SERVICE_TRANSITIONS } from '../../../src/resources/orders/order-statuses.ts';

/** An amount of euros in cents. @throws if it is not an integer number of cents */
function cents(amount: string): bigint {
  const [, euros = '', fraction = ''] = /^(\d+)\.(\d\d)$/.exec(amount) ?? [];
  if (euros === '') throw new Error(`${amount} is no amount of euros`);
  return BigInt(euros + fraction);
}

interface Entry {
  readonly subject: string;
  /** The id of the subject. */
  readonly of: string;
  /** The transaction that wrote it. */
  readonly change: string;
  readonly before: Shown | null;
  readonly after: Shown;
}

interface Shown {
  readonly order_type: string;
  readonly order: {
    readonly order_type: string;
    readonly id: number;
    readonly trial_end_at: string | null;
  };
  readonly invoice_type: string;
  readonly fulfillment_status: string;
  readonly status: string;
  readonly billing_status: string;
  readonly service_status: string;
  readonly in_trial: boolean;
}

/** Checks all invariants. @param stock the initial quantity of each variant, by its id */
export async function requireSound(
  app: App,
  workspaceId: bigint,
  stock: ReadonlyMap<bigint, number>,
): Promise<void> {
  const ask = async <Row>(text: string) => (await app.store.pool.query(text, [workspaceId])).rows as Row[];
  const sums = await ask<{ total: string; lines: string; billing: string; invoices: string[] }>(
    `select o.total_amount::text as total, o.billing_status as billing,
      (select sum(l.first_amount * l.quantity + l.setup_amount)::text from order_line_items l where l.workspace_id = $1 and l.order_id = o.id) as lines,
      array(select i.status from order_invoices i where i.workspace_id = $1 and i.order_id = o.id order by i.id) as invoices
      from orders o where o.workspace_id = $1`,
  );
  for (const { total, lines, billing, invoices } of sums) {
    expect(cents(total)).toBe(cents(lines));
    expect([invoices, saidBy(invoices)]).toEqual([invoices, expect.arrayContaining([billing])]);
  }
  const bills = await ask<{ total: string; due: string; status: string; lines: string; shipping: string }>(
    `select i.total_amount::text as total, i.due_amount::text as due, i.status, i.shipping_amount::text as shipping,
      (select coalesce(sum(l.amount * l.quantity), 0.00)::text from order_invoice_line_items l where l.workspace_id = $1 and l.invoice_id = i.id) as lines
      from order_invoices i where i.workspace_id = $1`,
  );
  for (const { total, due, status, lines, shipping } of bills) {
    expect(cents(total)).toBe(cents(lines) + cents(shipping));
    expect(cents(due)).toBe(
      ['draft', 'unpaid', 'past-due', 'partially-paid'].includes(status) ? cents(total) : 0n,
    );
  }
  await requireStock(ask, stock);
  await requireShownParts(ask);
  const numbers = (rows: readonly { number: number }[]) => rows.map(({ number }) => number);
  const counted = await ask<{ number: number }>(
    'select order_number as number from orders where workspace_id = $1 order by 1',
  );
  expect(numbers(counted)).toEqual(counted.map((_, index) => index + 1));
  const issued = await ask<{ number: number }>(
    'select invoice_number::int as number from order_invoices where workspace_id = $1 and invoice_number is not null order by 1',
  );
  expect(numbers(issued)).toEqual(issued.map((_, index) => index + 1));
  // Citus would confuse ordering by the id of entries with a column of that name in the result.
  const entries = await ask<Entry>(
    `select subject_type as subject, subject_id::text as "of", xmin::text as change, before, after from audit_entries where workspace_id = $1
      and subject_type in ('Order', 'Orders::Invoice') order by audit_entries.id`,
  );
  requireTransitions(entries);
  const events = await ask<{ type: string; id: string }>(
    `select event_type as type, subject_id::text as id from events where workspace_id = $1 and subject_type in ('Order', 'Orders::Invoice')`,
  );
  expect(events.map(({ type, id }) => `${type} ${id}`).toSorted()).toEqual(expectedOf(entries).toSorted());
}

/** Requires that the last record of each order has the refunds and goods of its transactions and invoices: no change skipped it. */
async function requireShownParts(ask: <Row>(text: string) => Promise<Row[]>) {
  const orders = await ask<{
    shown: { refunded_amount: string; fulfillment_status: string };
    stored: string;
    refunds: string[];
    isOff: boolean;
    invoices: { status: string; goods: string }[];
  }>(
    `select o.fulfillment_status as stored, o.order_type = 'one-time-order' and o.service_status in ('canceled', 'abandoned', 'voided') as "isOff",
      (select a.after from audit_entries a where a.workspace_id = $1 and a.subject_type = 'Order' and a.subject_id = o.id
        order by a.id desc limit 1) as shown,
      array(select r.amount::text from order_transactions r
        where r.workspace_id = $1 and r.order_id = o.id and r.adjusted_transaction_id is not null) as refunds,
      (select json_agg(json_build_object('status', i.status, 'goods', i.fulfillment_status)) from order_invoices i
        where i.workspace_id = $1 and i.order_id = o.id) as invoices
      from orders o where o.workspace_id = $1`,
  );
  for (const { shown, stored, refunds, isOff, invoices } of orders) {
    expect(cents(shown.refunded_amount)).toBe(refunds.reduce((sum, one) => sum + cents(one), 0n));
    const counting = invoices.filter(
      ({ status, goods }) =>
        goods === 'partial' ||
        goods === 'complete' ||
        (goods === 'unfulfilled' && !isOff && !['voided', 'abandoned', 'refunded'].includes(status)),
    );
    const [only = 'not_applicable', ...others] = new Set(counting.map(({ goods }) => goods));
    expect(shown.fulfillment_status).toBe(others.length > 0 ? 'partial' : only);
    expect(stored).toBe(shown.fulfillment_status);
  }
}

async function requireStock(ask: <Row>(text: string) => Promise<Row[]>, stock: ReadonlyMap<bigint, number>) {
  const lines = await ask<{
    variant: string;
    quantity: number;
    taken: number;
    back: number;
    sent: number;
    unsent: number;
  }>(
    `select l.variant_id::text as variant, l.quantity, l.taken_quantity as taken, l.returned_unsent as unsent,
      (select coalesce(sum(r.quantity), 0)::int from order_invoice_line_items i join order_restock_line_items r
        on r.workspace_id = i.workspace_id and r.invoice_line_item_id = i.id
        where i.workspace_id = $1 and i.order_line_item_id = l.id) as back,
      (select coalesce(sum(f.quantity), 0)::int from order_invoice_line_items i join fulfillment_line_items f
          on f.workspace_id = i.workspace_id and f.invoices_line_item_id = i.id
        join fulfillments u on u.workspace_id = f.workspace_id and u.id = f.fulfillment_id
        where i.workspace_id = $1 and i.order_line_item_id = l.id and u.status <> 'cancelled') as sent
      from order_line_items l where l.workspace_id = $1`,
  );
  for (const { quantity, back, sent, unsent, taken } of lines) {
    expect(taken).toBeLessThanOrEqual(quantity);
    expect(back).toBeLessThanOrEqual(quantity);
    // No piece is both sent and in stock.
    expect(sent + Math.max(unsent, back - sent)).toBeLessThanOrEqual(quantity);
  }
  const left = await ask<{ id: string; now: number; isBackordered: boolean }>(
    `select v.id::text as id, v.quantity as now, v.out_of_stock_sales as "isBackordered"
      from product_variants v where v.workspace_id = $1 and v.track_quantity`,
  );
  for (const { id, now, isBackordered } of left) {
    expect(now).toBeGreaterThanOrEqual(0);
    const sold = lines
      .filter(({ variant }) => variant === id)
      .map(({ quantity, taken, back }) => (isBackordered ? taken - Math.min(taken, back) : quantity - back));
    expect(sold.reduce((sum, one) => sum + one, now)).toBe(stock.get(BigInt(id)));
  }
}

/** The possible statuses of an order with these invoices. */
function saidBy(invoices: readonly string[]): string[] {
  const open = invoices.filter((status) => !['voided', 'abandoned', 'draft'].includes(status));
  if (open.includes('disputed')) return ['disputed'];
  if (open.includes('past-due')) return ['past-due'];
  if (open.some((status) => ['unpaid', 'partially-paid'].includes(status))) return ['pending', 'unpaid'];
  const kinds = new Set(open);
  if (kinds.has('partially-refunded') || kinds.size === 2) return ['partially-refunded'];
  if (kinds.size === 1) return [...kinds];
  return [invoices.includes('draft') ? 'draft' : 'voided'];
}

/**
 * Requires that no status was skipped: each entry starts where the last one ended, each change is in the table, and after each change an
 * order's status matches its invoices.
 */
function requireTransitions(entries: readonly Entry[]): void {
  const last = new Map<string, Shown>();
  for (const change of Map.groupBy(entries, (entry) => entry.change).values()) {
    for (const { subject, of, before, after } of change) {
      const was = last.get(`${subject} ${of}`);
      last.set(`${subject} ${of}`, after);
      if (before === null) continue;
      for (const name of ['status', 'billing_status', 'service_status'] as const)
        expect(before[name]).toBe(was?.[name]);
      if (subject === 'Order') requireStep(SERVICE_TRANSITIONS, before.service_status, after.service_status);
      else requireStep(INVOICE_TRANSITIONS, before.status, after.status);
    }
    for (const { subject, of, after } of change) {
      if (subject !== 'Order') continue;
      const ofOrder = [...last.values()].filter(({ order }) => `${order?.id}` === of);
      const invoices = ofOrder.map(({ status }) => status);
      expect([invoices, saidBy(invoices)]).toEqual([
        invoices,
        expect.arrayContaining([after.billing_status]),
      ]);
    }
  }
}

function requireStep(table: Transitions, from: string, to: string) {
  if (from !== to) expect(table[from], `${from} to ${to}`).toContain(to);
}

const ENTERED: Readonly<
  Record<string, { readonly both?: string; readonly once?: string; readonly again?: string }>
> = {
  'service completed': {
    ...{ both: 'order.completed', once: 'one-time-order.completed', again: 'subscription.completed' },
  },
  'service canceled': { again: 'subscription.canceled' },
  'service churned': { again: 'subscription.churned' },
  'billing refunded': { once: 'one_time_order.refunded' },
  'invoice refunded': { both: 'orders/invoice.refunded' },
  'invoice past-due': { both: 'orders/invoice.past_due' },
  'invoice voided': { both: 'orders/invoice.voided' },
  'invoice abandoned': { both: 'orders/invoice.abandoned' },
};

/** The events that these changes must have, each once: the type and the subject. */
function expectedOf(entries: readonly Entry[]): string[] {
  const firstPaid = new Set<number>();
  const converted = new Set<number>();
  return entries.flatMap(({ subject, of, before, after }) => {
    const isOrder = subject === 'Order';
    const isOnce = (isOrder ? after : after.order).order_type === 'one-time-order';
    const types = [`${isOrder ? 'order' : 'orders/invoice'}.${before === null ? 'created' : 'updated'}`];
    const entered = (kind: string, from: string | undefined, to: string) => {
      if (from === to) return;
      const { both, once, again } = ENTERED[`${kind} ${to}`] ?? {};
      types.push(...[both, isOnce ? once : again].filter((type) => type !== undefined));
    };
    if (isOrder) {
      entered('service', before?.service_status, after.service_status);
      entered('billing', before?.billing_status, after.billing_status);
      if (!isOnce && after.service_status === 'active' && before?.service_status !== 'active') {
        if (before === null || before.service_status === 'pending') types.push('subscription.activated');
        if (['canceled', 'churned'].includes(before?.service_status ?? ''))
          types.push('subscription.reactivated');
      }
      if (before?.in_trial !== true && after.in_trial) types.push('subscription.trial_started');
      if (before?.in_trial === true && !after.in_trial) types.push('subscription.trial_ended');
      return types.map((type) => `${type} ${of}`);
    }
    entered('invoice', before?.status, after.status);
    if (
      before !== null &&
      before.fulfillment_status !== 'complete' &&
      after.fulfillment_status === 'complete'
    )
      types.push('orders/invoice.fulfilled');
    const isPaid = ['paid', 'partially-refunded', 'refunded', 'disputed'];
    const others: string[] = [];
    const orderId = after.order.id;
    if (after.status === 'paid' && !isPaid.includes(before?.status ?? '')) {
      types.push('orders/invoice.paid', `${isOnce ? 'one-time-order' : 'subscription'}.invoice.paid`);
      if (!isOnce && !firstPaid.has(orderId)) others.push(`subscription.first_payment_received ${orderId}`);
    }
    const isConverting = after.invoice_type === 'renewal' && after.order.trial_end_at !== null;
    if (types.includes('subscription.invoice.paid') && isConverting && !converted.has(orderId))
      others.push(`subscription.trial_converted ${orderId}`);
    if (isPaid.includes(after.status)) {
      firstPaid.add(orderId);
      if (isConverting) converted.add(orderId);
    }
    return [...types.map((type) => `${type} ${of}`), ...others];
  });
}
