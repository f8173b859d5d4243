// Payments, refunds and restocks of an order against a model: random ones over both faces, one after the other and two at once. What is
// answered is what some order of them explains, sums are never off, nothing comes back twice, and each event happens once.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { INVOICE_TRANSITIONS, type InvoiceStatus } from '../src/resources/orders/order-statuses.ts';
import { types } from '../src/store/sql/value-types.ts';
import { ownGateway } from './support/gateway.ts';
import { post } from './support/graphql.ts';
import { openTill } from './support/orders/money.ts';
import { type Goods, offer } from './support/orders/shop.ts';

const TIMEOUT_MS = 120_000;
const gateway = await ownGateway({ env: { POOL_SIZE: '8' } });
const { pool } = gateway.app.store;

type Face = 'rest' | 'graphql';

/** Amounts are in cents. */
type Change = { readonly face: Face } & (
  | { readonly kind: 'pay'; readonly amount: number }
  /** @param of which of the payments that there are; amount null: all that is left */
  | { readonly kind: 'refund'; readonly of: number; readonly amount: number | null }
  | { readonly kind: 'restock'; readonly line: number; readonly quantity: number }
);

interface State {
  readonly total: number;
  readonly status: InvoiceStatus;
  readonly payments: readonly { readonly amount: number; readonly back: number }[];
  /** By line: how many were ordered, and how many came back. */
  readonly lines: readonly { readonly ordered: number; readonly back: number }[];
  readonly events: readonly string[];
}

const paidOf = ({ payments }: State) => payments.reduce((sum, { amount, back }) => sum + amount - back, 0);
const isOpen = ({ status }: State) => ['unpaid', 'partially-paid'].includes(status);

/** The state after a change; null where it is refused. */
function apply(state: State, change: Change): State | null {
  if (change.kind === 'restock') {
    const line = state.lines[change.line];
    if (line === undefined || change.quantity < 1 || line.back + change.quantity > line.ordered) return null;
    const lines = state.lines.with(change.line, { ...line, back: line.back + change.quantity });
    // With the last piece nothing of the invoice is left to be sent, which it says.
    const isLast = lines.every(({ ordered, back }) => back === ordered);
    const events = [
      ...['orders/invoices/restock.created', ...(isLast ? ['orders/invoice.updated'] : [])],
      // Of an invoice that is refunded nothing was left to be sent before.
      ...(isLast && state.status !== 'refunded' ? ['order.updated'] : []),
    ];
    return { ...state, lines, events: [...state.events, ...events] };
  }
  if (change.kind === 'pay') {
    const due = isOpen(state) ? state.total - paidOf(state) : 0;
    if (change.amount < 1 || change.amount > due) return null;
    const payments = [...state.payments, { amount: change.amount, back: 0 }];
    return enter({ ...state, payments }, change.amount === due ? 'paid' : 'partially-paid', [
      'orders/transaction.created',
    ]);
  }
  const payment = state.payments[change.of];
  const left = payment === undefined ? 0 : payment.amount - payment.back;
  const amount = change.amount ?? left;
  if (payment === undefined) return null;
  // All that is left is nothing.
  if (left === 0 && change.amount === null) return state;
  if (amount < 1 || amount > left) return null;
  const payments = state.payments.with(change.of, { ...payment, back: payment.back + amount });
  const after = { ...state, payments };
  const isNothing = paidOf(after) === 0;
  const status = isOpen(state)
    ? isNothing
      ? 'unpaid'
      : 'partially-paid'
    : isNothing
      ? 'refunded'
      : 'partially-refunded';
  return enter(after, status, [
    ...['orders/transaction.created', 'orders/transaction.updated', 'order.updated'],
  ]);
}

/** The events of a change of money that leaves the invoice with a status. */
function enter(state: State, status: InvoiceStatus, events: readonly string[]): State {
  const { status: from } = state;
  // Nobody can ask for this one: it follows from refunds.
  if (from !== status && status !== 'unpaid') expect(INVOICE_TRANSITIONS[from]).toContain(status);
  const entered: Partial<Record<InvoiceStatus, string[]>> = {
    paid: [
      ...['orders/invoice.paid', 'one-time-order.invoice.paid', 'order.updated'],
      ...['order.completed', 'one-time-order.completed'],
    ],
    refunded: ['orders/invoice.refunded', 'one_time_order.refunded'],
  };
  const more = from === status ? [] : (entered[status] ?? []);
  return { ...state, status, events: [...state.events, ...events, 'orders/invoice.updated', ...more] };
}

