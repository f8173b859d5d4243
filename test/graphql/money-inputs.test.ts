// Amounts in inputs have their currency: one of them sets it, and each other one must have the same.
import { expect, test } from 'vitest';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { openTill } from '../support/orders/money.ts';
import { offer } from '../support/orders/shop.ts';
import { firstUserError, sendMutation } from '../support/user-errors.ts';

const gateway = await sharedGateway();
const till = await openTill(gateway);
const { client } = till;
const { variantId, priceId, ...mug } = await offer(gateway.app, client.workspaceId, { amount: '10.00' });
const globalId = (type: string, id: unknown) => btoa(`${type}:${id}`);
const money = (amount: string, currency = 'EUR') => ({ amount, currency });

/** @returns the code and path of each user error */
async function refusals(name: string, input: object) {
  const { data, errors } = await sendMutation(gateway, name, input, client);
  expect(errors).toBeUndefined();
  return data?.[name]?.userErrors.map(({ code, path }) => [code, path?.join('.')]);
}

test('a price has one currency: its amount sets it', async () => {
  const create = (amounts: object) =>
    refusals('createProductPrice', { productVariantId: globalId('ProductVariant', variantId), ...amounts });
  expect(
    await create({ amount: money('5'), cost: money('2', 'USD'), setupAmount: money('1', 'GBP') }),
  ).toEqual([
    ['NOT_ALLOWED', 'cost.currency'],
    ['NOT_ALLOWED', 'setupAmount.currency'],
  ]);
  expect(await create({ amount: money('5', 'XXY') })).toEqual([['INVALID_FORMAT', 'amount.currency']]);
  expect(await create({ amount: money('5.001') })).toEqual([['INVALID_FORMAT', 'amount.amount']]);
  expect(await create({ amount: money('5'), cost: money('2') })).toEqual([]);
});

test('a change of other amounts keeps the currency, and a new amount may change it', async () => {
  const productPriceId = globalId('ProductPrice', priceId);
  const change = (amounts: object) => refusals('updateProductPrice', { productPriceId, ...amounts });
  expect(await change({ cost: money('2', 'USD') })).toEqual([['NOT_ALLOWED', 'cost.currency']]);
  expect(await change({ cost: money('2') })).toEqual([]);
  expect(await change({ amount: money('11', 'USD'), cost: money('3') })).toEqual([
    ['NOT_ALLOWED', 'cost.currency'],
  ]);
  expect(await change({ amount: money('11', 'USD'), cost: money('3', 'USD') })).toEqual([]);
  const query = '{ productPrice(by: { id: "ID" }) { amount { amount currency } cost { amount currency } } }';
  const { data } = await post(gateway, { query: query.replace('ID', productPriceId) }, client);
  expect(data).toEqual({ productPrice: { amount: money('11.00', 'USD'), cost: money('3.00', 'USD') } });
  expect(await change({ amount: money('10') })).toEqual([]);
});

test('a rate has the currency of its price', async () => {
  const send = (path: string, body: object) => client.send('POST', `/api/v2/${path}`, body);
  const inWorkspace = `workspaces/${client.workspaceId}/shipping`;
  const profile = await send(`${inWorkspace}/profiles`, { shipping_profile: { name: 'All' } });
  const groups = await client.send('GET', `/api/v2/shipping/profiles/${profile.body.id}/location_groups`);
  const [group] = JSON.parse(groups.text) as { id: number }[];
  const zone = await send(`shipping/location_groups/${group?.id}/zones`, { shipping_zone: { name: 'EU' } });
  const name = await send(`${inWorkspace}/rates/names`, { shipping_rates_name: { name: 'Post' } });
  const input = {
    shippingZoneId: globalId('ShippingZone', zone.body.id),
    rateNameId: globalId('ShippingRateName', name.body.id),
    price: money('4', 'JPY'),
  };
  const query = `mutation ($input: CreateShippingRateInput!) {
    createShippingRate(input: $input) { shippingRate { price { amount currency } } } }`;
  const { data } = await post(gateway, { query, variables: { input } }, client);
  expect(data).toEqual({ createShippingRate: { shippingRate: { price: money('4', 'JPY') } } });
});

