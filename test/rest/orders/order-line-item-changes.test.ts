// Changes of lines of subscriptions to other prices over REST: the preview, and performing them.
import { expect, test } from 'vitest';
import { sharedGateway } from '../../support/gateway.ts';
import { CHANGEABLE, digest } from '../../support/hostile.ts';
import { anotherPrice, openTill } from '../../support/orders/money.ts';
import { type Goods, offer } from '../../support/orders/shop.ts';

const gateway = await sharedGateway();
const { app } = gateway;
const till = await openTill(gateway);
const { client } = till;
const { workspaceId } = client;

const RUNNING = { order_type: 'subscription-order', billing_status: 'paid', service_status: 'active' };
const plan = await offer(app, workspaceId, { amount: '10.00', paymentType: 'subscription' });
const dearer = await anotherPrice(app, { workspaceId, goods: plan, amount: '20.01' });
const cheaper = await anotherPrice(app, { workspaceId, goods: plan, amount: '5.00' });

interface Change {
  readonly preview: boolean;
  readonly new_line_item: Record<string, unknown>;
  readonly previous_line_item: Record<string, unknown>;
  readonly upcoming_invoice: Record<string, unknown>;
}

/** A subscription, and the path of the changes of its line. @param daysLeft of a period of 30 days */
async function subscribe(quantity = 3, daysLeft = 10, given = {}) {
  const order = await till.order([[plan, quantity]], { ...RUNNING, ...given });
  await app.store.pool.query(
    `update orders set next_charge_at = date_trunc('day', now(), 'UTC') + make_interval(days => $2::int, hours => 12),
        created_at = date_trunc('day', now(), 'UTC') + make_interval(days => $2::int - 30)
      where id = $1`,
    [order.id, daysLeft],
  );
  const [line] = (await till.get(`orders/${order.id}`))['line_items'] as { id: number }[];
  const path = `/api/v2/orders/line_items/${line?.id}/changes`;
  const send = async (way: '' | '/perform', { priceId }: Goods, more = {}) => {
    const { status, text } = await client.send('POST', `${path}${way}`, {
      orders_line_items_change: { products_price_id: Number(priceId), ...more },
    });
    const { orders_line_items_change: change } = JSON.parse(text) as { orders_line_items_change: Change };
    return { status, text, change };
  };
  return { ...order, path, send };
}

test('the preview returns the result of the change, and writes nothing', async () => {
  const { id, send, path } = await subscribe();
  const before = await digest(gateway, CHANGEABLE, client.teamId);
  const { status, change } = await send('', dearer, { prorate: true });
  expect(await digest(gateway, CHANGEABLE, client.teamId)).toEqual(before);
  // 3 x 10.01 for 10 of 30 days.
  const due = { subtotal_amount: '10.01', total_amount: '10.01', tax_amount: '0.00', currency: 'EUR' };
  expect([status, change]).toMatchObject([
    200,
    {
      preview: true,
      new_line_item: { prorated: 'true', products_price: { id: Number(dearer.priceId), amount: '20.01' } },
      previous_line_item: {
        prorated: null,
        products_price: { id: Number(plan.priceId), amount: '10.00' },
      },
      upcoming_invoice: due,
    },
  ]);
  const events = await till.events();
  const made = await send('/perform', dearer, { prorate: true });
  const timeless = ({ updated_at: _, ...line }: Record<string, unknown>) => line;
  expect(made.change.preview).toBe(false);
  expect(timeless(made.change.new_line_item)).toEqual(timeless(change.new_line_item));
  expect(made.change.previous_line_item).toEqual(change.previous_line_item);
  expect(made.change.upcoming_invoice).toMatchObject(due);
  const order = await till.get(`orders/${id}`);
  expect(order).toMatchObject({ total_amount: '60.03', billing_status: 'unpaid' });
  expect(order['line_items']).toEqual([made.change.new_line_item]);
  const invoices = (await till.get(`orders/${id}/invoices`)) as unknown as Record<string, unknown>[];
  expect(invoices[1]).toMatchObject({
    ...{ invoice_type: 'interim', status: 'unpaid', total_amount: '10.01', due_amount: '10.01' },
    fulfillment_status: 'not_applicable',
  });
  expect(invoices[1]?.['invoice_number']).not.toBe('');
  expect((await till.events()).slice(events.length).toSorted()).toEqual([
    ...[
      'order.updated',
      'orders/invoice.created',
      'subscription.line_items.changed',
      'subscription.upgraded',
    ],
  ]);
  expect((await till.pay(id, { amount: '10.01' })).status).toBe(201);
  // The price that it has now.
  const same = { products_price_id: Number(dearer.priceId) };
  expect(await client.refused(422, 'POST', path, same)).toEqual(['products_price_id']);
});

