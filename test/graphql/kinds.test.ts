// A noun with kinds is an interface over GraphQL, with an object type for each kind. A price has kinds: how it is paid.
import { describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { createComparison } from '../support/fast-path.ts';
import { ownGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { offer } from '../support/orders/shop.ts';
import { prismaOf } from '../support/prisma.ts';

const gateway = await ownGateway();
const { app } = gateway;
const { id: workspaceId, teamId } = await factories.workspace(app);
const { id: contactId } = await factories.contact(app, { workspaceId });
const caller = await factories.apiKey(app, { teamId });
// Otherwise `lastUsedAt` would be updated between two answers.
await prismaOf(app.store).apiKey.updateMany({ data: { lastUsedAt: new Date('2999-01-01') } });
const compare = createComparison(gateway);
const globalId = (type: string, id: bigint) => btoa(`${type}:${id}`);

const once = await offer(app, workspaceId);
const goods = {
  OneTimePrice: once,
  SubscriptionPrice: await offer(app, workspaceId, { paymentType: 'subscription', trial: '1.00' }),
  PaymentPlanPrice: await insertPlan(),
};

/** A payment plan: three payments. */
async function insertPlan() {
  const { rows } = await app.store.pool.query<{ id: string }>(
    `insert into product_prices (workspace_id, product_id, variant_id, name, amount, currency, payment_type, duration, interval)
      values ($1, $2, $3, 'In parts', 4.00, 'EUR', 'payment_plan', 3, 'week') returning id`,
    [workspaceId, once.productId, once.variantId],
  );
  return { ...once, priceId: BigInt(rows[0]?.id ?? 0) };
}

await app.store.pool.query(
  `insert into orders (workspace_id, order_number, live_mode, tax_amount, currency, contact_id, billing_status, service_status, order_type, total_amount)
    select $1, n, true, 0, 'EUR', $2, 'paid', 'active', 'one-time-order', 1 from generate_series(1, 2) n`,
  [workspaceId, contactId],
);
for (const { productId, variantId, priceId } of Object.values(goods))
  await app.store.pool.query(
    `insert into order_line_items (workspace_id, order_id, product_id, variant_id, price_id, quantity, currency, amount, first_amount, setup_amount, original_product, products_price, products_variant)
      select workspace_id, id, $2, $3, $4, 1, 'EUR', 1, 1, 0, '{}', '{}', '{}' from orders where workspace_id = $1`,
    [workspaceId, productId, variantId, priceId],
  );

const KIND = `fragment Kind on ProductPrice { __typename paymentType amount { amount }
  ... on SubscriptionPrice { interval intervalCount trialAmount { amount } trialDuration }
  ...Plan }
  fragment Plan on PaymentPlanPrice { duration interval }`;
const KINDS = {
  OneTimePrice: { __typename: 'OneTimePrice', paymentType: 'ONE_TIME', amount: { amount: '12.00' } },
  SubscriptionPrice: {
    ...{ __typename: 'SubscriptionPrice', paymentType: 'SUBSCRIPTION', amount: { amount: '12.00' } },
    ...{ interval: 'MONTH', intervalCount: 1, trialAmount: { amount: '1.00' }, trialDuration: 14 },
  },
  PaymentPlanPrice: {
    ...{ __typename: 'PaymentPlanPrice', paymentType: 'PAYMENT_PLAN', amount: { amount: '4.00' } },
    ...{ duration: 3, interval: 'WEEK' },
  },
};

/** Sends the operation to Yoga and the fast path, which agree; the fast path sends this many statements. */
async function ask(query: string, statements: number): Promise<unknown> {
  const { byYoga, second, secondByFastPath, ...sent } = await compare({ caller, body: { query } });
  expect(second).toEqual(byYoga);
  expect(secondByFastPath).toBe(true);
  expect(sent.statements).toHaveLength(statements);
  const { data, errors } = JSON.parse(byYoga.body) as { data: unknown; errors?: unknown };
  expect(errors).toBeUndefined();
  return data;
}

const inWorkspace = (selection: string) =>
  `{ workspace(by: { databaseId: ${workspaceId} }) { ${selection} } }`;

describe.each(Object.entries(goods))('%s', (type, { priceId, variantId }) => {
  const shown = KINDS[type as keyof typeof KINDS];

  test.each([
    ['its look-up', `{ found: productPrice(by: { databaseId: ${priceId} }) { ...Kind } } ${KIND}`],
    ['node', `{ found: node(id: "${globalId('ProductPrice', priceId)}") { ...Kind } } ${KIND}`],
    [
      'node, of itself',
      `{ found: node(id: "${globalId('ProductPrice', priceId)}") { ... on ${type} { ...Kind } } } ${KIND}`,
    ],
  ])('is found by %s', async (_, query) => {
    expect(await ask(query, 1)).toEqual({ found: shown });
  });

  test('has the id of a price, and is in the lists of its variant', async () => {
    const data = await ask(
      `{ productVariant(by: { databaseId: ${variantId} }) { prices { nodes { id __typename } edges { node { ... on ${type} { id } } } } } }`,
      3,
    );
    const id = globalId('ProductPrice', priceId);
    const { nodes, edges } = (data as { productVariant: { prices: { nodes: object[]; edges: object[] } } })
      .productVariant.prices;
    expect(nodes).toContainEqual({ id, __typename: type });
    expect(edges).toContainEqual({ node: { id } });
  });
});

test('of the recurring kinds at once, by the interface that these alone implement', async () => {
  const ids = Object.values(goods).map(({ priceId }) => globalId('ProductPrice', priceId));
  const query = `{ nodes(ids: ${JSON.stringify(ids)}) { __typename ... on RecurringPrice { id duration interval amount { currency } } } }`;
  const { OneTimePrice: _, ...recurring } = goods;
  expect(await ask(query, 1)).toEqual({
    nodes: [
      { __typename: 'OneTimePrice' },
      ...Object.entries(recurring).map(([type, { priceId }]) => ({
        ...{ __typename: type, id: globalId('ProductPrice', priceId), amount: { currency: 'EUR' } },
        duration: type === 'PaymentPlanPrice' ? 3 : null,
        interval: type === 'PaymentPlanPrice' ? 'WEEK' : 'MONTH',
      })),
    ],
  });
});

test('of all kinds at once, and of none', async () => {
  const ids = Object.values(goods).map(({ priceId }) => globalId('ProductPrice', priceId));
  const query = `{ nodes(ids: ${JSON.stringify([...ids, btoa('ProductPrice:4611686018427387904')])}) { ...Kind } } ${KIND}`;
  expect(await ask(query, 1)).toEqual({ nodes: [...Object.values(KINDS), null] });
});

test('of the lines of orders, with what they refer to: one statement', async () => {
  const line = `price { ...Kind variant { name } }`;
  const one = Object.values(KINDS).map((price) => ({ price: { ...price, variant: { name: 'Mug, white' } } }));
  const query = (of: string) => `${inWorkspace(`orders { nodes { lineItems { ${of} } } }`)} ${KIND}`;
  expect(await ask(query('price { ...Kind }'), 1)).toEqual({
    workspace: {
      orders: { nodes: Array(2).fill({ lineItems: Object.values(KINDS).map((price) => ({ price })) }) },
    },
  });
  // The references of a joined row are read separately, once.
  expect(await ask(query(line), 2)).toEqual({
    workspace: { orders: { nodes: Array(2).fill({ lineItems: one }) } },
  });
});

test('of a variant’s prices, with what they refer to: as many statements as of any list', async () => {
  const list = (of: string) =>
    `{ productVariant(by: { databaseId: ${once.variantId} }) { prices { nodes { ${of} } } } } ${KIND}`;
  const data = await ask(list('...Kind product { name } variant { name }'), 4);
  const more = { product: { name: 'Mug' }, variant: { name: 'Mug, white' } };
  expect(data).toEqual({
    productVariant: {
      prices: {
        nodes: [
          { ...KINDS.OneTimePrice, ...more },
          { ...KINDS.PaymentPlanPrice, ...more },
        ],
      },
    },
  });
});

test('fields of one kind cannot be selected on all kinds', async () => {
  const query = `{ productPrice(by: { databaseId: ${once.priceId} }) { interval } }`;
  const { errors } = await post(gateway, { query }, { caller });
  expect(errors?.[0]?.message).toContain('Cannot query field "interval" on type "ProductPrice".');
});

test('a change can turn a price into another kind, with the same id', async () => {
  const { priceId, variantId } = await offer(app, workspaceId);
  const id = globalId('ProductPrice', priceId);
  const change = (input: object) =>
    post<Record<string, unknown>>(
      gateway,
      {
        query: `mutation ($input: UpdateProductPriceInput!) { updateProductPrice(input: $input) { productPrice { id ...Kind } } } ${KIND}`,
        variables: { input: { productPriceId: id, ...input } },
      },
      { caller },
    );
  expect((await change({ amount: { amount: '13.00', currency: 'EUR' } })).data).toEqual({
    updateProductPrice: { productPrice: { id, ...KINDS.OneTimePrice, amount: { amount: '13.00' } } },
  });
  const given = {
    paymentType: 'PAYMENT_PLAN',
    duration: 3,
    interval: 'WEEK',
    amount: { amount: '4.00', currency: 'EUR' },
    idempotencyKey: 'k',
  };
  for (const _ of ['first', 'retry'])
    expect((await change(given)).data).toEqual({
      updateProductPrice: { productPrice: { id, ...KINDS.PaymentPlanPrice } },
    });
  expect(await ask(`{ found: node(id: "${id}") { id ...Kind } } ${KIND}`, 1)).toEqual({
    found: { id, ...KINDS.PaymentPlanPrice },
  });
  const { data } = await post(
    gateway,
    {
      query: `mutation ($input: CreateProductPriceInput!) { createProductPrice(input: $input) { productPrice { __typename } productPriceEdge { node { ...Kind } } } } ${KIND}`,
      variables: {
        input: {
          ...{
            productVariantId: globalId('ProductVariant', variantId),
            amount: { amount: '12.00', currency: 'EUR' },
            trialAmount: { amount: '1.00', currency: 'EUR' },
          },
          ...{ paymentType: 'SUBSCRIPTION', interval: 'MONTH', trialDuration: 14 },
        },
      },
    },
    { caller },
  );
  expect(data).toEqual({
    createProductPrice: {
      productPrice: { __typename: 'SubscriptionPrice' },
      productPriceEdge: { node: KINDS.SubscriptionPrice },
    },
  });
});
