// The rules of the catalogue of a shop: products with their variants and prices, collections and tags. What every noun has is tried
// elsewhere.
import { expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { createRestClient } from '../support/rest-client.ts';
import { refusalOf } from '../support/user-errors.ts';

const gateway = await sharedGateway();
const client = await createRestClient(gateway);
const { send } = client;
const inWorkspace = `/api/v2/workspaces/${client.workspaceId}`;
const MEMBERS = '/api/v2/products';

interface Shown {
  readonly id: number;
  readonly [member: string]: unknown;
}

/** Sends a request that must succeed. */
async function done(method: string, path: string, body?: unknown): Promise<Shown> {
  const answer = await send(method, path, body);
  expect([path, answer.status, answer.text]).toEqual([
    path,
    method === 'POST' ? expect.any(Number) : 200,
    answer.text,
  ]);
  if (answer.status > 201) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.body as unknown as Shown;
}
const create = (path: string, body: object) => done('POST', path, body);
const product = (body: object = {}) =>
  create(`${inWorkspace}/products`, { product: { name: 'A mug', ...body } });
const get = (path: string) => done('GET', path);
const variantOf = async ({ id }: Shown, body: object = {}) =>
  create(`${MEMBERS}/${id}/variants`, {
    products_variant: { name: 'Large', properties_values: [], ...body },
  });
const priceOf = (variantId: unknown, body: object = {}) =>
  create(`${MEMBERS}/variants/${variantId}/prices`, {
    products_price: { amount: '10', currency: 'USD', ...body },
  });
const ask = async (query: string, variables: object = {}) =>
  post(gateway, { query, variables }, { caller: client.caller });

test('a product is created with its default variant, in one transaction, and each has its event', async () => {
  const made = await product({ variant_properties: [{ name: 'Size' }] });
  const { id, default_variant_id, variant_ids } = made;
  expect(made).toMatchObject({ price_ids: [], image_ids: [], image_id: null, tag_ids: [], archived: false });
  expect(variant_ids).toEqual([default_variant_id]);
  const variant = await get(`${MEMBERS}/variants/${default_variant_id}`);
  expect(variant).toMatchObject({
    product_id: id,
    name: 'A mug',
    default: true,
    out_of_stock_sales: 'false',
  });
  expect(await get(`${MEMBERS}/${id}`)).toEqual(made);
  const { rows } = await gateway.app.store.pool.query(
    `select event_type, data ->> 'id' as id from events where workspace_id = $1 and subject_id in ($2, $3)
       and event_type ~ '^products?[./]' order by id`,
    [client.workspaceId, id, default_variant_id],
  );
  expect(rows).toEqual(
    expect.arrayContaining([
      { event_type: 'product.created', id: String(id) },
      { event_type: 'products/variant.created', id: String(default_variant_id) },
    ]),
  );
  const other = await variantOf(made);
  expect(other).toMatchObject({ default: false, quantity: null, weight_unit: 'kg' });
  expect(await get(`${MEMBERS}/${id}`)).toMatchObject({
    default_variant_id,
    variant_ids: [default_variant_id, other.id],
  });
});

test('a refused product leaves no variant', async () => {
  expect(await client.refused(422, 'POST', `${inWorkspace}/products`, { name: 'X', tag_ids: [1] })).toEqual([
    'tag_ids',
  ]);
});

test.each([undefined, [], {}])(
  'a product is archived and unarchived, also repeatedly, by the body %j',
  async (body) => {
    const { id } = await product();
    for (const [verb, archived] of [
      ['archive', true],
      ['archive', true],
      ['unarchive', false],
      ['unarchive', false],
    ] as const) {
      const answer = await send('POST', `${MEMBERS}/${id}/${verb}`, body);
      expect([answer.status, answer.body]).toMatchObject([200, { id, archived }]);
    }
  },
);

test('what REST archives by a field, GraphQL archives by mutations, also repeatedly', async () => {
  const { default_variant_id: variantId } = await product();
  for (const [verb, isArchived] of [
    ['archive', true],
    ['archive', true],
    ['unarchive', false],
    ['unarchive', false],
  ] as const) {
    const mutation = `${verb}ProductVariant`;
    const { data } = await ask(
      `mutation ($id: ID!) { ${mutation}(input: { productVariantId: $id }) { productVariant { isArchived } } }`,
      { id: btoa(`ProductVariant:${variantId}`) },
    );
    expect(data).toEqual({ [mutation]: { productVariant: { isArchived } } });
    const shown = await get(`${MEMBERS}/variants/${variantId}`);
    expect(shown['archived']).toBe(isArchived);
  }
});

test('values of a variant are of its product’s properties, one of each', async () => {
  const made = await product({ variant_properties: [{ name: 'Size' }, { name: 'Colour' }] });
  const other = await product({ variant_properties: [{ name: 'Size' }] });
  const [size, colour] = made['variant_properties'] as [Shown, Shown];
  const [theirs] = other['variant_properties'] as [Shown];
  const values = [
    { property_id: size.id, value: 'M' },
    { property_id: colour.id, value: 'Blue' },
  ];
  const variant = await variantOf(made, { properties_values: values });
  expect(variant['properties_values']).toEqual(values);
  const path = `${MEMBERS}/variants/${variant.id}`;
  const wrong = [values[0], { property_id: size.id, value: 'L' }, { property_id: theirs.id, value: 'M' }];
  const blamed = ['properties_values[1].property_id', 'properties_values[2].property_id'];
  expect(await client.refused(422, 'PUT', path, { properties_values: wrong })).toEqual(blamed);
  expect(
    await client.refused(422, 'POST', `${MEMBERS}/${made.id}/variants`, {
      name: 'L',
      properties_values: wrong,
    }),
  ).toEqual(blamed);
  // A property that the product loses, its variants lose too.
  await done('PUT', `${MEMBERS}/${made.id}`, { variant_properties: [{ id: size.id, _destroy: true }] });
  expect((await get(path))['properties_values']).toEqual([values[1]]);
  const { data } = await ask(
    'query ($id: BigInt!) { productVariant(by: { databaseId: $id }) { propertiesValues: propertyValues { property { databaseId name } value } } }',
    { id: variant.id },
  );
  expect(data).toEqual({
    productVariant: {
      propertiesValues: [{ property: { databaseId: colour.id, name: 'Colour' }, value: 'Blue' }],
    },
  });
});

test('a property has a unique name in its product', async () => {
  expect(
    await client.refused(422, 'POST', `${inWorkspace}/products`, {
      name: 'X',
      variant_properties: [{ name: 'Size' }, { name: 'Size' }],
    }),
  ).toEqual(['variant_properties[].name']);
});

test('a property without an id, or with null, is a new one', async () => {
  const made = await product({ variant_properties: [{ id: null, name: 'Size' }] });
  const changed = await done('PUT', `${MEMBERS}/${made.id}`, {
    variant_properties: [{ id: null, name: 'Colour' }, { name: 'Cut' }],
  });
  const names = (changed['variant_properties'] as Shown[]).map((property) => property['name']);
  expect(names).toEqual(['Size', 'Colour', 'Cut']);
});

test('a new product has new properties: ids from another product are ignored', async () => {
  const read = await product({ variant_properties: [{ name: 'Size' }, { name: 'Colour' }] });
  const properties = read['variant_properties'] as Shown[];
  const copy = await product({ variant_properties: properties });
  const copied = copy['variant_properties'] as Shown[];
  expect(copied.map((property) => property['name'])).toEqual(['Size', 'Colour']);
  expect(copied.map(({ id }) => id)).not.toContain(properties[0]?.id);
  const made = await product({ variant_properties: [5, 5].map((id, at) => ({ id, name: `P${at}` })) });
  expect(made['variant_properties']).toMatchObject([{ name: 'P0' }, { name: 'P1' }]);
  expect((await done('GET', `${MEMBERS}/${read.id}`))['variant_properties']).toEqual(properties);
  const body = { product: { name: 'X', variant_properties: [{ id: 5 }, { id: 'five', name: 'Size' }] } };
  expect(await client.refused(422, 'POST', `${inWorkspace}/products`, body)).toEqual([
    'variant_properties[0].name',
    'variant_properties[1].id',
  ]);
});

test('variants and prices keep the given order, and those of another product are refused', async () => {
  const [mug, other] = [await product(), await product()];
  const [small, large] = [mug['default_variant_id'], (await variantOf(mug)).id];
  const prices = [(await priceOf(small)).id, (await priceOf(large)).id, (await priceOf(small)).id] as const;
  const path = `${MEMBERS}/${mug.id}`;
  const body = { product: { variant_ids: [large, large], price_ids: [prices[2], prices[1]] } };
  const ordered = { variant_ids: [large, small], price_ids: [prices[2], prices[1], prices[0]] };
  expect(await done('PUT', path, body)).toMatchObject(ordered);
  expect(await get(path)).toMatchObject(ordered);
  // New ones come last.
  const { id: huge } = await variantOf(mug, { name: 'Huge' });
  expect(await get(path)).toMatchObject({ variant_ids: [large, small, huge] });
  const foreign = { product: { variant_ids: [large, other['default_variant_id']], price_ids: [9_999_999] } };
  expect(await client.refused(422, 'PUT', path, foreign)).toEqual(['variant_ids', 'price_ids']);
  const made = { product: { name: 'X', variant_ids: [large] } };
  expect(await client.refused(422, 'POST', `${inWorkspace}/products`, made)).toEqual(['variant_ids']);
});

test('a repeated tag is stored once', async () => {
  const { id } = await create(`${inWorkspace}/products/tags`, { products_tag: { name: 'Twice' } });
  expect(await product({ tag_ids: [id, id] })).toMatchObject({ tag_ids: [id] });
});

test.each([
  [
    'variants',
    (variant: unknown) => `variants/${variant}`,
    { products_variant: { weight: -1 } },
    'weight must be 0 or more.',
  ],
  [
    'prices',
    (_: unknown, price: unknown) => `prices/${price}`,
    { products_price: { amount: '-1.00' } },
    'amount must be 0 or more.',
  ],
  [
    'prices',
    (_: unknown, price: unknown) => `prices/${price}`,
    { products_price: { interval_count: 0 } },
    'interval_count must be at least 1.',
  ],
  [
    'prices',
    (_: unknown, price: unknown) => `prices/${price}`,
    { products_price: { payment_type: 'payment_plan', duration: 0 } },
    'duration must be at least 1 for a payment plan.',
  ],
] as const)('a refusal of %s says what is wrong', async (_, pathOf, body, detail) => {
  const { default_variant_id: variant } = await product();
  const { id } = await priceOf(variant);
  const answer = await send('PUT', `${MEMBERS}/${pathOf(variant, id)}`, body);
  expect(answer).toMatchObject({ status: 422, body: { detail } });
});

test('stock is an integer, also as text, and never negative', async () => {
  const { default_variant_id } = await product();
  const path = `${MEMBERS}/variants/${default_variant_id}`;
  expect(
    await done('PUT', path, { quantity: '12', track_quantity: true, out_of_stock_sales: 'true' }),
  ).toMatchObject({
    quantity: 12,
    out_of_stock_sales: 'true',
  });
  expect(await client.refused(422, 'PUT', path, { quantity: -1 })).toEqual(['quantity']);
  expect(await client.refused(422, 'PUT', path, { weight: -1 })).toEqual(['weight']);
  expect(await done('PUT', path, { weight: 0.25, quantity: null })).toMatchObject({
    weight: 0.25,
    quantity: null,
  });
});

test('amounts are exact and have the decimal places of their currency', async () => {
  const { id, default_variant_id } = await product();
  const yen = await priceOf(default_variant_id, {
    amount: '999999999999999',
    currency: 'JPY',
    setup_amount: '5',
  });
  expect(yen).toMatchObject({ amount: '999999999999999', setup_amount: '5', trial_amount: null, cost: null });
  const dinar = await priceOf(default_variant_id, {
    ...{ payment_type: 'subscription', interval: 'month' },
    amount: '0.125',
    currency: 'KWD',
    compare_at_amount: '1',
  });
  expect(dinar).toMatchObject({ amount: '0.125', compare_at_amount: '1.000', trial_amount: '0.000' });
  for (const [member, body] of [
    ['amount', { amount: '1.005', currency: 'USD' }],
    ['amount', { amount: '-1', currency: 'USD' }],
    ['amount', { amount: 1, currency: 'USD' }],
    ['currency', { amount: '1', currency: 'usd' }],
    ['trial_amount', { amount: '1', currency: 'JPY', trial_amount: '0.5' }],
    ['setup_amount', { amount: '1', currency: 'USD', setup_amount: '-0.01' }],
  ] as const)
    expect(
      await client.refused(422, 'POST', `${MEMBERS}/variants/${default_variant_id}/prices`, body),
    ).toEqual([member]);
  expect((await get(`${MEMBERS}/${id}`))['price_ids']).toEqual([yen.id, dinar.id]);
});

test('a price that is created on a product is one of its default variant', async () => {
  const { id, public_id, default_variant_id } = await product();
  await variantOf({ id } as Shown);
  const body = { products_price: { amount: '12.50', currency: 'USD', name: 'Once' } };
  const made = await create(`${MEMBERS}/${id}/prices`, body);
  expect(made).toMatchObject({
    product_id: id,
    variant_id: default_variant_id,
    amount: '12.50',
    name: 'Once',
  });
  expect(await get(`${MEMBERS}/prices/${made.id}`)).toEqual(made);
  const answer = await gateway.send(`${MEMBERS}/${public_id}/prices`, {
    ...{ caller: client.caller, method: 'POST', body: JSON.stringify(body) },
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'price-of-a-product' },
  });
  const other = (await answer.json()) as Shown;
  expect([answer.status, answer.headers.get('Location')]).toEqual([
    ...[201, expect.stringMatching(new RegExp(`/api/v2/products/prices/${other.id}$`))],
  ]);
  expect((await get(`${MEMBERS}/${id}`))['price_ids']).toEqual([made.id, other.id]);
  expect(
    await client.refused(422, 'POST', `${MEMBERS}/${id}/prices`, { amount: '1.005', currency: 'USD' }),
  ).toEqual(['amount']);
  expect((await send('POST', `${MEMBERS}/999999999/prices`, body)).status).toBe(404);
});