test('invoices, payments and refunds have the currency of the order', async () => {
  const { id, invoiceId } = await till.order([[{ ...mug, variantId, priceId }, 1]]);
  const orderId = globalId('Order', id);
  const line = {
    priceId: globalId('ProductPrice', priceId),
    quantity: 1,
  };
  const invoice = (shippingAmount: object, unitPrice: object) =>
    refusals('createInvoice', {
      orderId,
      status: 'UNPAID',
      shippingAmount,
      lineItems: [{ ...line, unitPrice }],
    });
  expect(await invoice(money('1', 'USD'), money('2', 'GBP'))).toEqual([
    ['NOT_ALLOWED', 'lineItems.0.unitPrice.currency'],
    ['NOT_ALLOWED', 'shippingAmount.currency'],
  ]);
  const change = (input: object) =>
    refusals('updateInvoice', { invoiceId: globalId('Invoice', invoiceId), ...input });
  expect(await change({ shippingAmount: money('1', 'USD') })).toEqual([
    ['NOT_ALLOWED', 'shippingAmount.currency'],
  ]);
  const query = `{ node(id: "${globalId('Invoice', invoiceId)}") { ... on Invoice { lineItems { id } } } }`;
  const { data } = await post<{ node: { lineItems: { id: string }[] } }>(gateway, { query }, client);
  const lineItems = [{ id: data?.node.lineItems[0]?.id, unitPrice: money('9', 'USD') }];
  expect(await change({ lineItems })).toEqual([['NOT_ALLOWED', 'lineItems.0.unitPrice.currency']]);

  const pay = (amount: object) =>
    refusals('createOrderTransaction', {
      orderId,
      invoiceId: globalId('Invoice', invoiceId),
      externalId: 'a',
      amount,
    });
  expect(await pay(money('10', 'USD'))).toEqual([['NOT_ALLOWED', 'amount.currency']]);
  expect(await pay(money('10'))).toEqual([]);
  const { rows } = await gateway.app.store.pool.query<{ id: string }>(
    'select id from order_transactions where workspace_id = $1 and order_id = $2',
    [client.workspaceId, id],
  );
  const orderTransactionId = globalId('OrderTransaction', rows[0]?.id);
  const refund = (amount?: object | null) =>
    refusals('refundOrderTransaction', { orderTransactionId, ...(amount !== undefined && { amount }) });
  expect(await refund(money('1', 'USD'))).toEqual([['NOT_ALLOWED', 'amount.currency']]);
  expect(await refund(money('1'))).toEqual([]);
  const statusOf = async () => {
    const { rows: paid } = await gateway.app.store.pool.query<{ status: string }>(
      'select status from order_transactions where workspace_id = $1 and id = $2',
      [client.workspaceId, rows[0]?.id],
    );
    return paid[0]?.status;
  };
  // JSON has null for an amount that is not a number.
  expect(await refund(null)).toEqual([['REQUIRED', 'amount']]);
  expect(await statusOf()).toBe('partially-refunded');
  // Without an amount, the rest.
  expect(await refund()).toEqual([]);
  expect(await statusOf()).toBe('refunded');
});

test('what is wrong with an amount leads to its number, whatever it is', async () => {
  const productPriceId = globalId('ProductPrice', priceId);
  const change = (amounts: object) => refusals('updateProductPrice', { productPriceId, ...amounts });
  expect(await change({ amount: money('1.001') })).toEqual([['INVALID_FORMAT', 'amount.amount']]);
  expect(await change({ cost: money('-1') })).toEqual([['OUT_OF_RANGE', 'cost.amount']]);
  const typed = await sendMutation(
    gateway,
    'updateProductPrice',
    { productPriceId, amount: money('12,5') },
    client,
  );
  expect(firstUserError(typed)).toEqual({
    ...{ code: 'INVALID_FORMAT', path: ['amount', 'amount'] },
    message:
      'must be a decimal number, such as "12.50", with at most 15 digits before the point and 9 after it',
  });
  const { id, invoiceId } = await till.order([[{ ...mug, variantId, priceId }, 1]]);
  const orderId = globalId('Order', id);
  const pay = (amount: object) => refusals('createOrderTransaction', { orderId, externalId: 'a', amount });
  expect(await pay(money('0'))).toEqual([['OUT_OF_RANGE', 'amount.amount']]);
  expect(await pay(money('10.01'))).toEqual([['OUT_OF_RANGE', 'amount.amount']]);
  expect(await pay(money('10'))).toEqual([]);
  const { rows } = await gateway.app.store.pool.query<{ id: string }>(
    'select id from order_transactions where workspace_id = $1 and order_id = $2',
    [client.workspaceId, id],
  );
  const orderTransactionId = globalId('OrderTransaction', rows[0]?.id);
  expect(await refusals('refundOrderTransaction', { orderTransactionId, amount: money('11') })).toEqual([
    ['OUT_OF_RANGE', 'amount.amount'],
  ]);
  const lineItems = [{ priceId: globalId('ProductPrice', priceId), quantity: 1, unitPrice: money('-2') }];
  expect(await refusals('createInvoice', { orderId, status: 'UNPAID', lineItems })).toEqual([
    ['OUT_OF_RANGE', 'lineItems.0.unitPrice.amount'],
  ]);
  expect(
    await refusals('updateInvoice', {
      invoiceId: globalId('Invoice', invoiceId),
      shippingAmount: money('-1'),
    }),
  ).toEqual([['OUT_OF_RANGE', 'shippingAmount.amount']]);
});