test('a period that was billed already is not billed again', async () => {
  const { id, send } = await subscribe();
  const [one, down, again] = [
    await send('/perform', dearer, { prorate: true }),
    await send('/perform', plan, { prorate: true }),
    await send('/perform', dearer, { prorate: true }),
  ];
  expect([one, down, again].map(({ status }) => status)).toEqual([200, 200, 200]);
  const dearest = await anotherPrice(app, { workspaceId, goods: plan, amount: '23.01' });
  // 3 x 3.00 for 10 of 30 days: what is above the price that was billed.
  const { change } = await send('/perform', dearest, { prorate: true });
  expect(change.upcoming_invoice).toMatchObject({ total_amount: '3.00' });
  const invoices = (await till.get(`orders/${id}/invoices`)) as unknown as Record<string, unknown>[];
  const interim = invoices.filter(({ invoice_type }) => invoice_type === 'interim');
  expect(interim.map(({ total_amount }) => total_amount)).toEqual(['10.01', '3.00']);
});

test('prorated amounts are rounded half up, once, to the smallest unit', async () => {
  const cent = await anotherPrice(app, { workspaceId, goods: plan, amount: '10.01' });
  for (const [quantity, days, due] of [
    [1, 15, '0.01'],
    [1, 14, '0.00'],
    [3, 15, '0.02'],
    [5, 3, '0.01'],
  ] as const) {
    const { change } = await (await subscribe(quantity, days)).send('', cent, { prorate: true });
    const isDue = due !== '0.00';
    const next = `${quantity * 10}.${String(quantity).padStart(2, '0')}`;
    expect(change.upcoming_invoice['total_amount']).toBe(isDue ? due : next);
  }
});

test('nothing is due now without proration, at the next renewal, or for a lower price', async () => {
  for (const [goods, more, type, total] of [
    [dearer, {}, 'upgraded', '60.03'],
    [dearer, { effective_time: 'next_renewal', prorate: true }, 'upgraded', '60.03'],
    [cheaper, { effective_time: 'now', prorate: true }, 'downgraded', '15.00'],
    [
      await anotherPrice(app, { workspaceId, goods: plan, amount: '10.00' }),
      { effective_time: null, prorate: null },
      'modified',
      '30.00',
    ],
  ] as const) {
    const { id, send } = await subscribe();
    const events = await till.events();
    const { status, change } = await send('/perform', goods, more);
    expect([status, change.upcoming_invoice['total_amount']]).toEqual([200, total]);
    const order = await till.get(`orders/${id}`);
    expect(change.upcoming_invoice['next_invoice_date']).toBe(order['next_charge_at']);
    expect([order['total_amount'], order['billing_status']]).toEqual([total, 'paid']);
    expect((await till.events()).slice(events.length).toSorted()).toEqual([
      ...['order.updated', 'subscription.line_items.changed', `subscription.${type}`].toSorted(),
    ]);
  }
});