const change = (): fc.Arbitrary<Change> => {
  const face = fc.constantFrom<Face>('rest', 'graphql');
  const cents = fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.constantFrom(0, 1, 1_000, 3_001));
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('pay' as const), face, amount: cents }) },
    {
      weight: 4,
      arbitrary: fc.record({
        ...{ kind: fc.constant('refund' as const), face, of: fc.nat(3) },
        amount: fc.option(cents, { freq: 2 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        ...{
          kind: fc.constant('restock' as const),
          face,
          line: fc.nat(1),
          quantity: fc.integer({ min: 0, max: 3 }),
        },
      }),
    },
  );
};

const asDecimal = (cents: number) => (cents / 100).toFixed(2);
const inEuros = (cents: number) => ({ amount: asDecimal(cents), currency: 'EUR' });
const idOf = (type: string, id: number) => btoa(`${type}:${id}`);

/** An order of two kinds of goods for 30.00 EUR, and what is sent about it. */
async function openOrder() {
  const till = await openTill(gateway);
  const { client } = till;
  const mug = await offer(gateway.app, client.workspaceId, { amount: '7.50', stock: 5 });
  const cup = await offer(gateway.app, client.workspaceId, { amount: '7.50', stock: 2 });
  const { id, invoiceId } = await till.order([
    [mug, 3],
    [cup, 1],
  ]);
  const { line_items: shown } = await till.get(`orders/invoices/${invoiceId}`);
  const lines = shown as { id: number }[];
  const events = (await till.events()).length;
  /** In the order of the model. */
  const payments: number[] = [];

  const MADE = {
    createOrderTransaction: 'orderTransaction',
    refundOrderTransaction: 'refundedPayment',
    createRestock: 'restock',
  } as const;

  async function mutate(mutation: keyof typeof MADE, input: object): Promise<number | null> {
    const query = `mutation ($input: ${mutation[0]?.toUpperCase()}${mutation.slice(1)}Input!) { made: ${mutation}(input: $input) { userErrors { code path message } row: ${MADE[mutation]} { databaseId } } }`;
    const { data, errors } = await post<{ made: { row: { databaseId: string } | null } | null }>(
      gateway,
      { query, variables: { input } },
      { caller: client.caller },
    );
    expect(errors).toBeUndefined();
    return data?.made?.row == null ? null : Number(data.made.row.databaseId);
  }

  /** @returns the id of what was made; null where it was refused */
  async function send(change: Change): Promise<number | null> {
    if (change.face === 'graphql') {
      if (change.kind === 'pay')
        return mutate('createOrderTransaction', {
          ...{ orderId: idOf('Order', id), amount: inEuros(change.amount), externalId: 'ch' },
          invoiceId: idOf('Invoice', invoiceId),
        });
      if (change.kind === 'refund')
        return mutate('refundOrderTransaction', {
          orderTransactionId: idOf('OrderTransaction', payments[change.of] ?? 999_999),
          ...(change.amount !== null && { amount: inEuros(change.amount) }),
        });
      return mutate('createRestock', {
        invoiceId: idOf('Invoice', invoiceId),
        lineItems: [
          {
            invoiceLineItemId: idOf('InvoiceLineItem', lines[change.line]?.id ?? 0),
            quantity: change.quantity,
          },
        ],
      });
    }
    const { status, text, body } =
      change.kind === 'pay'
        ? await till.pay(id, { amount: asDecimal(change.amount), invoice_id: invoiceId })
        : change.kind === 'refund'
          ? await till.refund(
              payments[change.of] ?? 999_999,
              change.amount === null ? undefined : { amount: asDecimal(change.amount) },
            )
          : await till.restock(invoiceId, [[lines[change.line]?.id ?? 0, change.quantity]]);
    expect([200, 201, 404, 409, 422], text).toContain(status);
    return status < 300 ? body.id : null;
  }

  const stockOf = async ({ variantId }: Goods) => {
    const { rows } = await pool.query<{ quantity: number }>({
      text: 'select quantity from product_variants where id = $1',
      values: [variantId],
      types,
    });
    return rows[0]?.quantity;
  };

  const shownStatus = async () => (await till.get(`orders/invoices/${invoiceId}`))['status'];

  /** What is shown of the order is what the model says. */
  async function check(state: State): Promise<void> {
    const invoice = await till.get(`orders/invoices/${invoiceId}`);
    const due = isOpen(state) ? state.total - paidOf(state) : 0;
    expect([invoice['status'], invoice['due_amount']]).toEqual([state.status, asDecimal(due)]);
    const shown = (await till.get(`orders/${id}/transactions`)) as unknown as Record<string, unknown>[];
    const backOf = (payment: number) =>
      shown
        .filter(({ adjusted_transaction_id: of }) => of === String(payment))
        .reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
    expect(
      payments.map((payment) => {
        const found = shown.find(({ id }) => id === payment);
        return [found?.['amount'], backOf(payment), found?.['refunded_amount'], found?.['status']];
      }),
    ).toEqual(
      state.payments.map(({ amount, back }) => [
        ...[asDecimal(amount), back, asDecimal(back)],
        back === 0 ? 'completed' : back === amount ? 'refunded' : 'partially-refunded',
      ]),
    );
    const sum = state.payments.reduce((all, { back }) => all + back, 0);
    expect(await till.get(`orders/${id}`)).toMatchObject({ refunded_amount: asDecimal(sum) });
    const [ofMug, ofCup] = state.lines;
    expect([await stockOf(mug), await stockOf(cup)]).toEqual([
      2 + (ofMug?.back ?? 0),
      1 + (ofCup?.back ?? 0),
    ]);
    expect((await till.events()).slice(events).toSorted()).toEqual(state.events.toSorted());
  }

  const state: State = {
    ...{ total: 3_000, status: 'unpaid', payments: [], events: [] },
    lines: [
      { ordered: 3, back: 0 },
      { ordered: 1, back: 0 },
    ],
  };
  return { send, check, shownStatus, state, payments };
}