test('a recurring price has its interval, and a payment plan its number of payments', async () => {
  const { default_variant_id } = await product();
  const path = `${MEMBERS}/variants/${default_variant_id}/prices`;
  const of = (body: object) => ({ amount: '9', currency: 'EUR', ...body });
  for (const [member, body] of [
    ['interval', { payment_type: 'subscription' }],
    ['interval', { payment_type: 'payment_plan', duration: 3 }],
    ['duration', { payment_type: 'payment_plan', interval: 'month' }],
    ['interval', { payment_type: 'subscription', interval: 'fortnight' }],
    ['interval_count', { payment_type: 'subscription', interval: 'week', interval_count: '0' }],
    ['trial_duration', { trial_duration: '-1' }],
  ] as const)
    expect(await client.refused(422, 'POST', path, of(body))).toEqual([member]);
  const plan = await priceOf(default_variant_id, {
    ...{ payment_type: 'payment_plan', duration: '3', interval: 'month', interval_count: 2 },
    ...{ trial_duration: 14, trial_interval: 'day', trial_amount: '1' },
  });
  expect(plan).toMatchObject({
    duration: '3',
    interval_count: '2',
    trial_duration: '14',
    trial_amount: '1.00',
  });
  expect(await client.refused(422, 'PUT', `${MEMBERS}/prices/${plan.id}`, { duration: 0 })).toEqual([
    'duration',
  ]);
});

