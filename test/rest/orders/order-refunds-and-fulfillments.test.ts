// The refunds and fulfillments in an order, and the change of its row with them: over both APIs, in lists by time, in events.
import { describe, expect, test } from 'vitest';
import { CORRECT_FULFILLMENT_STATUSES } from '../../../src/store/orders/order-fulfillment-statuses.ts';
import * as factories from '../../support/factories.ts';
import { sharedGateway } from '../../support/gateway.ts';
import { post } from '../../support/graphql.ts';
import { statementsOf } from '../../support/graphql-statements.ts';
import { openTill } from '../../support/orders/money.ts';
import { offer } from '../../support/orders/shop.ts';

type Face = 'rest' | 'graphql';
type Shown = Record<string, unknown> & { readonly id: number };

const gateway = await sharedGateway();
const { app } = gateway;
const { pool } = app.store;
const till = await openTill(gateway);
const { client } = till;
const mug = await offer(app, client.workspaceId, { amount: '10.00', stock: 1_000 });
await pool.query('update product_variants set fulfillment_required = true where workspace_id = $1', [
  client.workspaceId,
]);
const file = await offer(app, client.workspaceId, { amount: '5.00' });
await pool.query(
  'update product_variants set fulfillment_required = false where workspace_id = $1 and id = $2',
  [client.workspaceId, file.variantId],
);
const inWorkspace = (rest: string) => `/api/v2/workspaces/${client.workspaceId}/${rest}`;
const location = { name: 'Home', address_name: 'Us', address: {}, email_address: 'us@example.com' };
const { id: locationId } = (await client.send('POST', inWorkspace('fulfillments/locations'), location)).body;
const globalId = (type: string, id: unknown) => btoa(`${type}:${id}`);

const show = (id: number, query = '') => till.get(`orders/${id}${query}`) as Promise<Shown>;
const paidOrder = () => till.order([[mug, 3]], { billing_status: 'paid' });

async function ask<Data>(query: string, variables: object = {}): Promise<Data> {
  const { data, errors } = await post<Data>(gateway, { query, variables }, { caller: client.caller });
  expect(errors).toBeUndefined();
  return data as Data;
}

