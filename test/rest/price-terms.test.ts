// The terms of prices as the public API writes them: units in the plural, null where a price is paid once or without end.
import { expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { createRestClient, type Shown } from '../support/rest-client.ts';

const gateway = await sharedGateway();
const client = await createRestClient(gateway);
const { caller, send, workspaceId } = client;
const MEMBERS = '/api/v2/products';

async function done(method: string, path: string, body?: object): Promise<Shown> {
  const answer = await send(method, path, body);
  expect([answer.status < 300, answer.body]).toEqual([true, answer.body]);
  return answer.body as unknown as Shown;
}
const product = await done('POST', `/api/v2/workspaces/${workspaceId}/products`, {
  product: { name: 'Club' },
});
const PRICES = `${MEMBERS}/variants/${product['default_variant_id']}/prices`;
const priceOf = (members: object) => done('POST', PRICES, { amount: '5', currency: 'EUR', ...members });
const MONTHLY = { payment_type: 'subscription', interval: 'months' };

test.each([
  ['day', 'days', 'DAY'],
  ['week', 'weeks', 'WEEK'],
  ['month', 'months', 'MONTH'],
  ['quarter', 'quarters', 'QUARTER'],
  ['year', 'years', 'YEAR'],
])('%s is taken, and shown as %s; GraphQL calls it %s', async (singular, plural, name) => {
  for (const interval of [singular, plural]) {
    const price = await priceOf({ ...MONTHLY, interval, trial_interval: interval, trial_duration: 1 });
    expect(price).toMatchObject({ interval: plural, trial_interval: plural });
    const query = `{ productPrice(by: { databaseId: ${price.id} }) { ... on SubscriptionPrice { interval trialInterval } } }`;
    expect((await post(gateway, { query }, { caller })).data).toEqual({
      productPrice: { interval: name, trialInterval: name },
    });
    expect(await done('GET', `${MEMBERS}/prices/${price.id}`)).toEqual(price);
    expect(await done('PUT', `${MEMBERS}/prices/${price.id}`, { interval: singular })).toEqual(price);
  }
  const input = {
    productVariantId: btoa(`ProductVariant:${product['default_variant_id']}`),
    amount: { amount: '5', currency: 'EUR' },
    paymentType: 'SUBSCRIPTION',
  };
  const query = `mutation ($input: CreateProductPriceInput!) { createProductPrice(input: $input) { productPrice { ... on SubscriptionPrice { interval } } } }`;
  const { data } = await post(
    gateway,
    { query, variables: { input: { ...input, interval: name } } },
    { caller },
  );
  expect(data).toEqual({ createProductPrice: { productPrice: { interval: name } } });
});

test('other names of units are refused', async () => {
  const body = { amount: '5', currency: 'EUR', ...MONTHLY };
  for (const interval of ['Month', 'month ', 'monthss', 'fortnight', 3])
    expect(await client.refused(422, 'POST', PRICES, { ...body, interval })).toEqual(['interval']);
});

test('a one-time price has no payment terms', async () => {
  const none = {
    ...{ duration: null, interval: null, interval_count: null },
    ...{ trial_amount: null, trial_duration: null, trial_interval: null },
  };
  const once = await priceOf({ interval: 'weeks', duration: 3, trial_amount: '1' });
  expect(once).toMatchObject(none);
  expect(
    await done('PUT', `${MEMBERS}/prices/${once.id}`, { ...none, currency: 'JPY', amount: '9' }),
  ).toMatchObject({ ...none, currency: 'JPY' });
  // What was given comes back with the kind.
  const path = `${MEMBERS}/prices/${once.id}`;
  expect(await done('PUT', path, { payment_type: 'payment_plan', duration: 3 })).toMatchObject({
    ...{ duration: '3', interval: 'weeks', interval_count: '1', trial_duration: '0', trial_amount: '0' },
  });
  expect(await done('PUT', path, { payment_type: 'one_time' })).toMatchObject(none);
});

test('a subscription without an end has no duration, and null removes the end', async () => {
  const price = await priceOf({ ...MONTHLY, duration: 0 });
  expect(price).toMatchObject({ duration: null, interval_count: '1', trial_interval: 'days' });
  const path = `${MEMBERS}/prices/${price.id}`;
  expect(await done('PUT', path, { duration: '6' })).toMatchObject({ duration: '6' });
  expect(await done('PUT', path, { name: 'x' })).toMatchObject({ duration: '6' });
  expect(await done('PUT', path, { duration: null, interval: null })).toMatchObject({
    duration: null,
    interval: 'months',
  });
  expect(
    await client.refused(422, 'POST', PRICES, {
      amount: '5',
      payment_type: 'payment_plan',
      interval: 'day',
      duration: null,
    }),
  ).toEqual(['duration']);
});

test('lines copy the terms in this form, and old copies are returned in it', async () => {
  const quarterly = await priceOf({ ...MONTHLY, interval: 'quarter' });
  const once = await priceOf({});
  const line = ({ id, variant_id }: Shown) => ({ products_price_id: id, variant_id, quantity: 1 });
  const order = await done('POST', `/api/v2/workspaces/${workspaceId}/orders`, {
    ...{ order_type: 'subscription-order', live_mode: true },
    ...{
      contact_attributes: { email_address: 'a@example.com' },
      line_items_attributes: [line(quarterly), line(once)],
    },
  });
  const copies = (shown: Shown) =>
    (shown['line_items'] as { products_price: object }[]).map((one) => one.products_price);
  const expected = [
    { interval: 'quarters', duration: null, interval_count: 1 },
    { interval: null, duration: null, interval_count: null },
  ];
  expect(copies(order)).toMatchObject(expected);
  const months = (Date.parse(String(order['next_charge_at'])) - Date.now()) / (30.4 * 86_400_000);
  expect(Math.round(months)).toBe(3);
  const [invoice] = (await done('GET', `/api/v2/orders/${order.id}/invoices`)) as unknown as Shown[];
  expect(copies(invoice as Shown)).toMatchObject([
    { interval: 'quarters', interval_count: '1' },
    { interval: null },
  ]);
  const { pool } = gateway.app.store;
  for (const [table, parent, id] of [
    ['order_line_items', 'order_id', order.id],
    ['order_invoice_line_items', 'invoice_id', invoice?.id],
  ])
    await pool.query(
      `update ${table} set products_price = products_price::jsonb || '{"interval": "quarter"}' where ${parent} = $1`,
      [id],
    );
  expect(copies(await done('GET', `/api/v2/orders/${order.id}`))[0]).toMatchObject({ interval: 'quarters' });
  expect(copies(await done('GET', `/api/v2/orders/invoices/${invoice?.id}`))[0]).toMatchObject({
    interval: 'quarters',
  });
});

test('without a currency, a price has that of the newest price of the workspace', async () => {
  const other = await createRestClient(gateway);
  const made = async (path: string, body: object) =>
    (await other.send('POST', path, body)).body as unknown as Shown;
  const own = await made(`/api/v2/workspaces/${other.workspaceId}/products`, { name: 'Mug' });
  const path = `${MEMBERS}/variants/${own['default_variant_id']}/prices`;
  expect(await made(path, { amount: '5' })).toMatchObject({ currency: 'USD', amount: '5.00' });
  await made(path, { amount: '5', currency: 'JPY' });
  for (const currency of [undefined, null, ''])
    expect(await made(path, { amount: '5', currency })).toMatchObject({ currency: 'JPY', amount: '5' });
  expect(await other.refused(404, 'POST', `${MEMBERS}/variants/999999999/prices`, { amount: '5' })).toEqual(
    [],
  );
});

test('the first variant of a product is digital, others are physical, and measures are accepted as text', async () => {
  expect(await done('GET', `${MEMBERS}/variants/${product['default_variant_id']}`)).toMatchObject({
    product_type: 'digital',
  });
  const measured = { weight: '92.0', height: '4.0', width: '0.5', length: 3 };
  const variant = await done('POST', `${MEMBERS}/${product.id}/variants`, {
    name: 'Box',
    ...measured,
    quantity: '2.0',
  });
  expect(variant).toMatchObject({
    product_type: 'physical',
    weight: 92,
    height: 4,
    width: 0.5,
    length: 3,
    quantity: 2,
  });
  for (const height of ['4,0', '1e3', ' 4', '4.', '1234567890', '0x4'])
    expect(await client.refused(422, 'PUT', `${MEMBERS}/variants/${variant.id}`, { height })).toEqual([
      'height',
    ]);
});
