// What a page, a probe beyond it and a count of a list with a saved filter may read: each step is bounded for any filter, and uses the
// index in the description. Filters that would need more are refused.
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PageRequest } from '../../src/pagination.ts';
import { contact } from '../../src/resources/contacts.ts';
import { order } from '../../src/resources/orders/orders.ts';
import { product } from '../../src/resources/products.ts';
import { REFINE_ATTRIBUTES } from '../../src/resources/refine-attributes.ts';
import type { Criterion } from '../../src/resources/refine-filters.ts';
import { parseCriteria } from '../../src/services/filtering/refine-criteria.ts';
import { findRefinedPage } from '../../src/store/reading/pages.ts';
import { existsRefined, type RefinedList } from '../../src/store/reading/refined.ts';
import { countRefined } from '../../src/store/reading/refined-counts.ts';
import { tableOf } from '../../src/store/tables/tables.ts';
import { type Node, planningClient, plansOf } from '../support/explain.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { type Goods, offer } from '../support/orders/shop.ts';
import { prismaOf } from '../support/prisma.ts';

const TABLES = {
  ContactsFilter: tableOf(contact),
  OrdersFilter: tableOf(order),
  ProductsFilter: tableOf(product),
};
type Class = keyof typeof TABLES;
const ROWS = 6_000;
const SIZE = 10;
const LIMITS = {
  fewWalked: 100,
  manyWalked: 600,
  fewInIndex: 50,
  fewFound: 50,
  manyFound: 500,
  manyInIndex: 4_000,
};
/** So many rows, and those of the page with their tags, are read by one step: in it, sources are counted too. */
const MOST = LIMITS.manyInIndex + LIMITS.manyWalked;

let gateway: Gateway;
let client: pg.Client;
let list: Omit<RefinedList<{ id: bigint }>, 'criteria' | 'table' | 'version'>;
let versions = 0;
let [few, many, buyer, orderTag, productTag] = [0n, 0n, 0n, 0n, 0n];
let goods: Goods;

beforeAll(async () => {
  gateway = await createGateway();
  const { app } = gateway;
  const { id: workspaceId, teamId } = await factories.workspace(app);
  list = { tenancy: { teamId, workspaceIds: null }, workspaceId, limits: LIMITS };
  client = await planningClient(gateway);
  [few, many] = [
    (await factories.tag(app, workspaceId, 'few')).id,
    (await factories.tag(app, workspaceId, 'many')).id,
  ];
  // The later ones are the ones that match; what is common to few is spread among all.
  await client.query(
    `insert into contacts (workspace_id, email_address, first_name, created_at, updated_at, unsubscribed_at, email_suppression_reason, anonymous)
      select ${workspaceId}, case when n % 200 = 7 then 'vip' else 'p' end || n || '@example.com', case when n % 1000 = 999 then 'Ann' else 'Bob' end,
        at, at, case when n % 200 = 8 then at end, case when n % 200 = 9 then 'hard_bounce' end, n % 200 = 10
      from (select n, timestamptz '2026-01-01' + n * interval '1 minute' as at from generate_series(1, ${ROWS}) n) x`,
  );
  await client.query(
    `insert into contact_tags (workspace_id, contact_id, tag_id)
      select workspace_id, id, tag from contacts, unnest(array[${few}, ${many}]::bigint[], array[200, 10]) x (tag, step)
      where workspace_id = ${workspaceId} and id % step = 3`,
  );
  await client.query(
    `insert into contact_visits (workspace_id, contact_id, first_at, first_visit, last_at, last_visit)
      select workspace_id, id, '2025-01-01', '{}', created_at, '{}' from contacts where workspace_id = ${workspaceId} and id % 200 = 12`,
  );
  ({ id: buyer } = await factories.contact(app, { workspaceId }));
  ({ id: orderTag } = await prismaOf(app.store).orderTag.create({ data: { workspaceId, name: 'few' } }));
  const { id: other } = await factories.contact(app, { workspaceId });
  const { id: otherTag } = await prismaOf(app.store).orderTag.create({ data: { workspaceId, name: 'many' } });
  goods = await offer(app, workspaceId);
  await client.query(
    `insert into products (workspace_id, name, created_at, updated_at, archived_at, visible_in_store)
      select ${workspaceId}, case when n % 200 = 0 then 'Rare' else 'P' end || n, at, at, case when n % 200 = 8 then at end, n % 200 = 9
      from (select n, timestamptz '2026-01-01' + n * interval '1 minute' as at from generate_series(1, ${ROWS}) n) x`,
  );
  ({ id: productTag } = await prismaOf(app.store).productTag.create({ data: { workspaceId, name: 'few' } }));
  await client.query(
    `insert into tagged_products (workspace_id, product_id, tag_id, name, created_at)
      select workspace_id, id, ${productTag}, name, created_at from products where workspace_id = ${workspaceId} and id % 200 = 3`,
  );
  await client.query(
    `insert into orders (workspace_id, created_at, updated_at, order_number, live_mode, tax_amount, currency, contact_id,
        billing_status, service_status, order_type, total_amount)
      select ${workspaceId}, at, at, n, true, 0, case when n % 200 = 5 then 'JPY' else 'EUR' end, case when n % 200 = 6 then ${buyer} else ${other} end,
        case when n % 200 = 7 then 'past-due' else 'paid' end, case when n % 200 = 8 then 'paused' else 'active' end,
        case when n % 200 = 9 then 'subscription-order' else 'one-time-order' end, case when n % 200 = 10 then 500 else 20 end
      from (select n, timestamptz '2026-01-01' + n * interval '1 minute' as at from generate_series(1, ${ROWS}) n) x`,
  );
  await client.query(
    `insert into order_applied_tags (workspace_id, order_id, tag_id)
      select workspace_id, id, tag from orders, unnest(array[${orderTag}, ${otherTag}]::bigint[], array[200, 2]) x (tag, step)
      where order_number % step = 1`,
  );
  await client.query(
    `insert into order_line_items (workspace_id, order_id, product_id, variant_id, price_id, quantity, currency, amount, first_amount,
        setup_amount, original_product, products_price, products_variant)
      select workspace_id, id, ${goods.productId}, ${goods.variantId}, ${goods.priceId}, 1, 'EUR', 1, 1, 0, '{}', '{}', '{}'
      from orders where order_number % 200 = 12`,
  );
});
afterAll(async () => {
  await client.end();
  await gateway.close();
});