test('prices are listed below their product, filtered by variant', async () => {
  const made = await product();
  const variant = await variantOf(made);
  const one = await priceOf(made['default_variant_id'], { visible: false });
  const other = await priceOf(variant.id);
  const listed = async (query = '') => {
    const { body } = await send('GET', `${MEMBERS}/${made.id}/prices${query}`);
    return (body as unknown as Shown[]).map(({ id }) => id);
  };
  expect(await listed()).toEqual([one.id, other.id]);
  expect(await listed(`?filter[variant_id]=${variant.id}`)).toEqual([other.id]);
  expect(await listed('?filter[visible]=false')).toEqual([one.id]);
  const { data } = await ask(
    `query ($id: BigInt!) { product(by: { databaseId: $id }) {
      defaultVariant { databaseId } prices { nodes { databaseId } }
      variants { nodes { databaseId prices { nodes { amount { amount currency } product { databaseId } variant { databaseId } } } } } } }`,
    { id: made.id },
  );
  const price = (variantId: unknown) => ({
    ...{ amount: { amount: '10.00', currency: 'USD' }, product: { databaseId: made.id } },
    variant: { databaseId: variantId },
  });
  expect(data).toEqual({
    product: {
      defaultVariant: { databaseId: made['default_variant_id'] },
      prices: { nodes: [one, other].map(({ id }) => ({ databaseId: id })) },
      variants: {
        nodes: [made['default_variant_id'], variant.id].map((id) => ({
          databaseId: id,
          prices: { nodes: [price(id)] },
        })),
      },
    },
  });
});

