// Lines of orders and invoices as others are shown them: in answers, retries, lists and events they have the members of the public API alone.
// GraphQL and the audit trail have all.
import { expect, test } from 'vitest';
import { SHAPES } from '../../support/facts.ts';
import { sharedGateway } from '../../support/gateway.ts';
import { post } from '../../support/graphql.ts';
import { anotherPrice, openTill } from '../../support/orders/money.ts';
import { line, offer } from '../../support/orders/shop.ts';

const gateway = await sharedGateway();
const { app } = gateway;
const till = await openTill(gateway);
const { client } = till;
const { workspaceId } = client;
const plan = await offer(app, workspaceId, { setup: '1.00', paymentType: 'subscription' });
const dearer = await anotherPrice(app, { workspaceId, goods: plan, amount: '20.00' });

const [ORDERED, BILLED, ORDER] = ['OrdersLineItem', 'OrdersInvoicesLineItem', 'OrderBase'].map((shape) =>
  (SHAPES.get(shape) ?? []).map(({ name }) => name),
) as [string[], string[], string[]];

type Shown = { readonly id: number; readonly [member: string]: unknown };

/** The nested members of an object beyond the public API. */
function surplusOf({ order, line_items, new_line_item, previous_line_item }: Shown): string[] {
  const surplus = (of: unknown, names: string[]) =>
    Object.keys(of as object).filter((name) => !names.includes(name));
  const lines = [...((line_items as object[] | undefined) ?? []), new_line_item, previous_line_item];
  return [
    ...surplus(order ?? {}, ORDER),
    ...lines.flatMap((one) => surplus(one ?? {}, order === undefined ? ORDERED : BILLED)),
  ];
}

async function send(method: string, path: string, body?: object, key?: string): Promise<Shown[]> {
  const headers = key === undefined ? {} : { 'Idempotency-Key': key };
  const { status, text } = await client.send(method, `/api/v2/${path}`, body, headers);
  expect([status, text]).toEqual([expect.toSatisfy((code) => [200, 201].includes(code)), text]);
  const shown = JSON.parse(text) as Shown | Shown[];
  return [shown].flat().map((one) => (one['orders_line_items_change'] ?? one) as Shown);
}

test('have only the members of the public API over REST and in events; GraphQL and the audit trail have all', async () => {
  const { body: contact } = await client.create();
  const given = {
    order: {
      ...{ contact_id: contact.id, live_mode: true, order_type: 'subscription-order' },
      line_items_attributes: [line(plan, 2)],
    },
  };
  const orders = `workspaces/${workspaceId}/orders`;
  const [order] = (await send('POST', orders, given, 'order')) as [Shown];
  const [{ id: lineId }] = order['line_items'] as [Shown];
  const invoices = `orders/${order.id}/invoices`;
  const bill = {
    orders_invoice: {
      ...{ external_id: 'e', status: 'unpaid', invoice_type: 'charge' },
      line_items_attributes: [{ ...line(plan), amount: '1.00' }],
    },
  };
  const change = { orders_line_items_change: { products_price_id: Number(dearer.priceId) } };
  const [invoice] = (await send('POST', invoices, bill, 'invoice')) as [Shown];
  const member = `orders/invoices/${invoice.id}`;
  const changes = `orders/line_items/${lineId}/changes`;
  const shown = [
    ...[order, invoice],
    ...(await send('POST', orders, given, 'order')),
    ...(await send('POST', invoices, bill, 'invoice')),
    ...(await send('POST', changes, change)),
    ...(await send('POST', `${changes}/perform`, change, 'change')),
    ...(await send('POST', `${changes}/perform`, change, 'change')),
    ...(await send('PUT', `orders/${order.id}`, { order: { notes: 'x' } }, 'notes')),
    ...(await send('PUT', `orders/${order.id}`, { order: { notes: 'x' } }, 'notes')),
    ...(await send('PUT', member, { orders_invoice: { shipping_amount: '1' } })),
    ...(await send('GET', `orders/${order.id}`)),
    ...(await send('GET', orders)),
    ...(await send('GET', member)),
    ...(await send('GET', invoices)),
    ...(await send('GET', `workspaces/${workspaceId}/orders/invoices`)),
    ...(await send('POST', `orders/${order.id}/cancel`, { order: { cancel_reason: 'unused' } })),
  ];
  expect(shown.map(surplusOf)).toEqual(shown.map(() => []));
  const kept = (table: string, of: string) =>
    app.store.pool.query(
      `select ${of} as shown from ${table} where workspace_id = $1 and ${of} is not null`,
      [workspaceId],
    );
  const events = (await kept('events', 'data')).rows.map((row) => row.shown as Shown);
  expect(events.filter((one) => 'line_items' in one).length).toBeGreaterThan(8);
  expect(events.map(surplusOf)).toEqual(events.map(() => []));
  const audited = (await kept('audit_entries', 'after')).rows.map((row) => row.shown as Shown);
  const whole = audited.flatMap((one) => (one['line_items'] as Shown[] | undefined) ?? []);
  expect(whole.length).toBeGreaterThan(3);
  for (const one of whole) expect(one).toMatchObject({ variant_id: Number(plan.variantId), currency: 'EUR' });

  const lines =
    'lineItems { variant { databaseId } firstUnitPrice { amount currency } setupAmount { amount } }';
  const query = `query ($id: BigInt!) { order(by: { databaseId: $id }) { ${lines} again: lineItems { id }
    invoices { nodes { lineItems { orderLineItem { databaseId } variant { databaseId } } } } } once: order(by: { databaseId: $id }) { ${lines} } }`;
  const { data, errors } = await post(
    gateway,
    { query, variables: { id: String(order.id) } },
    { caller: client.caller },
  );
  expect(errors).toBeUndefined();
  const expected = [
    {
      variant: { databaseId: Number(plan.variantId) },
      firstUnitPrice: { amount: '20.00', currency: 'EUR' },
      setupAmount: { amount: '1.00' },
    },
  ];
  expect(data).toMatchObject({
    once: { lineItems: expected },
    order: {
      lineItems: expected,
      invoices: { nodes: [{ lineItems: [{ orderLineItem: { databaseId: lineId } }, {}] }, {}] },
    },
  });
});