const criteriaOf = (
  criteria: readonly Criterion[],
  conjunction: 'and' | 'or' = 'and',
  filterClass: Class = 'ContactsFilter',
) => ({
  ...list,
  version: String(versions++),
  table: TABLES[filterClass] as RefinedList<{ id: bigint }>['table'],
  criteria: {
    conjunction,
    criteria: parseCriteria(filterClass, criteria, new Date('2026-02-01T00:00:00Z')),
  },
});
const page = (sort: 'id' | 'updatedAt', order: 'asc' | 'desc' = 'asc'): PageRequest => ({
  ...{ order, sort, size: SIZE, after: null, before: null, backward: false },
});
const one = (attribute: string, clause: string, value?: unknown): Criterion => ({ attribute, clause, value });

/** The table rows that a statement reads, and the indexes of all reads. */
function costOf(plans: Node[][]) {
  const scans = plans.map((nodes) => nodes.filter((node) => node['Relation Name'] !== undefined));
  const rows = scans.map((nodes) =>
    nodes.reduce(
      (sum, node) =>
        sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      0,
    ),
  );
  return { most: Math.max(0, ...rows), indexes: plans.flat().flatMap((node) => node['Index Name'] ?? []) };
}

/** Several indexes begin with the tag: each has all products of a tag in one range. */
const firstColumns = (index: string) => index.replace(/^(tagged_products_tag_id)_.*/, '$1');