test('a customer can change to visible prices of the same product and kind', async () => {
  const made = await product();
  const hidden = await variantOf(made, { visible: false });
  const larger = await variantOf(made);
  const monthly = { payment_type: 'subscription', interval: 'month' };
  const price = await priceOf(made['default_variant_id'], monthly);
  const lower = await priceOf(made['default_variant_id'], { ...monthly, amount: '9.99' });
  const higher = await priceOf(larger.id, { ...monthly, amount: '100' });
  await priceOf(larger.id, { amount: '20' });
  await priceOf(larger.id, { ...monthly, amount: '20', currency: 'EUR' });
  await priceOf(larger.id, { ...monthly, amount: '20', visible: false });
  await priceOf(larger.id, { ...monthly, amount: '20', archived: true });
  await priceOf(hidden.id, { ...monthly, amount: '20' });
  const { products_prices_change_options: options } = await get(
    `${MEMBERS}/prices/${price.id}/change_options`,
  );
  const group = ({ id, variant_id, public_id, ...rest }: Shown, name: string) => ({
    products_variant: expect.objectContaining({
      ...{ id: variant_id, name, product_id: made.id },
      prices: [
        {
          ...{ id, public_id, name: null, key: null, amount: rest['amount'], currency: 'USD' },
          ...{ duration: null, interval: 'months', interval_count: 1 },
        },
      ],
    }),
  });
  expect(options).toEqual({ downgrade: [group(lower, 'A mug')], upgrade: [group(higher, 'Large')] });
  const { data } = await ask(
    'query ($id: BigInt!) { productPrice(by: { databaseId: $id }) { changeOptions { upgrade { databaseId } downgrade { databaseId } } } }',
    { id: price.id },
  );
  const ids = (...all: Shown[]) => all.map(({ id }) => ({ databaseId: id }));
  expect(data).toEqual({ productPrice: { changeOptions: { upgrade: ids(higher), downgrade: ids(lower) } } });
  expect((await send('GET', `${MEMBERS}/prices/999999999/change_options`)).status).toBe(404);
});

