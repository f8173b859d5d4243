// Payments and refunds of orders over REST: what they do to invoice and order, and what is refused.
import { describe, expect, test } from 'vitest';
import { sharedGateway } from '../../support/gateway.ts';
import { post } from '../../support/graphql.ts';
import { openTill } from '../../support/orders/money.ts';
import { offer } from '../../support/orders/shop.ts';
import { refusalOf } from '../../support/user-errors.ts';

const gateway = await sharedGateway();
const till = await openTill(gateway);
const { client } = till;
const mug = await offer(gateway.app, client.workspaceId, { amount: '10.00' });

/** An order of 30.00 EUR. */
const makeOrder = (given = {}) => till.order([[mug, 3]], given);

/** The statuses of order and invoice, and the amount due. */
async function stateOf({ id, invoiceId }: { id: number; invoiceId: number }) {
  const order = await till.get(`orders/${id}`);
  const invoice = await till.get(`orders/invoices/${invoiceId}`);
  return [order['billing_status'], invoice['status'], invoice['due_amount']];
}

/** The types of the events since the call before. */
let seen = 0;
async function newEvents(): Promise<string[]> {
  const events = await till.events();
  const fresh = events.slice(seen);
  seen = events.length;
  return fresh.toSorted();
}

test('a partial payment reduces the amount due, and the rest pays invoice and order', async () => {
  const order = await makeOrder();
  const state = await stateOf(order);
  expect(state).toEqual(['pending', 'unpaid', '30.00']);
  await newEvents();
  const part = await till.pay(order.id, { amount: '10.5', external_type: 'charge', arn: '74' });
  expect([part.status, part.body]).toMatchObject([
    201,
    {
      ...{ order_id: order.id, invoice_id: order.invoiceId, amount: '10.50', currency: 'EUR' },
      ...{ status: 'completed', result: 'approved', external_id: 'ch_1', external_type: 'charge', arn: '74' },
      ...{ adjusted_transaction_id: null, is_rebill: false, rebill_number: null },
    },
  ]);
  expect(await stateOf(order)).toEqual(['pending', 'partially-paid', '19.50']);
  expect(await newEvents()).toEqual(['orders/invoice.updated', 'orders/transaction.created']);
  expect((await till.pay(order.id, { amount: '19.50', invoice_id: order.invoiceId })).status).toBe(201);
  expect(await stateOf(order)).toEqual(['paid', 'paid', '0.00']);
  expect((await till.get(`orders/invoices/${order.invoiceId}`))['paid_at']).not.toBeNull();
  expect(await newEvents()).toEqual([
    ...['one-time-order.completed', 'one-time-order.invoice.paid', 'order.completed', 'order.updated'],
    ...['orders/invoice.paid', 'orders/invoice.updated', 'orders/transaction.created'],
  ]);
});

test('an amount above the amount due, or an invalid one, is refused', async () => {
  const order = await makeOrder();
  const path = `/api/v2/orders/${order.id}/transactions`;
  const other = await makeOrder();
  for (const [given, field] of [
    [{ amount: '30.01' }, 'amount'],
    [{ amount: '0' }, 'amount'],
    [{ amount: '-1' }, 'amount'],
    [{ amount: '1.001' }, 'amount'],
    [{ amount: '1', currency: 'USD' }, 'currency'],
    [{ amount: '1', invoice_id: other.invoiceId }, 'invoice_id'],
    [{ amount: '1', status: 'refunded' }, 'status'],
    [{ amount: '1', external_id: ' ' }, 'external_id'],
  ] as const)
    expect(await client.refused(422, 'POST', path, { external_id: 'ch', ...given })).toEqual([field]);
  expect(await client.refused(422, 'POST', path, { amount: '1' })).toEqual(['external_id']);
  expect((await till.pay(order.id, { amount: '30.00', currency: 'EUR' })).status).toBe(201);
  expect(await client.refused(422, 'POST', path, { external_id: 'ch', amount: '0.01' })).toEqual([
    'invoice_id',
  ]);
  expect(
    await client.refused(422, 'POST', path, {
      external_id: 'ch',
      amount: '0.01',
      invoice_id: order.invoiceId,
    }),
  ).toEqual(['amount']);
});