/** Filters that find a few rows by an index, and the index. */
const BY_INDEX: [string, () => Criterion[], Class?][] = [
  ['email_address', () => [one('email_address', 'sw', 'VIP')]],
  ['created_at', () => [one('created_at', 'eq', '2026-01-05T00:00:00Z')]],
  ['unsubscribed_at', () => [one('unsubscribed_at', 'st')]],
  ['unsubscribed_at', () => [one('unsubscribed_at', 'btwn', ['2026-01-02', '2026-01-03'])]],
  ['last_activity', () => [one('last_activity', 'st')]],
  ['last_activity', () => [one('last_activity', 'gt', '2026-01-03'), one('first_name', 'eq', 'bob')]],
  ['email_suppression', () => [one('email_suppression', 'st')]],
  ['email_suppression', () => [one('email_suppression', 'eq', 'hard_bounce')]],
  ['anonymous', () => [one('anonymous', 'eq', true), one('first_name', 'eq', 'bob')]],
  ['tags.id', () => [one('tags.id', 'in', [String(few)]), one('first_name', 'eq', 'bob')]],
  ['created_at', () => [one('created_at', 'eq', '2026-01-05T00:00:00Z')], 'OrdersFilter'],
  ['billing_status', () => [one('billing_status', 'eq', 'past-due')], 'OrdersFilter'],
  ['service_status', () => [one('service_status', 'in', ['paused', 'churned'])], 'OrdersFilter'],
  ['order_type', () => [one('order_type', 'eq', 'subscription-order')], 'OrdersFilter'],
  ['currency', () => [one('currency', 'in', ['JPY', 'CHF'])], 'OrdersFilter'],
  ['total_amount', () => [one('total_amount', 'gt', '100.50'), one('currency', 'eq', 'EUR')], 'OrdersFilter'],
  ['contact_id', () => [one('contact_id', 'eq', String(buyer))], 'OrdersFilter'],
  ['tags.id', () => [one('tags.id', 'in', [String(orderTag)])], 'OrdersFilter'],
  ['products.id', () => [one('products.id', 'eq', String(goods.productId))], 'OrdersFilter'],
  ['created_at', () => [one('created_at', 'eq', '2026-01-05T00:00:00Z')], 'ProductsFilter'],
  ['archived', () => [one('archived', 'eq', true), one('name', 'sw', 'p')], 'ProductsFilter'],
  ['visible_in_store', () => [one('visible_in_store', 'eq', true)], 'ProductsFilter'],
  ['tags.id', () => [one('tags.id', 'in', [String(productTag)])], 'ProductsFilter'],
  ['name', () => [one('name', 'sw', 'RARE')], 'ProductsFilter'],
  ['name', () => [one('name', 'eq', 'rARE200')], 'ProductsFilter'],
];

test('the tests cover every attribute with an index', () => {
  const indexed = Object.entries(REFINE_ATTRIBUTES).flatMap(([filterClass, attributes]) =>
    Object.entries(attributes).flatMap(([name, { index }]) => (index ? [`${filterClass} ${name}`] : [])),
  );
  const tried = BY_INDEX.map(
    ([attribute, , filterClass = 'ContactsFilter']) => `${filterClass} ${attribute}`,
  );
  expect([...new Set(tried)].toSorted()).toEqual(indexed.toSorted());
});