test('a deleted tag disappears from products and collections', async () => {
  const tag = await create(`${inWorkspace}/products/tags`, { products_tag: { name: 'Summer' } });
  const kept = await create(`${inWorkspace}/products/tags`, { products_tag: { name: 'Winter' } });
  const { id } = await product({ tag_ids: [kept.id, tag.id] });
  const collection = await create(`${inWorkspace}/products/collections`, {
    products_collection: { name: 'Summer', collection_type: 'automatic', tag_ids: [tag.id] },
  });
  expect(collection['product_ids']).toEqual([id]);
  expect((await send('DELETE', `${MEMBERS}/tags/${tag.id}`)).status).toBe(204);
  expect((await get(`${MEMBERS}/${id}`))['tag_ids']).toEqual([kept.id]);
  expect(await get(`${MEMBERS}/collections/${collection.id}`)).toMatchObject({
    tag_ids: [],
    product_ids: [],
  });
});

test('a collection has its products in each of its orders', async () => {
  const tag = await create(`${inWorkspace}/products/tags`, { products_tag: { name: 'All' } });
  const make = async (name: string, amount?: string) => {
    const made = await product({ name, tag_ids: [tag.id] });
    if (amount !== undefined) await priceOf(made['default_variant_id'], { amount });
    await priceOf(made['default_variant_id'], { amount: '0.01', archived: true });
    return made.id;
  };
  const [b, c, a, free] = [
    await make('B', '9'),
    await make('C', '10'),
    await make('A', '30'),
    await make('D'),
  ];
  const collection = await create(`${inWorkspace}/products/collections`, {
    products_collection: { name: 'All', product_ids: [c, a, b] },
  });
  const path = `${MEMBERS}/collections/${collection.id}`;
  const ordered = async (body: object) => (await done('PUT', path, body))['product_ids'];
  expect(collection['product_ids']).toEqual([c, a, b]);
  expect(await ordered({ product_ids: [free, b, c, a] })).toEqual([free, b, c, a]);
  const orders = {
    manually: [free, b, c, a],
    added_at_asc: [c, a, b, free],
    added_at_desc: [free, b, a, c],
    created_at_asc: [b, c, a, free],
    created_at_desc: [free, a, c, b],
    name_asc: [a, b, c, free],
    name_desc: [free, c, b, a],
    price_asc: [b, c, a, free],
    price_desc: [a, c, b, free],
  };
  for (const [sort_method, ids] of Object.entries(orders))
    expect([sort_method, await ordered({ sort_method })]).toEqual([sort_method, ids]);
  const { data } = await ask(
    'query ($id: BigInt!) { collection(by: { databaseId: $id }) { products { nodes { name } } } }',
    {
      id: collection.id,
    },
  );
  expect(data).toEqual({
    collection: { products: { nodes: ['A', 'C', 'B', 'D'].map((name) => ({ name })) } },
  });
  const automatic = { collection_type: 'automatic', tag_ids: [tag.id] };
  expect(await ordered({ ...automatic, sort_method: 'added_at_desc' })).toEqual([free, a, c, b]);
  expect(await ordered({ sort_method: 'manually' })).toEqual([b, c, a, free]);
  expect(await ordered({ collection_type: 'manual' })).toEqual([free, b, c, a]);
});

