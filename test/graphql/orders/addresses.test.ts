// The addresses of orders: objects in GraphQL, from the parts that REST has as fields of the order.
import { expect, test } from 'vitest';
import { type AddressParts, addressLines } from '../../../src/resources/addresses.ts';
import { sharedGateway } from '../../support/gateway.ts';
import { post } from '../../support/graphql.ts';
import { statementsOf } from '../../support/graphql-statements.ts';
import { openTill } from '../../support/orders/money.ts';
import { offer } from '../../support/orders/shop.ts';

const gateway = await sharedGateway();
const till = await openTill(gateway);
const { client } = till;
const mug = await offer(gateway.app, client.workspaceId, { amount: '10.00', stock: 1_000 });

const PARTS =
  'name firstName lastName organizationName phoneNumber streetOne streetTwo city region postalCode country formatted';
const SHIPPING = {
  ...{ first_name: 'Ada', last_name: 'Lovelace', organization_name: 'Engines', phone_number: '+43 1' },
  ...{ street_one: '1 Road', street_two: 'Hall 3', city: 'Graz', region: 'ST', postal_code: '8010' },
  country: 'AT',
};
const prefixed = (parts: object, prefix: string) =>
  Object.fromEntries(Object.entries(parts).map(([part, value]) => [`${prefix}_address_${part}`, value]));

test('each part is where REST has it, with the whole name and the lines of a letter; an order without any has null', async () => {
  const { id } = await till.order([[mug, 1]], {
    ...prefixed(SHIPPING, 'shipping'),
    ...prefixed({ city: 'Linz', country: 'AT' }, 'billing'),
  });
  const { id: bare } = await till.order([[mug, 1]]);
  const query = `{ a: order(by: { databaseId: ${id} }) { shippingAddress { ${PARTS} } billingAddress { ${PARTS} } }
    b: order(by: { databaseId: ${bare} }) { shippingAddress { ${PARTS} } billingAddress { ${PARTS} } } }`;
  const none = Object.fromEntries(PARTS.split(' ').map((part) => [part, null]));
  for (const _ of ['Yoga', 'the fast path']) {
    const { data, errors } = await post(gateway, { query }, { caller: client.caller });
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      a: {
        shippingAddress: {
          ...{ name: 'Ada Lovelace', firstName: 'Ada', lastName: 'Lovelace', organizationName: 'Engines' },
          ...{ phoneNumber: '+43 1', streetOne: '1 Road', streetTwo: 'Hall 3', city: 'Graz', region: 'ST' },
          ...{ postalCode: '8010', country: 'AT' },
          formatted: ['Ada Lovelace', 'Engines', '1 Road', 'Hall 3', 'Graz, ST 8010', 'AT'],
        },
        billingAddress: { ...none, city: 'Linz', country: 'AT', formatted: ['Linz', 'AT'] },
      },
      b: { shippingAddress: null, billingAddress: null },
    });
  }
});

test('a page of orders with their addresses is one statement', async () => {
  const query = `query ($id: BigInt!) { workspace(by: { databaseId: $id }) { orders { nodes { id shippingAddress { city } } } } }`;
  const variables = { id: String(client.workspaceId) };
  const ask = () => post(gateway, { query, variables }, { caller: client.caller });
  await ask();
  expect(await statementsOf(gateway, ask)).toHaveLength(1);
});