interface Outcome {
  readonly after: State;
  /** The places of the changes that are made. */
  readonly made: readonly number[];
}

/** What changes lead to in each order. */
function outcomes(state: State, changes: readonly Change[]): Outcome[] {
  const orders =
    changes.length === 1
      ? [[0]]
      : [
          [0, 1],
          [1, 0],
        ];
  return orders.map((order) => {
    let after = state;
    const made: number[] = [];
    for (const place of order) {
      const next = apply(after, changes[place] as Change);
      if (next === null) continue;
      after = next;
      made.push(place);
    }
    return { after, made };
  });
}

test(
  'payments, refunds and restocks, two at a time too, end as the model predicts',
  async () => {
    const groups = fc.array(fc.array(change(), { minLength: 1, maxLength: 2 }), {
      minLength: 8,
      maxLength: 16,
    });
    const property = fc.asyncProperty(groups, async (list) => {
      const { send, check, shownStatus, payments, ...order } = await openOrder();
      let { state } = order;
      for (const changes of list) {
        const ids = await Promise.all(changes.map(send));
        const answered = ids.flatMap((id, place) => (id === null ? [] : [place]));
        const possible = outcomes(state, changes).filter(
          ({ made }) => made.toSorted().join() === answered.join() && isInOrder(changes, made, ids),
        );
        expect(possible, JSON.stringify([state, changes, ids])).not.toEqual([]);
        // The last of a sum paid beside a refund is answered alike in both orders, and leaves the invoice paid in one of them alone.
        const status = await shownStatus();
        const { after, made } =
          possible.find(({ after }) => after.status === status) ?? (possible[0] as Outcome);
        state = after;
        for (const place of made) if (changes[place]?.kind === 'pay') payments.push(ids[place] as number);
        await check(state);
      }
    });
    await fc.assert(property, { numRuns: 5, endOnFailure: true });
  },
  TIMEOUT_MS,
);

/** Of two payments at once, the one with the smaller id was made first. */
function isInOrder(
  changes: readonly Change[],
  made: readonly number[],
  ids: readonly (number | null)[],
): boolean {
  const paid = made.filter((place) => changes[place]?.kind === 'pay').map((place) => ids[place] as number);
  return paid.every((id, place) => place === 0 || id > (paid[place - 1] as number));
}
