// A page of orders with everything below them: it takes one statement, reads only selected fields, and respects scopes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as factories from '../../support/factories.ts';
import { type Caller, createGateway, type Gateway } from '../../support/gateway.ts';
import { post } from '../../support/graphql.ts';
import { statementsOf } from '../../support/graphql-statements.ts';

const ORDERS = 3;
/** It has every character that PostgreSQL escapes in a record. */
const ODD = 'Bowl, “big” (1\\2) "é"';

let gateway: Gateway;
let caller: Caller;
let workspaceId: bigint;
let teamId: bigint;

beforeAll(async () => {
  gateway = await createGateway();
  const { app } = gateway;
  ({ id: workspaceId, teamId } = await factories.workspace(app));
  caller = await factories.apiKey(app, { teamId });
  const contactIds = await factories.contacts(app, workspaceId, ORDERS);
  const send = async (path: string, content: object) => {
    const reply = await gateway.send(`/api/v2/${path}`, {
      ...{ method: 'POST', caller, headers: { 'content-type': 'application/json' } },
      body: JSON.stringify(content),
    });
    expect(reply.status).toBe(201);
    return (await reply.json()) as { readonly id: number; readonly default_variant_id: number };
  };
  const lines: object[] = [];
  for (const amount of ['0.10', '12.34']) {
    const product = await send(`workspaces/${workspaceId}/products`, { product: { name: ODD } });
    const price = await send(`products/variants/${product.default_variant_id}/prices`, {
      products_price: { amount, currency: 'EUR', name: ODD },
    });
    lines.push({
      ...{ variant_id: product.default_variant_id, products_price_id: price.id, quantity: 2 },
    });
  }
  for (const contactId of contactIds)
    await send(`workspaces/${workspaceId}/orders`, {
      order: {
        ...{ order_type: 'one-time-order', live_mode: true, contact_id: Number(contactId) },
        line_items_attributes: lines,
      },
    });
});

afterAll(() => gateway.close());

async function ask(selection: string, first: number) {
  const query = `{ workspace(by: { databaseId: ${workspaceId} }) { orders(first: ${first}) { nodes { ${selection} } } } }`;
  let answer: unknown;
  const names = await statementsOf(gateway, async () => {
    const { data, errors } = await post(gateway, { query }, { caller });
    expect(errors).toBeUndefined();
    answer = data;
  });
  return { names, json: JSON.stringify(answer) };
}

const LINES = '{ quantity unitPrice { amount } variant { name } price { amount { amount currency } } }';

test('orders with contact, line items, variants and prices take one statement, however many orders there are', async () => {
  for (const first of [1, ORDERS]) {
    const { names, json } = await ask(`orderNumber contact { emailAddress } lineItems ${LINES}`, first);
    // Not compiled yet, the operation reads the workspace as well.
    expect(names.filter((name) => name !== 'workspaces.id')).toHaveLength(1);
    expect(json.match(/"amount":"12.34","currency":"EUR"/g)).toHaveLength(first);
  }
});

test('partly selected line items have the same values as complete ones', async () => {
  const part = await ask(`lineItems ${LINES}`, ORDERS);
  // Selected twice, they are read whole.
  const whole = await ask(`lineItems ${LINES} again: lineItems { publicId createdAt }`, ORDERS);
  expect(whole.json).toContain('"again":[{"publicId":');
  expect(part.json).toBe(whole.json.replaceAll(/,"again":\[[^\]]*\]/g, ''));
});

test('referenced objects are the same whether they are read with the orders or separately', async () => {
  const referred = `contact { id databaseId emailAddress createdAt } lineItems { id
    variant { id name sku isQuantityTracked createdAt images { id } } price { id name amount { amount currency } isVisible ... on SubscriptionPrice { duration } }
    product { id name isArchived workspace { name } } }`;
  const together = await ask(referred, ORDERS);
  // Selected twice, they are read apart.
  const again = 'again: contact { id } lineItems { v: variant { id } p: price { id } q: product { id } }';
  const apart = await ask(`${again} ${referred}`, ORDERS);
  expect(together.names.length).toBeLessThan(apart.names.length);
  expect(together.json).toContain(JSON.stringify(ODD));
  const parsed = JSON.parse(apart.json, (key, value) =>
    ['again', 'v', 'p', 'q'].includes(key) ? undefined : value,
  );
  expect(JSON.parse(together.json)).toEqual(parsed);
});

test('a caller without access to contacts sees orders with their lines, and no contact', async () => {
  const reader = await factories.apiKey(gateway.app, { teamId, scopes: ['store:read', 'account:read'] });
  const query = `{ workspace(by: { databaseId: ${workspaceId} }) { orders(first: 1) { nodes {
    contact { emailAddress } lineItems { variant { name } } } } } }`;
  for (let round = 0; round < 3; round++) {
    const { data, errors } = await post(gateway, { query }, { caller: reader });
    expect(data).toMatchObject({
      workspace: { orders: { nodes: [{ contact: null, lineItems: [{}, {}] }] } },
    });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['INSUFFICIENT_SCOPE']);
  }
});