test('prices and orders that do not permit the change are refused', async () => {
  const { path } = await subscribe();
  const foreign = await offer(app, workspaceId, { paymentType: 'subscription' });
  const archived = await anotherPrice(app, { workspaceId, goods: plan, amount: '7.00' });
  await app.store.pool.query('update product_prices set archived_at = now() where id = $1', [
    String(archived.priceId),
  ]);
  const others = [
    foreign,
    archived,
    await anotherPrice(app, { workspaceId, goods: plan, amount: '20.00', currency: 'USD' }),
    await anotherPrice(app, { workspaceId, goods: plan, amount: '20.00', paymentType: 'one_time' }),
    { priceId: 999_999_999n },
  ];
  for (const { priceId } of others)
    for (const way of ['', '/perform'])
      expect(
        await client.refused(422, 'POST', `${path}${way}`, { products_price_id: String(priceId) }),
      ).toEqual(['products_price_id']);
  // It would be billed at once.
  const soon = { products_price_id: Number(dearer.priceId), prorate: true, effective_at: 'next_renewal' };
  for (const way of ['', '/perform'])
    expect(await client.refused(422, 'POST', `${path}${way}`, soon)).toEqual(['effective_at']);
  const yearly = await anotherPrice(app, { workspaceId, goods: plan, amount: '99.00', interval: 'year' });
  const ofYear = { products_price_id: Number(yearly.priceId) };
  expect(await client.refused(422, 'POST', path, { ...ofYear, prorate: true })).toEqual(['prorate']);
  expect((await client.send('POST', path, ofYear)).status).toBe(200);
  for (const given of [{ service_status: 'canceled' }, { order_type: 'one-time-order' }]) {
    const other = await subscribe(1, 10, given);
    await client.refused(409, 'POST', other.path, { products_price_id: Number(dearer.priceId) });
    await client.refused(409, 'POST', `${other.path}/perform`, { products_price_id: Number(dearer.priceId) });
  }
});

test('a public id identifies a price, and a retry changes nothing more', async () => {
  const { id, path } = await subscribe();
  const { rows } = await app.store.pool.query<{ public_id: string }>(
    'select public_id from product_prices where id = $1',
    [String(dearer.priceId)],
  );
  const body = { orders_line_items_change: { products_price_id: rows[0]?.public_id, prorate: true } };
  const first = await client.send('POST', `${path}/perform`, body, { 'Idempotency-Key': 'once' });
  const again = await client.send('POST', `${path}/perform`, body, { 'Idempotency-Key': 'once' });
  expect([first.status, again.text]).toEqual([200, first.text]);
  expect(await till.get(`orders/${id}/invoices`)).toHaveLength(2);
});

test('in a trial nothing is due now', async () => {
  const tried = await offer(app, workspaceId, {
    ...{ amount: '10.00', trial: '1.00', paymentType: 'subscription' },
  });
  const more = await anotherPrice(app, { workspaceId, goods: tried, amount: '30.00' });
  const { id } = await till.order([[tried, 2]], RUNNING);
  const [line] = (await till.get(`orders/${id}`))['line_items'] as { id: number }[];
  const { status, text } = await client.send(
    'POST',
    `/api/v2/orders/line_items/${line?.id}/changes/perform`,
    {
      ...{ products_price_id: Number(more.priceId), prorate: true },
    },
  );
  expect([status, JSON.parse(text)]).toMatchObject([
    200,
    { orders_line_items_change: { upcoming_invoice: { total_amount: '60.00' } } },
  ]);
  expect(await till.get(`orders/${id}`)).toMatchObject({
    ...{ total_amount: '2.00', line_items: [{ products_price: { amount: '30.00' } }] },
  });
  const { rows } = await app.store.pool.query(
    'select amount, first_amount from order_line_items where id = $1',
    [line?.id],
  );
  expect(rows).toEqual([{ amount: '30.00', first_amount: '1.00' }]);
});

test('a changed payment type of the ordered price does not affect the line', async () => {
  const was = await offer(app, workspaceId, { amount: '10.00', paymentType: 'subscription' });
  const more = await anotherPrice(app, { workspaceId, goods: was, amount: '15.00' });
  const once = await anotherPrice(app, { workspaceId, goods: was, amount: '15.00', paymentType: 'one_time' });
  const { id } = await till.order(
    [
      [was, 1],
      [was, 2],
    ],
    RUNNING,
  );
  await client.send('PUT', `/api/v2/products/prices/${was.priceId}`, { payment_type: 'one_time' });
  const [line] = (await till.get(`orders/${id}`))['line_items'] as { id: number }[];
  const path = `/api/v2/orders/line_items/${line?.id}/changes`;
  expect(await client.refused(422, 'POST', path, { products_price_id: Number(once.priceId) })).toEqual([
    'products_price_id',
  ]);
  const { status, text } = await client.send('POST', path, { products_price_id: Number(more.priceId) });
  // The other line is paid again and again too.
  expect([status, JSON.parse(text)]).toMatchObject([
    200,
    { orders_line_items_change: { upcoming_invoice: { total_amount: '35.00' } } },
  ]);
});
