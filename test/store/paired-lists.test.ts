// How PostgreSQL runs the lists whose rows another table, or a list of ids, pairs with the object that has the list: a page costs what it has,
// however many rows the workspace has, and in the order of ids wherever an index has it.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page, PageRequest } from '../../src/pagination.ts';
import { NOUNS, type Noun } from '../../src/resources/nouns.ts';
import { SERVICES } from '../../src/services/nouns.ts';
import { countUnder } from '../../src/store/reading/counts.ts';
import { findPagesUnder, findPageUnder } from '../../src/store/reading/pages.ts';
import type { Tenancy } from '../../src/store/sql/tenancy.ts';
import { tableUnder } from '../../src/store/tables/tables.ts';
import { type Node, planningClient, plansOf } from '../support/explain.ts';
import { ownGateway } from '../support/gateway.ts';
import { createTenant } from '../support/operations.ts';

/** Rows of each noun in the workspace. The long list of a pair has half of them, the short one has few. */
const ROWS = 2_000;
const SIZE = 10;
/** The ids in a long list of ids, and the orders of a contact with many. */
const MANY = 200;
/** What a page of an indexed list may touch: each row with its pair, and again by its id. */
const INDEXED = 4 * (SIZE + 1);

const gateway = await ownGateway();
const tenant = await createTenant(gateway.app, 'paired');
const tenancy: Tenancy = { teamId: tenant.team.id, workspaceIds: null };
const workspaceId = tenant.workspace.id;
let client: pg.Client;
afterAll(() => client.end());

interface Filling {
  /** The most rows that a page may touch. */
  readonly most: number;
  /** Fills the list of `$2`, the first of two objects, and gives few rows to the other, `$3`. Absent: the tenant has a list. */
  readonly sql?: string;
}

const tagged = (
  table: string,
  row: string,
  of: string,
): string => `insert into ${table} (workspace_id, ${row}, tag_id)
  select $1, r.id, p.id from ${of} r cross join (values ($2::bigint, 2), ($3, 400)) p (id, step)
  where r.workspace_id = $1 and r.id % p.step = 0 on conflict do nothing`;
const taggedIds = (
  table: string,
  column = 'tag_ids',
): string => `update ${table} t set ${column} = array(select p.id from (values ($2::bigint, 2), ($3, 400)) p (id, step)
  where t.id % p.step = 0) where workspace_id = $1`;
const idsOf = (table: string, column: string, of: string): string => `update ${table} t set ${column} = array(
  select r.id from ${of} r where r.workspace_id = $1 order by r.id desc limit case when t.id = $2::bigint then ${MANY} else 8 end)
  where workspace_id = $1 and id = any(array[$2::bigint, $3])`;

/** By the tables of the list and of the objects that have it. */
const FILLED: Readonly<Record<string, Filling>> = {
  'contacts of tags': { most: INDEXED, sql: tagged('contact_tags', 'contact_id', 'contacts') },
  'orders of order_tags': { most: INDEXED, sql: tagged('order_applied_tags', 'order_id', 'orders') },
  'products of product_tags': { most: INDEXED, sql: taggedIds('products') },
  'funnels of funnel_labels': { most: INDEXED, sql: taggedIds('funnels') },
  // The lists of all posts of the workspace are compared: an expensive read.
  'blog_posts of blog_tags': { most: ROWS + INDEXED, sql: taggedIds('blog_posts') },
  'blog_posts of blog_categories': { most: ROWS + INDEXED, sql: taggedIds('blog_posts', 'category_ids') },
  'pages of themes': {
    most: INDEXED,
    sql: `update pages t set theme_id = case when t.id % 400 = 0 then $3::bigint when t.id % 2 = 0 then $2::bigint end where workspace_id = $1`,
  },
  // All collections up to the last one of the page are compared: an expensive read.
  'product_collections of products': {
    most: ROWS + INDEXED,
    sql: `update product_collections t set collection_type = 'manual', product_ids = case when t.id % 400 = 0 then array[$2, $3]::bigint[]
      when t.id % ${ROWS / MANY} = 0 then array[$2::bigint] else '{}' end where workspace_id = $1`,
  },
  // A contact's orders are found by an index, and their invoices.
  'order_invoices of contacts': {
    most: 2 * MANY + INDEXED,
    sql: `update orders t set contact_id = case when t.id % ${ROWS / MANY} = 0 then $2::bigint when t.id % 400 = 1 then $3
      else (select max(id) from contacts where workspace_id = $1) end where workspace_id = $1`,
  },
  'fulfillments of orders': { most: INDEXED },
  'product_variants of shipping_profiles': {
    most: MANY + INDEXED,
    sql: idsOf('shipping_profiles', 'variant_ids', 'product_variants'),
  },
  'fulfillment_locations of shipping_location_groups': { most: MANY + INDEXED },
  'pages of webhook_endpoints': {
    most: MANY + INDEXED,
    sql: idsOf('webhook_endpoints', 'page_ids', 'pages'),
  },
  'funnels of webhook_endpoints': {
    most: MANY + INDEXED,
    sql: idsOf('webhook_endpoints', 'funnel_ids', 'funnels'),
  },
};

const LISTS = SERVICES.flatMap(({ noun, lists }) =>
  lists
    .filter(({ of }) => of.key === undefined)
    .map(({ of }) => ({ name: `${noun.table} of ${of.under.table}`, noun, of })),
);