test('a declined or pending transaction is recorded, and pays nothing', async () => {
  const order = await makeOrder();
  for (const given of [{ result: 'declined' }, { status: 'pending' }, { status: 'voided' }]) {
    const { status, body } = await till.pay(order.id, { amount: '999.00', reason: 'no funds', ...given });
    expect([status, body['reason']]).toEqual([201, 'no funds']);
    expect(await stateOf(order)).toEqual(['pending', 'unpaid', '30.00']);
    const path = `/api/v2/orders/transactions/${body.id}/refund`;
    expect(await client.refused(409, 'POST', path)).toEqual([]);
  }
});

test('a payment of a draft covers all of it, and gives it a number', async () => {
  const order = await makeOrder({ billing_status: 'draft' });
  const path = `/api/v2/orders/${order.id}/transactions`;
  const given = { external_id: 'ch', invoice_id: order.invoiceId };
  await client.refused(409, 'POST', path, { ...given, amount: '1.00' });
  expect((await till.pay(order.id, { ...given, amount: '30' })).status).toBe(201);
  expect((await till.get(`orders/invoices/${order.invoiceId}`))['invoice_number']).not.toBe('');
});

test('a partial refund, then the rest', async () => {
  const order = await makeOrder();
  const { body: payment } = await till.pay(order.id, { amount: '30' });
  await newEvents();
  const path = `/api/v2/orders/transactions/${payment.id}/refund`;
  for (const amount of ['30.01', '0', '0.001', '-5'])
    expect(await client.refused(422, 'POST', path, { amount })).toEqual(['amount']);
  // All would be paid back.
  for (const [slip, field] of [
    [{ orders_transaction: { amout: '10.00', reason: 'r' } }, 'amout'],
    [{ orders_transaction: { Amount: '10.00' } }, 'body'],
    [{ orders_transaction: {}, amount: '10.00' }, 'amount'],
    [{ reason: 'r', amount_: '10.00' }, 'amount_'],
    [{ transaction: { total: '10.00', reason: 'r' } }, 'total'],
    [{ amout: '10.00' }, 'body'],
  ] as const)
    expect([slip, await client.refused(422, 'POST', path, slip)]).toEqual([slip, [field]]);
  expect(await client.refused(422, 'POST', `${path}?amount=10.00`)).toEqual(['amount']);
  const part = await till.refund(payment.id, {
    amount: '12.34',
    reason: 'a broken cup',
    external_id: 're_1',
  });
  expect([part.status, part.body]).toMatchObject([200, { id: payment.id, status: 'partially-refunded' }]);
  expect(await stateOf(order)).toEqual(['partially-refunded', 'partially-refunded', '0.00']);
  expect(await newEvents()).toEqual([
    ...[
      'order.updated',
      'orders/invoice.updated',
      'orders/transaction.created',
      'orders/transaction.updated',
    ],
  ]);
  const refunds = (await till.get(`orders/${order.id}/transactions`)) as unknown as Record<string, unknown>[];
  expect(refunds[1]).toMatchObject({
    ...{ amount: '12.34', adjusted_transaction_id: String(payment.id), external_id: 're_1' },
    ...{ status: 'completed', result: 'approved', reason: 'a broken cup', invoice_id: order.invoiceId },
  });
  await client.refused(409, 'POST', `/api/v2/orders/transactions/${refunds[1]?.['id']}/refund`);
  expect((await till.refund(payment.id)).body['status']).toBe('refunded');
  expect(await stateOf(order)).toEqual(['refunded', 'refunded', '0.00']);
  expect(await newEvents()).toEqual([
    ...['one_time_order.refunded', 'order.updated', 'orders/invoice.refunded', 'orders/invoice.updated'],
    ...['orders/transaction.created', 'orders/transaction.updated'],
  ]);
  const all = (await till.get(`orders/${order.id}/transactions`)) as unknown as Record<string, unknown>[];
  expect(all.map(({ amount }) => amount)).toEqual(['30.00', '12.34', '17.66']);
  expect(await client.refused(422, 'POST', path, { amount: '0.01' })).toEqual(['amount']);
  expect((await till.refund(payment.id)).body['status']).toBe('refunded');
  expect(await newEvents()).toEqual([]);
});