describe.each([
  ['before the tables were ever analyzed', async () => {}],
  ['with statistics', () => client.query('vacuum analyze')],
])('%s', (state, prepare) => {
  /**
   * As long as PostgreSQL has not analyzed so few rows, which it does within a minute, it expects three of them in the list and two in the
   * index of anonymous ones, and may read the list in the order of changes.
   */
  const isTie = (attribute: string, sort: 'id' | 'updatedAt') =>
    attribute === 'anonymous' && sort === 'updatedAt' && state !== 'with statistics';

  beforeAll(async () => {
    await prepare();
    // The high-water mark is cached from here on.
    await findRefinedPage({ store: gateway.app.store }, criteriaOf([one('created_at', 'st')]), page('id'));
  });

  describe.each(['id', 'updatedAt'] as const)('by %s', (sort) => {
    test.each(BY_INDEX)(
      '%s: a few rows are found by the index, at once if it has their order, else in the second step',
      async (attribute, criteria, filterClass = 'ContactsFilter') => {
        const plans = await plansOf(gateway, client, (store) =>
          findRefinedPage({ store }, criteriaOf(criteria(), 'and', filterClass), page(sort)),
        );
        const { most, indexes } = costOf(plans);
        const [found] = parseCriteria(filterClass, criteria(), new Date());
        const { index = '', inOrder } = REFINE_ATTRIBUTES[filterClass]?.[attribute] ?? {};
        const ordered = found && inOrder?.[found.test.kind]?.[sort];
        expect(plans.length).toBeLessThanOrEqual(ordered === undefined ? 3 : criteria().length);
        expect(most).toBeLessThan(isTie(attribute, sort) ? ROWS : 4 * LIMITS.fewWalked + 2 * LIMITS.fewFound);
        if (!isTie(attribute, sort))
          expect(indexes.map(firstColumns)).toContain(firstColumns(ordered ?? index));
      },
    );

    test.each([
      [
        'an index that has few',
        () => [one('created_at', 'btwn', ['2026-01-05T00:00:00Z', '2026-01-05T00:30:00Z'])],
      ],
      [
        'a longer walk',
        () => [one('tags.id', 'in', [String(few), String(many)]), one('first_name', 'eq', 'bob')],
      ],
    ])('the next page of the same filter is read at once: by %s', async (__, criteria) => {
      const list = criteriaOf(criteria());
      const first = await plansOf(gateway, client, (store) => findRefinedPage({ store }, list, page(sort)));
      const next = await plansOf(gateway, client, (store) => findRefinedPage({ store }, list, page(sort)));
      expect([first.length, next.length]).toEqual([3, 1]);
      expect(costOf(next).most).toBeLessThan(costOf(first).most);
      const changed = await plansOf(gateway, client, (store) =>
        findRefinedPage({ store }, criteriaOf(criteria()), page(sort)),
      );
      expect(changed).toHaveLength(3);
    });

    test('one of several criteria with an ordered index is read at once', async () => {
      const either = [one('email_suppression', 'eq', 'hard_bounce'), one('unsubscribed_at', 'st')];
      const tagged = [one('tags.id', 'in', [String(few), String(many)]), one('unsubscribed_at', 'st')];
      for (const criteria of sort === 'id' ? [either, tagged] : [either]) {
        const plans = await plansOf(gateway, client, (store) =>
          findRefinedPage({ store }, criteriaOf(criteria, 'or'), page(sort)),
        );
        expect(plans).toHaveLength(1);
        expect(costOf(plans).most).toBeLessThan(12 * SIZE);
      }
    });

    test('an index that has one criterion in order is walked', async () => {
      const walked = [
        one('anonymous', 'eq', true),
        one('unsubscribed_at', 'nst'),
        one('created_at', 'gte', '2026-01-02'),
      ];
      const plans = await plansOf(gateway, client, (store) =>
        findRefinedPage({ store }, criteriaOf(walked), page(sort)),
      );
      expect(plans).toHaveLength(1);
      expect(costOf(plans).most).toBeLessThan(isTie('anonymous', sort) ? ROWS : 15 * SIZE);
    });

    test('a criterion that many rows match is found by a short walk', async () => {
      const criteria = criteriaOf([one('tags.id', 'nin', [String(few)]), one('unsubscribed_at', 'nst')]);
      const plans = await plansOf(gateway, client, (store) =>
        findRefinedPage({ store }, criteria, page(sort)),
      );
      expect(plans).toHaveLength(1);
      expect(costOf(plans).most).toBeLessThan(12 * SIZE);
    });

    test.each([
      ['what no index has', [one('first_name', 'eq', 'Nobody')], 'and'],
      [
        'what many have, with what no index has',
        [one('anonymous', 'dne', true), one('first_name', 'eq', 'Nobody')],
        'and',
      ],
      [
        'one of two, one of which no index has',
        [one('first_name', 'eq', 'Nobody'), one('unsubscribed_at', 'st')],
        'or',
      ],
      [
        'two that many match, both of them few',
        [one('created_at', 'gte', '2026-01-03'), one('last_name', 'eq', 'x')],
        'and',
      ],
    ] as const)('%s is refused before more is read', async (__, criteria, conjunction) => {
      const plans = await plansOf(gateway, client, (store) =>
        expect(
          findRefinedPage({ store }, criteriaOf(criteria, conjunction), page(sort)),
        ).rejects.toMatchObject({
          code: 'invalid',
          message: expect.stringContaining('cannot be applied'),
        }),
      );
      expect(costOf(plans).most).toBeLessThan(2 * MOST);
    });
  });

  test('a long span of time is found in its index, and short walks then lead through the page', async () => {
    const criteria = criteriaOf([one('created_at', 'gte', '2026-01-03')]);
    const first = await findRefinedPage({ store: gateway.app.store }, criteria, page('id'));
    expect(first.rows).toHaveLength(SIZE);
    const after = first.rows.at(-1)?.id ?? 0n;
    const again = await plansOf(gateway, client, (store) => findRefinedPage({ store }, criteria, page('id')));
    const plans = await plansOf(gateway, client, (store) =>
      findRefinedPage({ store }, criteria, { ...page('id'), after }),
    );
    expect([again.length, plans.length]).toEqual([1, 1]);
    expect(costOf(plans).most).toBeLessThan(12 * SIZE);
  });

  test('probes beyond a page and counts read no more', async () => {
    const all = BY_INDEX.map(([, one, filterClass]) => criteriaOf(one(), 'and', filterClass));
    for (const criteria of [...all, criteriaOf([one('first_name', 'eq', 'Ann')])]) {
      const probe = { id: 1n, side: 'at_or_above', sort: 'id' } as const;
      const looks = await plansOf(gateway, client, (store) =>
        existsRefined({ store }, criteria, probe).catch(() => false),
      );
      expect(costOf(looks).most).toBeLessThan(2 * MOST);
      const counts = await plansOf(gateway, client, (store) => countRefined({ store }, criteria, {}));
      expect(costOf(counts).most).toBeLessThan(3 * ROWS);
    }
    expect(many).toBeGreaterThan(few);
  });
});
