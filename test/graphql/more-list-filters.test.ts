// Filters that GraphQL alone has: what each finds, alone, in another order, counted, and together with others.
import { beforeAll, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { offer } from '../support/orders/shop.ts';
import { prismaOf } from '../support/prisma.ts';
import { expectProblem } from '../support/problem.ts';

const gateway = await sharedGateway();
const { app } = gateway;
const { id: workspaceId, teamId } = await factories.workspace(app);
const caller = await factories.apiKey(app, { teamId });
const prisma = prismaOf(app.store);
const at = (day: number) => new Date(`2026-01-0${day}T00:00:00.000Z`);

/** The ids of objects by the letters that name them in the cases. */
const ids = new Map<string, bigint>();
const globalId = (type: string, name: string) => btoa(`${type}:${ids.get(name)}`);

async function sql(text: string, values: readonly unknown[] = []): Promise<void> {
  await app.store.pool.query({ text, values: [...values] });
}

beforeAll(async () => {
  for (const [name, of] of [
    ['a', {}],
    ['b', { unsubscribedAt: at(1) }],
    ['c', { emailSuppressionReason: 'hard_bounce' }],
    ['d', { unsubscribedAt: at(2), emailSuppressionReason: 'spam' }],
  ] as const)
    ids.set(name, (await factories.contact(app, { workspaceId, ...of })).id);
  for (const [name, day] of [
    ['a', 3],
    ['b', 5],
    ['d', 4],
  ] as const)
    await sql(
      `insert into contact_visits (workspace_id, contact_id, first_at, first_visit, last_at, last_visit) values ($1, $2, $3, '{}', $3, '{}')`,
      [workspaceId, ids.get(name), at(day)],
    );

  const { id: funnelTag } = await prisma.funnelLabel.create({ data: { workspaceId, name: 'spring' } });
  const { id: goneTag } = await prisma.funnelLabel.create({ data: { workspaceId, name: 'gone' } });
  ids.set('funnel tag', funnelTag);
  ids.set('gone tag', goneTag);
  for (const [name, of] of [
    ['f', { tagIds: [funnelTag, goneTag] }],
    ['g', { liveMode: true }],
    ['h', { archivedAt: at(1), tagIds: [funnelTag] }],
  ] as const)
    ids.set(
      name,
      (await factories.funnel(app, { workspaceId, ...of, tagIds: [...('tagIds' in of ? of.tagIds : [])] }))
        .id,
    );
  await prisma.funnelLabel.delete({ where: { workspaceId_id: { workspaceId, id: goneTag } } });

  const goods = [await offer(app, workspaceId), await offer(app, workspaceId), await offer(app, workspaceId)];
  for (const [index, name] of ['p', 'q', 'r'].entries()) ids.set(name, goods[index]?.productId ?? 0n);
  const { id: productTag } = await prisma.productTag.create({ data: { workspaceId, name: 'warm' } });
  ids.set('product tag', productTag);
  await sql('update products set tag_ids = array[$2::bigint] where id = any($1)', [
    [ids.get('p'), ids.get('r')],
    productTag,
  ]);
  for (const [name, type, products, tags] of [
    ['by hand', 'manual', ['r', 'q'], []],
    ['by tag', 'automatic', ['q'], [productTag]],
  ] as const) {
    const { rows } = await app.store.pool.query<{ id: string }>({
      text: 'insert into product_collections (workspace_id, name, collection_type, product_ids, tag_ids) values ($1, $2, $3, $4, $5) returning id',
      values: [workspaceId, name, type, products.map((one) => ids.get(one)), [...tags]],
    });
    ids.set(name, BigInt(rows[0]?.id ?? 0));
  }

  const { id: orderTag } = await prisma.orderTag.create({ data: { workspaceId, name: 'gift' } });
  ids.set('order tag', orderTag);
  for (const [index, [name, products]] of (
    [
      ['x', ['p', 'p', 'q']],
      ['y', ['q']],
      ['z', ['p']],
    ] as const
  ).entries()) {
    const { rows } = await app.store.pool.query<{ id: string }>({
      text: `insert into orders (workspace_id, order_number, live_mode, tax_amount, currency, contact_id, billing_status, service_status, order_type, total_amount)
        values ($1, $2, true, 0, 'EUR', $3, 'paid', 'active', 'one-time-order', 10) returning id`,
      values: [workspaceId, index + 1, ids.get('a')],
    });
    ids.set(name, BigInt(rows[0]?.id ?? 0));
    for (const status of name === 'x' ? ['unfulfilled'] : name === 'y' ? ['unfulfilled', 'complete'] : [])
      await sql(
        `insert into order_invoices (workspace_id, order_id, invoice_type, invoice_number, status, currency, subtotal_amount, shipping_amount,
          tax_amount, discount_amount, fulfillment_status) values ($1, $2, 'charge', $3, 'paid', 'EUR', 1, 0, 0, 0, $4)`,
        [workspaceId, ids.get(name), `${name} ${status}`, status],
      );
    for (const product of products) {
      const { productId, variantId, priceId } = goods['pqr'.indexOf(product)] ?? goods[0] ?? {};
      await sql(
        `insert into order_line_items (workspace_id, order_id, product_id, variant_id, price_id, quantity, currency, amount, first_amount,
          setup_amount, original_product, products_price, products_variant) values ($1, $2, $3, $4, $5, 1, 'EUR', 1, 1, 0, '{}', '{}', '{}')`,
        [workspaceId, ids.get(name), productId, variantId, priceId],
      );
    }
  }
  for (const name of ['y', 'z'])
    await sql('insert into order_applied_tags (workspace_id, order_id, tag_id) values ($1, $2, $3)', [
      workspaceId,
      ids.get(name),
      orderTag,
    ]);
});

const CASES: [list: string, filter: () => string, found: string][] = [
  ['contacts', () => 'isUnsubscribed: true', 'bd'],
  ['contacts', () => 'isUnsubscribed: false', 'ac'],
  ['contacts', () => 'isSuppressed: true', 'cd'],
  ['contacts', () => 'isSuppressed: true, isUnsubscribed: false', 'c'],
  ['contacts', () => 'lastVisitAt: { from: "2026-01-04T00:00:00Z" }', 'bd'],
  ['contacts', () => 'lastVisitAt: { from: "2026-01-03T00:00:00Z", to: "2026-01-05T00:00:00Z" }', 'ad'],
  ['contacts', () => 'lastVisitAt: { to: "2026-01-05T00:00:00Z" }, isUnsubscribed: true', 'd'],
  ['funnels', () => 'isArchived: false', 'fg'],
  ['funnels', () => 'isLive: true', 'g'],
  ['funnels', () => `tagIds: ["${globalId('FunnelTag', 'funnel tag')}"]`, 'fh'],
  ['funnels', () => `tagIds: ["${globalId('FunnelTag', 'gone tag')}"]`, ''],
  ['funnels', () => `tagIds: ["${globalId('FunnelTag', 'funnel tag')}"], isArchived: true`, 'h'],
  ['products', () => `tagIds: ["${globalId('ProductTag', 'product tag')}"]`, 'pr'],
  ['products', () => `collectionIds: ["${globalId('Collection', 'by hand')}"]`, 'qr'],
  ['products', () => `collectionIds: ["${globalId('Collection', 'by tag')}"]`, 'pr'],
  [
    'products',
    () =>
      `collectionIds: ["${globalId('Collection', 'by hand')}"], tagIds: ["${globalId('ProductTag', 'product tag')}"]`,
    'r',
  ],
  ['orders', () => `tagIds: ["${globalId('OrderTag', 'order tag')}"]`, 'yz'],
  ['orders', () => `productIds: ["${globalId('Product', 'p')}"]`, 'xz'],
  ['orders', () => `productIds: ["${globalId('Product', 'p')}", "${globalId('Product', 'q')}"]`, 'xyz'],
  [
    'orders',
    () => `productIds: ["${globalId('Product', 'p')}"], tagIds: ["${globalId('OrderTag', 'order tag')}"]`,
    'z',
  ],
  ['orders', () => 'fulfillmentStatuses: [UNFULFILLED]', 'x'],
  ['orders', () => 'fulfillmentStatuses: [PARTIAL, NOT_APPLICABLE]', 'yz'],
  ['orders', () => 'fulfillmentStatuses: [COMPLETE]', ''],
  ['orders', () => `fulfillmentStatuses: [PARTIAL], tagIds: ["${globalId('OrderTag', 'order tag')}"]`, 'y'],
];

const ORDERS = ['ID', 'UPDATED_AT', 'CREATED_AT'];

test.each(CASES)('%s: each filter in each order %#', async (list, filter, found) => {
  const expected = [...found].map((name) => Number(ids.get(name)));
  for (const field of ORDERS)
    for (const direction of ['ASC', 'DESC']) {
      const query = `{ workspace(by: { databaseId: ${workspaceId} }) {
        all: ${list}(filter: { ${filter()} }, orderBy: { field: ${field}, direction: ${direction} }) { nodes { databaseId } totalCount }
        first: ${list}(first: 1, filter: { ${filter()} }, orderBy: { field: ${field}, direction: ${direction} }) { nodes { databaseId } pageInfo { hasNextPage } } } }`;
      const { data, errors } = await post(gateway, { query }, { caller });
      const ordered = direction === 'ASC' ? expected : expected.toReversed();
      const nodes = ordered.map((databaseId) => ({ databaseId }));
      expect({ field, direction, data, errors }).toMatchObject({
        errors: undefined,
        data: {
          workspace: {
            all: { nodes, totalCount: nodes.length },
            first: { nodes: nodes.slice(0, 1), pageInfo: { hasNextPage: nodes.length > 1 } },
          },
        },
      });
    }
});

test.each([
  'contacts?filter[is_unsubscribed]=true',
  'funnels?filter[archived]=true',
  'orders?filter[tag_ids]=1',
  'orders?filter[fulfillment_status]=partial',
])('REST has no such filters: %s', async (path) => {
  await expectProblem(
    await gateway.send(`/api/v2/workspaces/${workspaceId}/${path}`, { caller }),
    'bad_request',
  );
});