test('an id that is output as text is accepted as a number, as text and as a public id', async () => {
  const { id, publicId } = await factories.funnel(gateway.app, { workspaceId: client.workspaceId });
  const theirs = await factories.funnel(gateway.app);
  const { id: productId } = await product();
  const path = `${MEMBERS}/${productId}`;
  for (const redirect_funnel_id of [Number(id), String(id), publicId]) {
    await done('PUT', path, { redirect_funnel_id: null });
    expect(await done('PUT', path, { redirect_funnel_id })).toMatchObject({ redirect_funnel_id: String(id) });
  }
  for (const redirect_funnel_id of [theirs.publicId, String(theirs.id), 'nonsense', true])
    expect(await client.refused(422, 'PUT', path, { redirect_funnel_id })).toEqual(['redirect_funnel_id']);
  const { data } = await ask(
    'query ($id: BigInt!) { product(by: { databaseId: $id }) { redirectFunnel { databaseId } } }',
    { id: productId },
  );
  expect(data).toEqual({
    product: { redirectFunnel: { databaseId: Number(id) } },
  });
});

test('over GraphQL a product is created completely, and values refer to properties by global ids', async () => {
  const { data } = await ask(
    `mutation ($input: CreateProductInput!) { createProduct(input: $input) { product { id variantProperties { id } defaultVariant { name } } } }`,
    {
      input: {
        workspaceId: btoa(`Workspace:${client.workspaceId}`),
        name: 'A shirt',
        variantProperties: [{ name: 'Size' }],
      },
    },
  );
  const { product: made } = (data?.['createProduct'] ?? expect.fail()) as {
    product: { id: string; variantProperties: [{ id: string }]; defaultVariant: object };
  };
  expect(made.defaultVariant).toEqual({ name: 'A shirt' });
  const create = async (...values: string[]) =>
    ask(
      `mutation ($input: CreateProductVariantInput!) { createProductVariant(input: $input) { userErrors { code path message } productVariant { propertiesValues: propertyValues { value property { id } } } } }`,
      {
        input: {
          productId: made.id,
          name: 'M',
          propertyValues: values.map((value) => ({ propertyId: made.variantProperties[0].id, value })),
        },
      },
    );
  expect((await create('M')).data).toEqual({
    createProductVariant: {
      userErrors: [],
      productVariant: { propertiesValues: [{ value: 'M', property: made.variantProperties[0] }] },
    },
  });
  expect(refusalOf(await create('M', 'L'))?.field).toBe('propertyValues[1].propertyId');
});