test('an invoice is refunded only when transactions paid all of it and all is paid back', async () => {
  const order = await makeOrder();
  const { body: payment } = await till.pay(order.id, { amount: '10' });
  const { status } = await client.send('PUT', `/api/v2/orders/invoices/${order.invoiceId}`, {
    status: 'paid',
  });
  expect(status).toBe(200);
  await till.refund(payment.id);
  expect(await stateOf(order)).toEqual(['partially-refunded', 'partially-refunded', '0.00']);
});

test('a refund of an open invoice is due again', async () => {
  const order = await makeOrder();
  const { body: payment } = await till.pay(order.id, { amount: '10' });
  await till.refund(payment.id, { amount: '4' });
  expect(await stateOf(order)).toEqual(['pending', 'partially-paid', '24.00']);
  expect((await till.pay(order.id, { amount: '24' })).status).toBe(201);
  expect(await stateOf(order)).toEqual(['paid', 'paid', '0.00']);
});

test('a partly paid invoice that is refunded completely waits for payment like an unpaid one', async () => {
  const order = await makeOrder();
  const { body: first } = await till.pay(order.id, { amount: '10' });
  const { body: second } = await till.pay(order.id, { amount: '5' });
  await till.refund(first.id);
  expect(await stateOf(order)).toEqual(['pending', 'partially-paid', '25.00']);
  await till.refund(second.id, { amount: '4' });
  await newEvents();
  await till.refund(second.id);
  expect(await stateOf(order)).toEqual(['pending', 'unpaid', '30.00']);
  expect(await newEvents()).toEqual([
    ...['order.updated', 'orders/invoice.updated', 'orders/transaction.created'],
    'orders/transaction.updated',
  ]);
  const path = `/api/v2/orders/invoices/${order.invoiceId}`;
  expect((await client.send('POST', `${path}/abandon`)).status).toBe(200);
  // One whose time is over is past due again.
  const late = await makeOrder();
  const given = { due_at: '2020-01-01T00:00:00Z', status: 'past-due' };
  await client.send('PUT', `/api/v2/orders/invoices/${late.invoiceId}`, given);
  const { body: part } = await till.pay(late.id, { amount: '10' });
  expect(await stateOf(late)).toEqual(['unpaid', 'partially-paid', '20.00']);
  await newEvents();
  await till.refund(part.id);
  expect(await stateOf(late)).toEqual(['past-due', 'past-due', '30.00']);
  expect(await newEvents()).toContain('orders/invoice.past_due');
});

test('the retry of a payment and of a refund gets the first answer, also when nothing remains', async () => {
  const order = await makeOrder();
  const key = { 'Idempotency-Key': 'pay-once' };
  const first = await till.pay(order.id, { amount: '30' }, key);
  const again = await till.pay(order.id, { amount: '30' }, key);
  expect([again.status, again.text]).toEqual([201, first.text]);
  const path = `/api/v2/orders/transactions/${first.body.id}/refund`;
  const refund = await client.send('POST', path, undefined, { 'Idempotency-Key': 'back-once' });
  const refundAgain = await client.send('POST', path, undefined, { 'Idempotency-Key': 'back-once' });
  expect([refundAgain.status, refundAgain.text]).toEqual([200, refund.text]);
  expect(await till.get(`orders/${order.id}/transactions`)).toHaveLength(2);
});

test('amounts have the decimal places of their currency', async () => {
  const yen = await offer(gateway.app, client.workspaceId, { amount: '1000', currency: 'JPY' });
  const order = await till.order([[yen, 1]]);
  const path = `/api/v2/orders/${order.id}/transactions`;
  expect(await client.refused(422, 'POST', path, { external_id: 'ch', amount: '1.5' })).toEqual(['amount']);
  expect((await till.pay(order.id, { amount: '999' })).body['amount']).toBe('999');
  expect(await stateOf(order)).toEqual(['pending', 'partially-paid', '1']);
});

