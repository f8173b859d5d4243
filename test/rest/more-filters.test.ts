// The filters of orders, contacts, products and variants that programs send, over both faces.
import { describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { line, offer } from '../support/orders/shop.ts';
import { expectProblem } from '../support/problem.ts';
import { createRestClient } from '../support/rest-client.ts';

const gateway = await sharedGateway();
const { app } = gateway;
const client = await createRestClient(gateway);
const { workspaceId, caller } = client;
const below = `/api/v2/workspaces/${workspaceId}`;

async function created(path: string, body: object): Promise<number> {
  const { status, text, body: shown } = await client.send('POST', `${below}/${path}`, body);
  expect([status, text]).toEqual([201, text]);
  return shown.id;
}

/** The names of the objects that a list has, in its order. */
async function named(path: string, ids: Readonly<Record<string, number>>, query: string): Promise<string[]> {
  const response = await gateway.send(`${path}?${query}`, { caller });
  const text = await response.text();
  expect([query, response.status, text]).toEqual([query, 200, text]);
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  return (JSON.parse(text) as { id: number }[]).map(({ id }) => names.get(id) ?? String(id));
}

/** What each filter chooses, alone, in the order of changes too. */
function cases(
  path: string,
  ids: Readonly<Record<string, number>>,
  of: [query: string, names: string[]][],
): void {
  test.each(of)('%s', async (query, names) => {
    expect(await named(path, ids, query)).toEqual(names);
    const backwards = await named(path, ids, `${query}&sort_property=updated_at&sort_order=desc`);
    expect(backwards).toEqual(names.toReversed());
  });
}

const people = {
  ada: await created('contacts', {
    contact: { first_name: 'Ada', last_name: 'Lovelace', phone_number: '+44 1' },
  }),
  ADA: await created('contacts', {
    contact: { first_name: 'ADA', last_name: 'Éluard', phone_number: '+44 2 EXT' },
  }),
  none: await created('contacts', { contact: { first_name: '', email_address: 'none@example.com' } }),
  long: await created('contacts', { contact: { first_name: `${'ß'.repeat(1_999)}x`, last_name: 'Long' } }),
};

describe('contacts', () => {
  cases(`${below}/contacts`, people, [
    ['filter[first_name]=ada', ['ada', 'ADA']],
    ['filter[first_name]=Ada,nobody', ['ada', 'ADA']],
    ['filter[first_name]=', ['none']],
    ['filter[last_name]=LOVELACE', ['ada']],
    ['filter[last_name]=%C3%A9luard', ['ADA']],
    ['filter[phone_number][]=%2B44 1', ['ada']],
    ['filter[phone_number]=%2B44 2 ext', ['ADA']],
    ['filter[first_name]=ada&filter[last_name]=lovelace', ['ada']],
    ['filter[first_name]=Adam', []],
  ]);

  test('over GraphQL the same, with a count', async () => {
    const query = `{ workspace(by: { databaseId: "${workspaceId}" }) { contacts(filter: { firstNames: ["aDa"] }) { nodes { databaseId } totalCount } } }`;
    const { data } = await post<{ workspace: { contacts: object } }>(gateway, { query }, { caller });
    const nodes = [people.ada, people.ADA].map((databaseId) => ({ databaseId }));
    expect(data?.workspace.contacts).toEqual({ nodes, totalCount: 2 });
  });
});

const goods = await offer(app, workspaceId);
const { id: pageId } = await factories.page(app, workspaceId, 'Shop');
const order = (members: object) =>
  created('orders', {
    order: {
      ...{ contact_id: people.ada, live_mode: true, order_type: 'one-time-order' },
      ...{ line_items_attributes: [line(goods)], ...members },
    },
  });
const sold = {
  plain: await order({}),
  paid: await order({ billing_status: 'paid', external_id: 'X-1', page_id: Number(pageId) }),
  empty: await order({ external_id: '', live_mode: false }),
  canceled: await order({ service_status: 'canceled' }),
};

describe('orders', () => {
  cases(`${below}/orders`, sold, [
    ['filter[service_status]=canceled', ['canceled']],
    ['filter[billing_status]=paid', ['paid']],
    ['filter[live_mode]=false', ['empty']],
    ['filter[live_mode]=1', ['plain', 'paid', 'canceled']],
    ['filter[order_number]=2', ['paid']],
    ['filter[order_number][0]=1&filter[order_number][1]=3', ['plain', 'empty']],
    ['filter[external_id]=X-1', ['paid']],
    ['filter[external_id]=', ['empty']],
    [`filter[page_id]=${pageId}`, ['paid']],
    [`filter[contact_id]=${people.ada}&filter[live_mode]=false`, ['empty']],
    ['filter[order_number]=2147483647', []],
  ]);

  test.each([
    'filter[order_number]=x',
    'filter[order_number]=2147483648',
    'filter[live_mode]=',
    'filter[billing_status]=',
  ])('%s is refused', async (query) => {
    await expectProblem(await gateway.send(`${below}/orders?${query}`, { caller }), 'invalid');
  });

  test('invoices with an empty external id', async () => {
    const { text } = await client.send('GET', `${below}/orders/invoices?filter[external_id]=&per_page=2`);
    expect((JSON.parse(text) as { external_id: string }[]).map((one) => one.external_id)).toEqual(['', '']);
  });

  test('over GraphQL the same', async () => {
    const query = `{ workspace(by: { databaseId: "${workspaceId}" }) { orders(filter: { orderNumbers: [2], isLive: true }) { nodes { databaseId } } } }`;
    const { data, errors } = await post<{ workspace: { orders: object } }>(gateway, { query }, { caller });
    expect(errors).toBeUndefined();
    expect(data?.workspace.orders).toEqual({ nodes: [{ databaseId: sold.paid }] });
  });
});

const shelf = {
  mug: await created('products', { product: { name: 'Mug' } }),
  'Mug, blue': await created('products', { product: { name: 'Mug, blue' } }),
};
const [, variants] = [
  await app.store.pool.query('update product_variants set sku = $2 where product_id = $1', [
    shelf.mug,
    'M-1',
  ]),
  {
    first: JSON.parse((await client.send('GET', `/api/v2/products/${shelf.mug}/variants`)).text)[0]
      .id as number,
  },
];

describe('products', () => {
  cases(`${below}/products`, shelf, [
    ['filter[name][]=Mug, blue', ['Mug, blue']],
    ['filter[sku]=M-1', ['mug']],
    ['filter[sku]=M-1&filter[name]=Mug', ['mug']],
    ['filter[sku]=m-1', []],
  ]);
});

describe('variants', () => {
  cases(`/api/v2/products/${shelf.mug}/variants`, variants, [
    ['filter[sku]=M-1', ['first']],
    ['filter[name]=Mug', ['first']],
    ['filter[name]=mug', []],
  ]);
});