/** Copies of the tenant's object, which differ in what is unique. */
async function multiply(
  type: string,
  count: number,
  own: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { table } = NOUNS.find((noun) => noun.type === type) ?? expect.fail(type);
  const { rows } = await client.query<{ name: string; type: string }>(
    `select column_name as name, udt_name as type from information_schema.columns
      where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER' and column_name not in ('id', 'uuid')`,
    [table],
  );
  const sqlOf = ({ name, type }: { name: string; type: string }) => {
    if (own[name] !== undefined) return own[name];
    if (name === 'is_default') return 'false';
    if (['email_address', 'name', 'current_path', 'invoice_number'].includes(name)) return `t.${name} || n`;
    return name.endsWith('_number') && type === 'int4' ? `t.${name} + n` : `t.${name}`;
  };
  await client.query(
    `insert into ${table} (${rows.map(({ name }) => `"${name}"`).join(', ')})
      select ${rows.map(sqlOf).join(', ')} from ${table} t, generate_series(1, ${count}) n where t.id = $1`,
    [tenant.rows[type]?.id],
  );
}

/** Two objects of a noun: the tenant's, and a further one. */
async function twoOf({ type, table }: Pick<Noun, 'type' | 'table'>): Promise<[bigint, bigint]> {
  const own = tenant.rows[type]?.id ?? (type === 'Tag' ? tenant.tag.id : expect.fail(type));
  const { rows } = await client.query<{ id: string }>(
    `select id from ${table} where workspace_id = $1 and id <> $2 order by id limit 1`,
    [workspaceId, own],
  );
  return [own, BigInt(rows[0]?.id ?? own)];
}

beforeAll(async () => {
  client = new pg.Client(gateway.app.store.connection);
  await client.connect();
  for (const type of ['Contact', 'Order', 'Product', 'Funnel', 'Page', 'Collection', 'Variant', 'BlogPost'])
    await multiply(type, ROWS);
  await multiply('FulfillmentLocation', MANY / 2);
  for (const type of [
    'Tag',
    'OrderTag',
    'ProductTag',
    'FunnelTag',
    'BlogTag',
    'BlogCategory',
    'Theme',
    'ShippingProfile',
    'WebhookEndpoint',
  ])
    await multiply(type, 1);
  await multiply('Invoice', ROWS, {
    order_id: `(select max(o.id) from orders o where o.workspace_id = t.workspace_id) - ${ROWS} + n`,
  });
  for (const { name, of } of LISTS) {
    const { sql } = FILLED[name] ?? expect.fail(name);
    if (sql !== undefined) await client.query(sql, [workspaceId, ...(await twoOf(of.under as Noun))]);
  }
  await client.end();
  client = await planningClient(gateway);
}, 120_000);

test('each paired list is tried', () => {
  expect(Object.keys(FILLED).sort()).toEqual(LISTS.map(({ name }) => name).sort());
});

const FIRST: PageRequest = { order: 'asc', size: SIZE, after: null, before: null, backward: false };

/** The rows and entries of indexes that the nodes touch. */
const touched = (nodes: readonly Node[]) =>
  nodes
    .filter((node) => node['Relation Name'] !== undefined && node['Relation Name'] !== 'workspaces')
    .reduce(
      (sum, node) =>
        sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      0,
    );

describe.each([
  ['never analyzed', async () => {}],
  ['with statistics', () => client.query('analyze')],
])('%s', (_, prepare) => {
  beforeAll(async () => void (await prepare()));

  test.each(LISTS)(
    '$name: a page touches no more than it has, wherever it is',
    async ({ name, noun, of }) => {
      const table = tableUnder(noun, of);
      const { most } = FILLED[name] ?? expect.fail(name);
      const [long, short] = await twoOf(of.under as Noun);
      const read = async (parent: bigint, request: PageRequest) => {
        let page: Page<{ id: bigint }> | null = null;
        const plans = await plansOf(gateway, client, async (store) => {
          page = await findPageUnder({ store }, table, tenancy, parent, request, ['id']);
        });
        return { page: page as Page<{ id: bigint }> | null, rows: touched(plans.at(-1) ?? []) };
      };
      const { page: whole } = await read(long, { ...FIRST, size: 100 });
      const ids = whole?.rows.map(({ id }) => id) ?? [];
      expect(ids.length).toBeGreaterThan(0);
      expect(ids).toEqual(ids.toSorted((a, b) => Number(a - b)));
      const after = ids[Math.floor(ids.length / 2)] ?? 0n;
      for (const request of [
        FIRST,
        { ...FIRST, after },
        { ...FIRST, order: 'desc', after } as const,
        { ...FIRST, backward: true },
      ]) {
        const { page, rows } = await read(long, request);
        if (request.after === null && !request.backward)
          expect(page?.rows.map(({ id }) => id)).toEqual(ids.slice(0, SIZE));
        if (request.after !== null && request.order === 'asc')
          expect(page?.rows.map(({ id }) => id)).toEqual(ids.filter((id) => id > after).slice(0, SIZE));
        expect([name, request, rows <= most ? 'few' : rows]).toEqual([name, request, 'few']);
      }
      if (short !== long) {
        const { page, rows } = await read(short, FIRST);
        expect([name, rows <= most ? 'few' : rows]).toEqual([name, 'few']);
        const [ofLong, ofShort] = await findPagesUnder(gateway.app, table, tenancy, [long, short], FIRST, [
          'id',
        ]);
        expect(ofLong?.rows.map(({ id }) => id)).toEqual(ids.slice(0, SIZE));
        expect(ofShort?.rows.map(({ id }) => id)).toEqual(page?.rows.map(({ id }) => id));
      }
      const [count] = await countUnder(gateway.app, table, tenancy, [long]);
      expect(count?.count).toBeGreaterThanOrEqual(ids.length);
      if (ids.length < 100) expect(count?.count).toBe(ids.length);
    },
  );
});