/** The state of a row that every change of it changes. */
async function stateOf({ id }: { id: number }) {
  const { rows } = await pool.query<{ version: number; updated: Date; events: number; entries: number }>(
    `select o.row_version as version, o.updated_at as updated,
      (select count(*)::int from events e where e.workspace_id = $1 and e.event_type = 'order.updated' and e.subject_id = o.id) as events,
      (select count(*)::int from audit_entries a where a.workspace_id = $1 and a.subject_type = 'Order' and a.subject_id = o.id) as entries
      from orders o where o.workspace_id = $1 and o.id = $2`,
    [client.workspaceId, id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('There is no such order');
  const { tag: etag } = await client.send('GET', `/api/v2/orders/${id}`);
  return { ...row, etag };
}

/** Requires that a change changes the row of an order once, with its event and its audit entry, or that it does not. */
async function changes(order: { id: number }, isChanged: boolean, change: () => Promise<unknown>) {
  const before = await stateOf(order);
  await change();
  const after = await stateOf(order);
  const more = isChanged ? 1 : 0;
  expect([after.version, after.events, after.entries]).toEqual([
    ...[before.version + more, before.events + more, before.entries + more],
  ]);
  expect(after.updated > before.updated).toBe(isChanged);
  expect(after.etag !== before.etag).toBe(isChanged);
  if (!isChanged) return;
  const since = `filter[updated_at][from]=${after.updated.toISOString()}`;
  const list = (await till.get(`workspaces/${client.workspaceId}/orders?${since}`)) as unknown as Shown[];
  expect(list.map(({ id }) => id)).toContain(order.id);
  const { rows } = await pool.query<{ data: object; before: Shown; after: Shown }>(
    `select e.data, a.before, a.after from events e, audit_entries a where e.workspace_id = $1 and e.event_type = 'order.updated'
      and e.subject_id = $2 and a.workspace_id = $1 and a.subject_type = 'Order' and a.subject_id = $2
      order by e.id desc, a.id desc limit 1`,
    [client.workspaceId, order.id],
  );
  // An endpoint gets what REST shows.
  expect(rows[0]?.data).toEqual(await show(order.id));
  const parts = (shown: Shown | undefined) => [shown?.['refunded_amount'], shown?.['fulfillment_status']];
  expect(parts(rows[0]?.after)).not.toEqual(parts(rows[0]?.before));
}

async function refund(face: Face, transactionId: number, amount?: string): Promise<Record<string, unknown>> {
  if (face === 'rest') {
    const { status, text, body } = await till.refund(transactionId, amount === undefined ? {} : { amount });
    expect([status, text]).toEqual([200, text]);
    return body;
  }
  const { refundOrderTransaction } = await ask<{ refundOrderTransaction: { refundedPayment: object } }>(
    `mutation ($id: ID!, $amount: MoneyInput) { refundOrderTransaction(input: { orderTransactionId: $id, amount: $amount }) {
      refundedPayment { databaseId refundedAmount { amount currency } lastRefund { databaseId amount { amount } reason refundOf { databaseId } } } } }`,
    {
      id: globalId('OrderTransaction', transactionId),
      ...(amount !== undefined && { amount: { amount, currency: 'EUR' } }),
    },
  );
  return refundOrderTransaction.refundedPayment as Record<string, unknown>;
}

test('a payment lists its refunds, and each refund has its payment, in as many statements for many as for one', async () => {
  const order = await till.order([[mug, 3]]);
  const pay = async (amount: string) => (await till.pay(order.id, { amount })).body.id;
  const payments: [payment: number, refunds: number[]][] = [];
  const query = `{ order(by: { databaseId: ${order.id} }) { transactions { nodes { databaseId refundOf { databaseId }
    refunds { totalCount nodes { databaseId refundOf { databaseId } } } } } } }`;
  const counts: number[] = [];
  for (const amount of ['8', '20']) {
    const payment = await pay(amount);
    await till.refund(payment, { amount: '3' });
    await till.refund(payment, { amount: '2' });
    const all = (await till.get(`orders/${order.id}/transactions`)) as unknown as Shown[];
    payments.push([payment, all.slice(-2).map(({ id }) => id)]);
    const of = payments.flatMap(([id, refunds]) => [
      {
        ...{ databaseId: id, refundOf: null },
        refunds: {
          totalCount: 2,
          nodes: refunds.map((databaseId) => ({ databaseId, refundOf: { databaseId: id } })),
        },
      },
      ...refunds.map((databaseId) => ({
        ...{ databaseId, refundOf: { databaseId: id }, refunds: { totalCount: 0, nodes: [] } },
      })),
    ]);
    for (const _ of ['Yoga', 'the fast path']) {
      const names = await statementsOf(gateway, async () =>
        expect(await ask(query)).toEqual({ order: { transactions: { nodes: of } } }),
      );
      counts.push(names.length);
    }
  }
  expect(counts.slice(2)).toEqual(counts.slice(0, 2));
});

describe('refundOrderTransaction', () => {
  const REFUND = `mutation ($input: RefundOrderTransactionInput!) { refundOrderTransaction(input: $input) {
    userErrors { code } refundedPayment { id status } refund { id databaseId publicId amount { amount } refundedAmount { amount } refundOf { id } }
    refundEdge { cursor node { id amount { amount } } } } }`;
  type Refunded = { refundOrderTransaction: Record<'refund' | 'refundEdge' | 'refundedPayment', never> };

  test('returns the refund with its edge as the list of transactions has it, and the payment beside it', async () => {
    const order = await till.order([[mug, 3]]);
    const payment = globalId('OrderTransaction', (await till.pay(order.id, { amount: '30' })).body.id);
    const input = { orderTransactionId: payment, idempotencyKey: `refund-${order.id}` };
    const part = { ...input, amount: { amount: '12.00', currency: 'EUR' } };
    const first = (await ask<Refunded>(REFUND, { input: part })).refundOrderTransaction;
    const { order: shown } = await ask<{ order: { transactions: { edges: unknown[] } } }>(
      `{ order(by: { databaseId: ${order.id} }) { transactions { edges { cursor node { id amount { amount } } } } } }`,
    );
    expect(first).toMatchObject({
      ...{ userErrors: [], refundedPayment: { id: payment, status: 'PARTIALLY_REFUNDED' } },
      refund: { amount: { amount: '12.00' }, refundedAmount: { amount: '0.00' }, refundOf: { id: payment } },
      refundEdge: shown.transactions.edges[1],
    });
    // A later refund does not change what a retry gets.
    const rest = { orderTransactionId: payment };
    const second = (await ask<Refunded>(REFUND, { input: rest })).refundOrderTransaction;
    expect(second).toMatchObject({
      refundedPayment: { status: 'REFUNDED' },
      refund: { amount: { amount: '18.00' } },
    });
    expect((await ask<Refunded>(REFUND, { input: part })).refundOrderTransaction).toEqual(first);
    // Nothing is left: the last refund again.
    expect((await ask<Refunded>(REFUND, { input: rest })).refundOrderTransaction).toEqual(second);
  });

  test('returns the ids of the refund to a caller that may not read it', async () => {
    const order = await till.order([[mug, 1]]);
    const { id } = (await till.pay(order.id, { amount: '10' })).body;
    const caller = await factories.apiKey(app, { teamId: client.teamId, scopes: ['store:write'] });
    const query = `mutation { refundOrderTransaction(input: { orderTransactionId: "${globalId('OrderTransaction', id)}" }) {
      refundedPayment { databaseId } refund { id databaseId publicId } refundEdge { cursor node { publicId } } } }`;
    const { data, errors } = await post<Refunded>(gateway, { query }, { caller });
    expect(errors).toBeUndefined();
    const { refund: made } = (await till.get(`orders/transactions/${id}`)) as unknown as { refund: Shown };
    const publicId = made['public_id'];
    expect(data?.refundOrderTransaction).toEqual({
      refundedPayment: { databaseId: id },
      refund: { id: globalId('OrderTransaction', made.id), databaseId: made.id, publicId },
      refundEdge: { cursor: expect.any(String), node: { publicId } },
    });
  });
});

describe.each(['rest', 'graphql'] as const)('over %s', (face) => {
  test('a refund returns the payment with the refunded amount and the refund; each changes the order', async () => {
    const order = await till.order([[mug, 3]]);
    expect(await show(order.id)).toMatchObject({ refunded_amount: '0.00' });
    const { body: payment } = await till.pay(order.id, { amount: '30' });
    expect(payment).toMatchObject({ refunded_amount: '0.00', refund_id: null, refund: null });
    const answers: Record<string, unknown>[] = [];
    for (const amount of ['12.34', '7.66', undefined])
      await changes(order, true, async () => answers.push(await refund(face, payment.id, amount)));
    const transactions = (await till.get(`orders/${order.id}/transactions`)) as unknown as Shown[];
    const refunds = transactions.slice(1);
    expect(refunds.map(({ amount }) => amount)).toEqual(['12.34', '7.66', '10.00']);
    const sums = ['12.34', '20.00', '30.00'];
    for (const [index, answer] of answers.entries()) {
      const { refund_id, refund: none, refunded_amount, ...made } = refunds[index] as Shown;
      expect([refund_id, none, refunded_amount]).toEqual([null, null, '0.00']);
      if (face === 'rest')
        expect(answer).toMatchObject({
          ...{ id: payment.id, refunded_amount: sums[index], refund_id: made.id, refund: made },
        });
      else
        expect(answer).toEqual({
          databaseId: payment.id,
          refundedAmount: { amount: sums[index], currency: 'EUR' },
          lastRefund: {
            databaseId: made.id,
            amount: { amount: made['amount'] },
            reason: null,
            refundOf: { databaseId: payment.id },
          },
        });
    }
    expect(await show(order.id)).toMatchObject({ refunded_amount: '30.00' });
    const shown = await ask(
      `{ order(by: { databaseId: ${order.id} }) { refundedAmount { amount currency } } orderTransaction(by: { databaseId: ${payment.id} }) { refundedAmount { amount } lastRefund { databaseId } } }`,
    );
    expect(shown).toEqual({
      order: { refundedAmount: { amount: '30.00', currency: 'EUR' } },
      orderTransaction: { refundedAmount: { amount: '30.00' }, lastRefund: { databaseId: refunds[2]?.id } },
    });
    // Nothing remains: nothing is changed, and the last refund is returned again.
    await changes(order, false, () => refund(face, payment.id));
  });

  test('a fulfillment, its cancellation, its deletion and a restock change the order when its status changes', async () => {
    const { id, invoiceId } = await paidOrder();
    const order = { id };
    const { contact_id: contactId } = await show(id);
    const { line_items: lines } = await till.get(`orders/invoices/${invoiceId}`);
    const lineId = (lines as { id: number }[])[0]?.id;
    const status = async () => (await show(id))['fulfillment_status'];
    const made: number[] = [];
    const send = async (quantity: number) => {
      if (face === 'rest') {
        const { status, text, body } = await client.send('POST', inWorkspace('fulfillments'), {
          ...{ contact_id: contactId, location_id: locationId, tracking_code: `T-${made.length}` },
          included_orders_invoices_line_items_attributes: [{ invoices_line_item_id: lineId, quantity }],
        });
        expect([status, text]).toEqual([201, text]);
        made.push(body.id);
        return;
      }
      const { createFulfillment } = await ask<{
        createFulfillment: { fulfillment: { databaseId: string } };
      }>(
        'mutation ($input: CreateFulfillmentInput!) { createFulfillment(input: $input) { fulfillment { databaseId } } }',
        {
          input: {
            workspaceId: globalId('Workspace', client.workspaceId),
            contactId: globalId('Contact', contactId),
            locationId: globalId('FulfillmentLocation', locationId),
            trackingCode: `T-${made.length}`,
            lineItems: [{ invoiceLineItemId: globalId('InvoiceLineItem', lineId), quantity }],
          },
        },
      );
      made.push(Number(createFulfillment.fulfillment.databaseId));
    };
    const undo = (verb: 'cancel' | 'delete', id = 0) =>
      face === 'graphql'
        ? ask(`mutation ($id: ID!) { ${verb}Fulfillment(input: { fulfillmentId: $id }) { __typename } }`, {
            id: globalId('Fulfillment', id),
          })
        : verb === 'cancel'
          ? client.send('POST', `/api/v2/fulfillments/${id}/cancel`)
          : client.send('DELETE', `/api/v2/fulfillments/${id}`);

    expect(await status()).toBe('unfulfilled');
    await changes(order, true, () => send(1));
    expect(await status()).toBe('partial');
    // As before: neither does its order change.
    await changes(order, false, () => send(1));
    await changes(order, true, () => send(1));
    expect(await status()).toBe('complete');
    const expanded = await show(id, '?expand[]=fulfillments');
    expect((expanded['fulfillments'] as Shown[]).map((one) => [one.id, one['tracking_code']])).toEqual(
      made.map((one, index) => [one, `T-${index}`]),
    );
    await changes(order, true, () => undo('cancel', made[0]));
    expect(await status()).toBe('partial');
    await changes(order, false, () => undo('delete', made[1]));
    await changes(order, true, () => undo('cancel', made[2]));
    expect(await status()).toBe('unfulfilled');
    await changes(order, false, () => till.restock(invoiceId, [[lineId ?? 0, 1]]));
    await changes(order, true, () =>
      face === 'rest'
        ? till.restock(invoiceId, [[lineId ?? 0, 2]])
        : ask('mutation ($input: CreateRestockInput!) { createRestock(input: $input) { __typename } }', {
            input: {
              invoiceId: globalId('Invoice', invoiceId),
              lineItems: [{ invoiceLineItemId: globalId('InvoiceLineItem', lineId), quantity: 2 }],
            },
          }),
    );
    expect(await status()).toBe('not_applicable');
  });
});

test('a repeated refund with an idempotency key gets the first answer', async () => {
  const order = await till.order([[mug, 1]]);
  const { body: payment } = await till.pay(order.id, { amount: '10' });
  const send = () =>
    client.send(
      'POST',
      `/api/v2/orders/transactions/${payment.id}/refund`,
      { amount: '1' },
      { 'Idempotency-Key': 'once' },
    );
  const first = await send();
  expect((await till.refund(payment.id, { amount: '2' })).status).toBe(200);
  expect((await send()).body).toEqual(first.body);
  expect(first.body).toMatchObject({ refunded_amount: '1.00', refund: { amount: '1.00' } });
});

test('the fulfillment status of an order combines those of its invoices', async () => {
  const { id, invoiceId } = await paidOrder();
  const bill = async (goods: typeof mug, status = 'unpaid') => {
    const made = await client.send('POST', `/api/v2/orders/${id}/invoices`, {
      orders_invoice: {
        ...{ status, external_id: 'x', invoice_type: 'renewal' },
        line_items_attributes: [
          {
            ...{ amount: '1', quantity: 1, variant_id: Number(goods.variantId) },
            products_price_id: Number(goods.priceId),
          },
        ],
      },
    });
    expect([made.status, made.text]).toEqual([201, made.text]);
    return made.body.id;
  };
  const { hasTriggers } = await app.store.placement.rules();
  const set = async (text: string, of: number, status: string) => {
    const values = [status, client.workspaceId, of];
    await pool.query(`update order_invoices set ${text} = $1 where workspace_id = $2 and id = $3`, values);
    if (!hasTriggers) await pool.query(CORRECT_FULFILLMENT_STATUSES);
  };
  const status = async () => {
    const { fulfillment_status: shown } = await show(id);
    const { order } = await ask<{ order: { fulfillmentStatus: string } }>(
      `{ order(by: { databaseId: ${id} }) { fulfillmentStatus } }`,
    );
    expect(order.fulfillmentStatus).toBe(`${shown}`.toUpperCase());
    return shown;
  };
  const second = await bill(mug);
  await bill(file);
  const statuses = ['not_applicable', 'unfulfilled', 'partial', 'complete'];
  for (const one of statuses)
    for (const other of statuses) {
      await set('fulfillment_status', invoiceId, one);
      await set('fulfillment_status', second, other);
      const counting = [one, other].filter((status) => status !== 'not_applicable');
      const [only = 'not_applicable', ...others] = new Set(counting);
      expect([one, other, await status()]).toEqual([one, other, others.length > 0 ? 'partial' : only]);
    }
  // An invoice that was given up, of which nothing was sent, says nothing.
  await set('fulfillment_status', invoiceId, 'complete');
  for (const [sent, expected] of [
    ['unfulfilled', 'complete'],
    ['partial', 'partial'],
  ] as const) {
    await set('fulfillment_status', second, sent);
    for (const given of ['voided', 'abandoned', 'refunded']) {
      await set('status', second, given);
      expect([sent, given, await status()]).toEqual([sent, given, expected]);
    }
  }
});

test('a change of invoices that keeps the billing status changes the order with its fulfillment status', async () => {
  const { id, invoiceId } = await till.order([[mug, 3]], { billing_status: 'unpaid' });
  const order = { id };
  const { contact_id: contactId } = await show(id);
  const { line_items: lines } = await till.get(`orders/invoices/${invoiceId}`);
  const invoices_line_item_id = (lines as { id: number }[])[0]?.id;
  await client.send('POST', inWorkspace('fulfillments'), {
    ...{ contact_id: contactId, location_id: locationId },
    included_orders_invoices_line_items_attributes: [{ invoices_line_item_id, quantity: 3 }],
  });
  expect(await show(id)).toMatchObject({ billing_status: 'unpaid', fulfillment_status: 'complete' });
  let second = 0;
  await changes(order, true, async () => {
    const price = { variant_id: Number(mug.variantId), products_price_id: Number(mug.priceId) };
    const { body } = await client.send('POST', `/api/v2/orders/${id}/invoices`, {
      orders_invoice: {
        ...{ status: 'unpaid', external_id: 'x' },
        line_items_attributes: [{ ...price, amount: '1', quantity: 1 }],
      },
    });
    second = body.id;
  });
  expect(await show(id)).toMatchObject({ billing_status: 'unpaid', fulfillment_status: 'partial' });
  await changes(order, true, () => client.send('POST', `/api/v2/orders/invoices/${second}/abandon`));
  expect(await show(id)).toMatchObject({ billing_status: 'unpaid', fulfillment_status: 'complete' });
});

test('fulfillments are returned for reads with expand[], and over GraphQL; webhooks never have them', async () => {
  const { id, invoiceId } = await paidOrder();
  const { contact_id: contactId } = await show(id);
  const { line_items: lines } = await till.get(`orders/invoices/${invoiceId}`);
  const invoices_line_item_id = (lines as { id: number }[])[0]?.id;
  const { body: sent } = await client.send('POST', inWorkspace('fulfillments'), {
    ...{ contact_id: contactId, location_id: locationId, tracking_code: 'T-9' },
    included_orders_invoices_line_items_attributes: [{ invoices_line_item_id, quantity: 2 }],
  });
  const plain = await show(id);
  expect(Object.keys(plain).filter((name) => /^fulfillment(s|_ids)$/.test(name))).toEqual([]);
  const fulfillment = await till.get(`fulfillments/${sent.id}`);
  expect(await show(id, '?expand[]=fulfillments')).toEqual({ ...plain, fulfillments: [fulfillment] });
  const both = '?expand[]=fulfillments&expand[]=fulfillment_ids';
  expect(await show(id, both)).toEqual({ ...plain, fulfillment_ids: [sent.id], fulfillments: [fulfillment] });
  const list = (await till.get(
    `workspaces/${client.workspaceId}/orders?filter[id]=${id}&expand[]=fulfillments`,
  )) as unknown as Shown[];
  expect(list).toEqual([{ ...plain, fulfillments: [fulfillment] }]);
  expect(await client.refused(422, 'GET', `/api/v2/orders/${id}?expand[]=fulfilments`)).toEqual(['expand[]']);
  // A change does not record them, so it cannot answer them.
  const path = `/api/v2/orders/${id}?expand[]=fulfillments`;
  expect(await client.refused(422, 'PUT', path, { order: { notes: 'x' } })).toEqual(['expand[]']);
  expect(
    await ask(
      `{ order(by: { databaseId: ${id} }) { fulfillments { nodes { databaseId trackingCode lineItems { quantity } } } } }`,
    ),
  ).toEqual({
    order: {
      fulfillments: {
        nodes: [{ databaseId: sent.id, trackingCode: 'T-9', lineItems: [{ quantity: 2 }] }],
      },
    },
  });
  const changed = await ask(
    'mutation ($id: ID!) { updateOrder(input: { orderId: $id, notes: "seen" }) { order { notes fulfillmentStatus fulfillments { nodes { trackingCode } } } } }',
    { id: globalId('Order', id) },
  );
  expect(changed).toEqual({
    updateOrder: {
      order: {
        notes: 'seen',
        fulfillmentStatus: 'PARTIAL',
        fulfillments: { nodes: [{ trackingCode: 'T-9' }] },
      },
    },
  });
  const { rows } = await pool.query<{ data: object }>(
    `select data from events where workspace_id = $1 and subject_id = $2 and event_type like 'order.%'`,
    [client.workspaceId, id],
  );
  expect(rows.length).toBeGreaterThan(1);
  for (const { data } of rows) expect(Object.keys(data)).toEqual(Object.keys(plain));
});

test('concurrent fulfillments, refunds and restocks of the same orders all succeed', async () => {
  const orders = await Promise.all([paidOrder(), paidOrder()]);
  const { contact_id: contactId } = await show(orders[0]?.id ?? 0);
  const lineIds = await Promise.all(
    orders.map(async ({ invoiceId }) => {
      const { line_items: lines } = await till.get(`orders/invoices/${invoiceId}`);
      return (lines as { id: number }[])[0]?.id ?? 0;
    }),
  );
  const send = (ids: number[]) =>
    client.send('POST', inWorkspace('fulfillments'), {
      ...{ contact_id: contactId, location_id: locationId },
      included_orders_invoices_line_items_attributes: ids.map((invoices_line_item_id) => ({
        invoices_line_item_id,
        quantity: 1,
      })),
    });
  const done = await Promise.all([
    ...[send(lineIds), send(lineIds.toReversed())],
    ...orders.map(({ invoiceId }, index) => till.restock(invoiceId, [[lineIds[index] ?? 0, 1]])),
    ...orders.map(({ id }) => client.send('PUT', `/api/v2/orders/${id}`, { order: { notes: 'x' } })),
  ]);
  expect(done.map(({ status }) => status)).toEqual([201, 201, 201, 201, 200, 200]);
});