test('ids of images and locations must be of the same workspace, and deleted ones are not returned', async () => {
  const workspace = await factories.workspace(gateway.app);
  const location = { name: 'Home', address_name: 'Us', address: {}, email_address: 'us@example.com' };
  const own = await create(`${inWorkspace}/fulfillments/locations`, { fulfillments_location: location });
  const { rows } = await gateway.app.store.pool.query(
    `insert into fulfillment_locations (workspace_id, name, address_name, email_address)
      values ($1, 'Theirs', 'Them', 'them@example.com') returning id`,
    [workspace.id],
  );
  const picture = { image: { upload_source_url: 'https://93.184.216.34/mug.png' } };
  const image = await create(`${inWorkspace}/images`, picture);
  const { id, default_variant_id: variantId } = await product({ image_ids: [image.id] });
  const variant = `${MEMBERS}/variants/${variantId}`;
  const sendFrom = (...ids: number[]) => ({ products_variant: { fulfillments_location_ids: ids } });
  expect(await client.refused(422, 'PUT', variant, sendFrom(own.id, Number(rows[0].id)))).toEqual([
    'fulfillments_location_ids',
  ]);
  await done('PUT', variant, {
    products_variant: { ...sendFrom(own.id).products_variant, image_ids: [image.id] },
  });
  // As if they were deleted at the moment of the reference.
  await gateway.app.store.pool.query('delete from images where id = $1', [image.id]);
  expect((await send('DELETE', `/api/v2/fulfillments/locations/${own.id}`)).status).toBe(204);
  expect(await get(`${MEMBERS}/${id}`)).toMatchObject({ image_ids: [], image_id: null });
  expect(await get(variant)).toMatchObject({ image_ids: [], fulfillments_location_ids: [] });
});

test('a product has only the id and the name of its properties, in events too; GraphQL has all', async () => {
  const made = await product({ variant_properties: [{ name: 'Size' }] });
  const [size] = made['variant_properties'] as [Shown];
  const expected = [{ id: size.id, name: 'Size' }];
  expect(made['variant_properties']).toEqual(expected);
  expect((await get(`${MEMBERS}/${made.id}`))['variant_properties']).toEqual(expected);
  expect((await done('PUT', `${MEMBERS}/${made.id}`, { seo_title: 'x' }))['variant_properties']).toEqual(
    expected,
  );
  const { rows } = await gateway.app.store.pool.query(
    `select data from events where subject_type = 'Product' and subject_id = $1 order by id`,
    [made.id],
  );
  expect(rows.map(({ data }) => data.variant_properties)).toEqual([expected, expected]);
  const { data } = await ask(
    `mutation ($id: ID!) { updateProduct(input: { productId: $id, seoTitle: "y" }) { product {
      variantProperties { databaseId publicId name createdAt } } } }`,
    { id: btoa(`Product:${made.id}`) },
  );
  expect(data).toMatchObject({
    updateProduct: { product: { variantProperties: [{ name: 'Size', publicId: expect.any(String) }] } },
  });
  // Selected twice, they are read whole.
  const twice = await ask(
    `query ($id: BigInt!) { product(by: { databaseId: $id }) { variantProperties { publicId createdAt } again: variantProperties { name } } }`,
    { id: String(made.id) },
  );
  expect(twice.data).toMatchObject({
    product: { variantProperties: [{ publicId: expect.any(String) }], again: [{ name: 'Size' }] },
  });
});