test('a change returns the addresses after it', async () => {
  const { id } = await till.order([[mug, 1]], prefixed(SHIPPING, 'shipping'));
  const query = `mutation ($input: UpdateOrderInput!) { updateOrder(input: $input) {
    userErrors { code path } order { shippingAddress { firstName city } billingAddress { city } } } }`;
  const change = async (input: object) => {
    const variables = { input: { orderId: btoa(`Order:${id}`), ...input } };
    const { data, errors } = await post<{ updateOrder: unknown }>(
      gateway,
      { query, variables },
      { caller: client.caller },
    );
    expect(errors).toBeUndefined();
    return data?.updateOrder;
  };
  const order = (shippingAddress: object | null, billingAddress: object | null = null) => ({
    userErrors: [],
    order: { shippingAddress, billingAddress },
  });
  // An address is replaced as a whole, one that is not sent stays.
  expect(await change({ shippingAddress: { city: 'Wels' } })).toEqual(
    order({ firstName: null, city: 'Wels' }),
  );
  expect(await change({ billingAddress: { city: 'Linz' } })).toEqual(
    order({ firstName: null, city: 'Wels' }, { city: 'Linz' }),
  );
  expect(await change({ shippingAddress: null })).toEqual(order(null, { city: 'Linz' }));
  const refused = (code: string, ...path: string[]) => ({ order: null, userErrors: [{ code, path }] });
  expect(await change({ shippingAddress: { city: 'x'.repeat(2_001) } })).toEqual(
    refused('TOO_LONG', 'shippingAddress', 'city'),
  );
  expect(await change({ billingAddress: { firstName: 'Ada' } })).toEqual(
    refused('NOT_ALLOWED', 'billingAddress', 'firstName'),
  );
  // Together with what else is wrong.
  const several = { shippingAddress: { city: 'x'.repeat(2_001), name: 'Ada' }, notes: 'x'.repeat(20_001) };
  expect(await change(several)).toEqual({
    order: null,
    userErrors: expect.arrayContaining([
      { code: 'NOT_ALLOWED', path: ['shippingAddress', 'name'] },
      { code: 'TOO_LONG', path: ['shippingAddress', 'city'] },
      { code: 'TOO_LONG', path: ['notes'] },
    ]),
  });
  expect(await change({})).toEqual(order(null, { city: 'Linz' }));
});

test('a location has an address of the same type, with the name of its recipient', async () => {
  const own = {
    workspaceId: btoa(`Workspace:${client.workspaceId}`),
    name: 'Depot',
    emailAddress: 'a@b.example',
  };
  const address = { name: 'Ada', streetOne: '1 Road', city: 'Graz' };
  const selection = 'userErrors { code path } fulfillmentLocation { id address { name streetOne city } }';
  const send = async (verb: string, input: object) => {
    const query = `mutation ($input: ${verb[0]?.toUpperCase()}${verb.slice(1)}FulfillmentLocationInput!) {
      changed: ${verb}FulfillmentLocation(input: $input) { ${selection} } }`;
    const { data, errors } = await post<{ changed: { fulfillmentLocation: { id: string } | null } }>(
      gateway,
      { query, variables: { input } },
      { caller: client.caller },
    );
    expect(errors).toBeUndefined();
    return data?.changed ?? expect.fail();
  };
  const refused = (code: string, part: string) => ({
    fulfillmentLocation: null,
    userErrors: [{ code, path: ['address', part] }],
  });
  expect(await send('create', { ...own, address: { city: 'Graz' } })).toEqual(refused('REQUIRED', 'name'));
  expect(await send('create', { ...own, address: { ...address, firstName: 'Ada' } })).toEqual(
    refused('NOT_ALLOWED', 'firstName'),
  );
  expect(await send('create', { ...own, address: { ...address, city: 'x'.repeat(256) } })).toEqual(
    refused('TOO_LONG', 'city'),
  );
  const { fulfillmentLocation } = await send('create', { ...own, address });
  expect(fulfillmentLocation).toMatchObject({ address });
  const fulfillmentLocationId = fulfillmentLocation?.id;
  expect(await send('update', { fulfillmentLocationId, address: { city: 'Wels' } })).toEqual(
    refused('REQUIRED', 'name'),
  );
  expect(
    await send('update', { fulfillmentLocationId, address: { name: 'Bob', city: 'Wels' } }),
  ).toMatchObject({
    fulfillmentLocation: { address: { name: 'Bob', streetOne: null, city: 'Wels' } },
  });
});

test.each<[AddressParts, string[]]>([
  [{}, []],
  [{ name: 'Us', city: 'Graz', postalCode: '8010' }, ['Us', 'Graz, 8010']],
  [{ lastName: 'Lovelace', region: 'ST' }, ['Lovelace', 'ST']],
  [{ phoneNumber: '1', country: '' }, []],
])('the lines of %j are %j', (parts, lines) => {
  expect(addressLines(parts)).toEqual(lines);
});