test('an unpaid invoice can be abandoned, once', async () => {
  const order = await makeOrder();
  await newEvents();
  const path = `/api/v2/orders/invoices/${order.invoiceId}/abandon`;
  expect(await client.send('POST', path)).toMatchObject({ status: 200, body: { status: 'abandoned' } });
  expect(await stateOf(order)).toEqual(['voided', 'abandoned', '0.00']);
  expect((await client.send('POST', path)).status).toBe(200);
  expect(await newEvents()).toEqual(['order.updated', 'orders/invoice.abandoned', 'orders/invoice.updated']);
  const paid = await makeOrder({ billing_status: 'paid' });
  await client.refused(409, 'POST', `/api/v2/orders/invoices/${paid.invoiceId}/abandon`);
});

describe('a refund', () => {
  /** A payment of 12.00 EUR. */
  async function paid() {
    const mug = await offer(gateway.app, client.workspaceId, { amount: '12.00' });
    const { id } = await till.order([[mug, 1]]);
    return (await till.pay(id, { amount: '12.00' })).body.id;
  }
  const refundsOf = async (id: number) => {
    const { rows } = await gateway.app.store.pool.query<{ amount: string }>(
      'select amount::text from order_transactions where adjusted_transaction_id = $1 order by id',
      [id],
    );
    return rows.map(({ amount }) => amount);
  };
  const path = (id: number) => `/api/v2/orders/transactions/${id}/refund`;

  test.each([null, Number.NaN, Number.POSITIVE_INFINITY, '', 'NaN', 'all'])(
    'of %s is refused, over GraphQL unless it is null, and pays nothing back',
    async (amount) => {
      const id = await paid();
      expect(await client.refused(422, 'POST', path(id), { amount })).toEqual(['amount']);
      expect(await client.refused(422, 'POST', path(id), { orders_transaction: { amount } })).toEqual([
        'amount',
      ]);
      // Over GraphQL, as everywhere there, null counts as missing.
      if (JSON.stringify(amount) === 'null') return expect(await refundsOf(id)).toEqual([]);
      const answer = await post(
        gateway,
        {
          query:
            'mutation ($input: RefundOrderTransactionInput!) { refundOrderTransaction(input: $input) { userErrors { code path message } } }',
          variables: {
            input: {
              orderTransactionId: btoa(`OrderTransaction:${id}`),
              amount: { amount, currency: 'EUR' },
            },
          },
        },
        client,
      );
      expect(refusalOf(answer)).not.toBeNull();
      expect(await refundsOf(id)).toEqual([]);
    },
  );

  test('without partial pays back the rest, and no other amount', async () => {
    const id = await paid();
    expect((await till.refund(id, { partial: true, amount: '2.00' })).body['status']).toBe(
      'partially-refunded',
    );
    expect(await client.refused(422, 'POST', path(id), { partial: true })).toEqual(['amount']);
    expect(await client.refused(422, 'POST', path(id), { partial: false, amount: '2.00' })).toEqual([
      'amount',
    ]);
    expect((await till.refund(id, { partial: false })).body['status']).toBe('refunded');
    expect(await refundsOf(id)).toEqual(['2.00', '10.00']);
    const other = await paid();
    expect((await till.refund(other, { partial: false, amount: '12.00' })).body['status']).toBe('refunded');
    expect(await refundsOf(other)).toEqual(['12.00']);
  });
});

test('a payment is a sale unless it has another kind; a refund has none', async () => {
  const mug = await offer(gateway.app, client.workspaceId, { amount: '12.00' });
  const { id } = await till.order([[mug, 2]]);
  const payment = await till.pay(id, { amount: '12.00' });
  expect(payment.body['external_type']).toBe('sale');
  expect((await till.pay(id, { amount: '1.00', external_type: null })).body['external_type']).toBe('sale');
  expect((await till.pay(id, { amount: '1.00', external_type: 'capture' })).body['external_type']).toBe(
    'capture',
  );
  await till.refund(payment.body.id);
  const { rows } = await gateway.app.store.pool.query(
    'select external_type from order_transactions where adjusted_transaction_id = $1',
    [payment.body.id],
  );
  expect(rows).toEqual([{ external_type: null }]);
});
