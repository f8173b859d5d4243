// Each filter of each noun is served by the index that its description names: a page of a long list reads about as many rows as it has,
// in every order that the list has, whatever the planner knows of the table.
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FilterValues, PageRequest } from '../../src/pagination.ts';
import { contact } from '../../src/resources/contacts.ts';
import { parentKeyOf } from '../../src/resources/description/ancestors.ts';
import { filtersOf } from '../../src/resources/description/lists.ts';
import { toSnakeCase } from '../../src/resources/description/names.ts';
import type { Filter } from '../../src/resources/description/resource.ts';
import { isGapless, type Sort, type SortValue } from '../../src/resources/description/sorts.ts';
import { type Described, NOUNS, type Noun } from '../../src/resources/nouns.ts';
import { findPageUnder } from '../../src/store/reading/pages.ts';
import type { Tenancy } from '../../src/store/sql/tenancy.ts';
import { tableOf } from '../../src/store/tables/tables.ts';
import { query } from '../support/cluster.ts';
import { type Node, planningClient, plansOf } from '../support/explain.ts';
import { asAdministrator, createGateway, type Gateway } from '../support/gateway.ts';
import { multiplyRow } from '../support/multiplied-rows.ts';
import { sampleAt } from '../support/nightly.ts';
import { createTenant, type Tenant } from '../support/operations.ts';

const ROWS = 3_000;
/** For contacts: only from some 20,000 rows on does the planner expect that reading all rows with a value and sorting them is cheaper. */
const CONTACTS = 30_000;
const SIZE = 10;
/** One row in this many has the rare value: of a boolean, or of a closed list. */
const FEW = 500;
/** How many more blocks than the first page one deep in the list may read: its rows lie elsewhere, but nothing before them is read. */
const FURTHER_BLOCKS = 4;
/** More rows than a page may pass over. */
const FURTHER_ROWS = 2 * SIZE;
const FIRST: PageRequest = { order: 'asc', size: SIZE, after: null, before: null, backward: false };

let gateway: Gateway;
let tenant: Tenant;
let tenancy: Tenancy;
let client: pg.Client;

beforeAll(async () => {
  gateway = await createGateway();
  tenant = await createTenant(gateway.app, 'many');
  tenancy = { teamId: tenant.team.id, workspaceIds: null };
  client = await planningClient(gateway);
  // Without triggers and foreign keys: a copy has the derived values of its original, and a plan does not look at what it refers to.
  await client.query('set session_replication_role = replica');
  for (const noun of LISTED) await multiply(noun);
  await client.query('set session_replication_role = origin');
  await showPages();
  await stockProducts();
  await pairRows();
});
afterAll(async () => {
  await client.end();
  await gateway.close();
});

/** Of a pair of two other nouns there cannot be many below one: filter-plans.test.ts has it. Nor of those that say `most`, nor of styles, which a theme shows, nor of credentials. */
const FEW_OF = ['ContactAppliedTag', 'OrderAppliedTag', 'Style', 'ApiKey', 'OauthGrant', 'TeamOauthClient'];
const LISTED = NOUNS.filter(
  ({ type, filters, sorts, parent, most }) =>
    (filters ?? sorts) !== undefined && parent !== undefined && most === undefined && !FEW_OF.includes(type),
);

const rowsOf = ({ type }: Noun) => (type === 'Contact' ? CONTACTS : ROWS);

/** Creates many copies of the tenant's object, which differ in every filtered field and every unique field. */
async function multiply(noun: Noun): Promise<void> {
  const { fields } = noun;
  const filtered = filtersOf(noun).map(({ property }) => toSnakeCase(property));
  await multiplyRow(client, noun.table, tenant.rows[noun.type]?.id ?? 0n, rowsOf(noun), ({ name, type }) => {
    const field = Object.entries(fields).find(([property]) => toSnakeCase(property) === name)?.[1];
    const [first, last] = [field?.values?.[0], field?.values?.at(-1)];
    if (filtered.includes(name) && last !== undefined)
      return `case when n % ${FEW} <> 7 then t.${name} when t.${name} = '${last}' then '${first}' else '${last}' end`;
    if (filtered.includes(name) && type === 'bool') return `n % ${FEW} = 7`;
    if (filtered.includes(name) && type === 'int8') return `coalesce(t.${name}, 0) + n`;
    if (filtered.includes(name) && type === 'text' && last === undefined)
      return `coalesce(t.${name}, 'x') || n`;
    // What is closed has a time for it.
    if (name === 'closed_at')
      return `case when n % ${FEW} <> 7 then t.closed_at when t.closed_at is null then current_timestamp end`;
    if (name === 'was_closed') return 'true';
    // One object of a workspace is its default.
    if (name === 'is_workspace_default') return 'false';
    if (noun.type === 'EmailBroadcastRecipient' && name === 'contact_id') return `t.${name} + n`;
    if (name === 'is_shown') return `n % ${FEW} <> 7`;
    if (name === 'unsubscribed_at') return `case when n % ${FEW} = 7 then current_timestamp end`;
    if (name === 'updated_at') return `timestamptz '2026-01-01' + (n * 7919 % ${ROWS}) * interval '1 s'`;
    if (name === 'created_at') return `timestamptz '2025-12-01' + n * interval '1 s'`;
    // A number that ascends in a workspace.
    if (name.endsWith('_number') && type === 'int4') return `t.${name} + n`;
    if (type === 'text' && field?.type === 'text' && field.values === undefined && field.format !== 'color')
      return `t.${name} || n`;
    return `t.${name}`;
  });
}

/**
 * The steps that show pages, for all that say so: were they told afterwards, they would leave versions behind, which are read as long as a
 * transaction of another test lasts. Beside each page is one that was discarded, beside the first ones many.
 */
async function showPages(): Promise<void> {
  const { workspaceId, id } = tenant.funnel;
  await client.query(
    `insert into funnel_steps (workspace_id, funnel_id, kind, position, name, page_id)
      select $1, $2, 'page', 1000 + row_number() over (order by t.id), t.name, t.id from pages t where workspace_id = $1 and is_shown
        and not exists (select from funnel_steps s where s.workspace_id = $1 and s.page_id = t.id and s.removed_at is null)`,
    [workspaceId, id],
  );
  await client.query(
    `insert into pages (workspace_id, name, current_path, theme_id, updated_at, discarded_at, discard_reason)
      select workspace_id, name, current_path, theme_id, updated_at, now(), 'test'
      from (select *, row_number() over (order by id) as n from pages where workspace_id = $1) t,
        generate_series(1, case when n < 5 then ${FURTHER_ROWS} else 1 end)`,
    [workspaceId],
  );
}

/** A variant of each product, with its own stock-keeping unit. */
async function stockProducts(): Promise<void> {
  await client.query(
    `insert into product_variants (workspace_id, product_id, name, sku)
      select workspace_id, id, name, 'SKU-' || id from products where workspace_id = $1`,
    [tenant.workspace.id],
  );
}

/** What pairs the copies with a tag, a product, a collection or a time: each second order has two lines of the same product. */
async function pairRows(): Promise<void> {
  const { id: workspaceId } = tenant.workspace;
  const idOf = (type: string) => tenant.rows[type]?.id ?? 0n;
  for (const [table, object, objects, tag] of [
    ['order_applied_tags', 'order_id', 'orders', 'OrderTag'],
    ['tagged_products', 'product_id', 'products', 'ProductTag'],
    ['tagged_funnels', 'funnel_id', 'funnels', 'FunnelTag'],
  ] as const) {
    const [more, values] =
      table === 'tagged_products' ? [', name, created_at', ', name, created_at'] : ['', ''];
    await client.query(
      `insert into ${table} (workspace_id, ${object}, tag_id${more})
        select workspace_id, id, $2${values} from ${objects} where workspace_id = $1 on conflict do nothing`,
      [workspaceId, idOf(tag)],
    );
  }
  // All ids are read once, not up to the one that is taken for each row.
  const orders = `array(select id from orders where workspace_id = ${workspaceId} order by id)`;
  await multiplyRow(client, 'order_line_items', idOf('OrderLineItem'), ROWS, ({ name }) =>
    name === 'order_id' ? `(${orders})[n / 2 + 1]` : `t.${name}`,
  );
  await client.query(
    `insert into contact_visits (workspace_id, contact_id, first_at, first_visit, last_at, last_visit)
      select workspace_id, id, created_at, '{}', created_at, '{}' from contacts where workspace_id = $1 on conflict do nothing`,
    [workspaceId],
  );
}

/** The first page, one deep in the list, in the other direction too, and one that is read backward from the end. */
async function pagesOf(noun: Noun, sort: Sort): Promise<PageRequest[]> {
  const { table, type } = noun;
  const column = sort === 'id' ? 'id' : toSnakeCase(sort);
  const { rows } = await client.query<{ id: string; value: SortValue }>(
    `select id, ${column} as value from ${table} where id > $1 order by id offset ${rowsOf(noun) / 2} limit 1`,
    [tenant.rows[type]?.id],
  );
  const afterValue = sort === 'updatedAt' ? new Date('2026-01-01T00:25:00.000Z') : rows[0]?.value;
  const deep = { ...FIRST, after: BigInt(rows[0]?.id ?? 0), afterValue };
  const others: PageRequest[] = [
    { ...deep, order: 'desc' },
    { ...FIRST, backward: true },
  ];
  return [FIRST, deep, ...sampleAt(`${type} ${sort}`, others, 2)];
}

/** The indexes that a page reads, the most rows that it reads of one, what it passes over, and the most blocks that one scan of the table reads. */
async function costOf(noun: Noun, request: PageRequest) {
  const parent = (await parentOf(noun)) ?? 0n;
  const plans = await plansOf(gateway, client, (store) =>
    findPageUnder({ store }, tableOf(noun as Described), tenancy, parent, request),
  );
  const nodes = plans.flat().filter((node) => node['Relation Name'] !== undefined);
  return {
    indexes: await indexesOf(nodes),
    ofSteps: await indexesOf(
      nodes.filter((node) => node['Relation Name'] === 'funnel_steps' && node['Actual Loops'] > 1),
    ),
    rows: Math.max(...nodes.map((node) => node['Actual Rows'] * node['Actual Loops'])),
    passed: Math.max(...nodes.map((node) => node['Rows Removed by Filter'] ?? 0)),
    // What an index passes over by its own conditions is told by nothing else.
    blocks: Math.max(
      ...nodes
        // The rows of a page are looked up by their ids, by whichever index the planner takes without statistics: it does not depend on
        // where the page is. Nor do the chains of blocks of the hash index by the id alone.
        .filter(
          (node) =>
            node['Relation Name'] === noun.table &&
            node['Index Name'] !== `${noun.table}_id_idx` &&
            !node['Index Cond']?.includes('(id = ANY ('),
        )
        .map((node) => ownBlocksOf(node) / (node['Actual Loops'] || 1)),
    ),
  };
}

/** The blocks that a node reads itself, without those that are read for what its rows show of other tables. */
function ownBlocksOf({ Plans = [], ...node }: Node): number {
  const below = Plans.map((plan) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']);
  return below.reduce(
    (left, blocks) => left - blocks,
    node['Shared Hit Blocks'] + node['Shared Read Blocks'],
  );
}

async function parentOf(noun: Noun): Promise<bigint | undefined> {
  const column = toSnakeCase(parentKeyOf(noun));
  const { rows } = await client.query<{ id: string }>(
    `select ${column} as id from ${noun.table} where id = $1`,
    [tenant.rows[noun.type]?.id],
  );
  return rows[0] && BigInt(rows[0].id);
}

const TAGS: Readonly<Record<string, string>> = {
  ...{ Contact: 'Tag', Order: 'OrderTag', Product: 'ProductTag', Funnel: 'FunnelTag' },
};

/** Values of a filter: one of many rows, and a rare one of each. */
async function valuesOf(noun: Noun, property: string | null): Promise<(string | boolean | bigint)[][]> {
  if (property === null) return [[]];
  const form = filtersOf(noun).find((filter) => filter.property === property);
  // The others are most of the list, and an expensive read, as the walk that finds them may be long.
  if (property === 'isUnsubscribed' || property === 'isSuppressed') return [[true]];
  if (form?.type === 'bool') return [[true], [false]];
  if (form?.values !== undefined) {
    // Most of the copies have the first value, and few the last.
    const [first, last] = [form.values[0] ?? '', form.values.at(-1) ?? ''];
    const others = form.values.slice(1, -1);
    return [...new Set([first, ...sampleAt(`${noun.type} ${property}`, others), last])].map((value) => [
      value,
    ]);
  }
  if (property === 'tagIds') return [[tenant.rows[TAGS[noun.type] ?? '']?.id ?? 0n]];
  if (property === 'productIds') return [[tenant.rows['Product']?.id ?? 0n]];
  if (noun.type === 'Product' && property === 'sku') return [[`SKU-${tenant.rows['Product']?.id}`]];
  if (property === 'funnelIds') return [[tenant.funnel.id]];
  const { rows } = await client.query<{ value: string }>(
    `select ${toSnakeCase(property)}::text as value from ${noun.table} where id > $1 order by id limit 2`,
    [tenant.rows[noun.type]?.id],
  );
  return [rows.map(({ value }) => (form?.idsOf !== undefined ? BigInt(value) : value))];
}

test.each(LISTED)('$type: each filter except the one by id has an index', ({ filters = {} }) => {
  const unnamed = Object.entries(filters).filter(([name, { index }]) => name !== 'id' && index === undefined);
  expect(unnamed).toEqual([]);
});

const STEP_OF_PAGE = 'funnel_steps_one_step_of_page';

/** The index with the same columns in the order of changes. */
const byTime = (index: string | undefined) => index?.replace(/_id_idx$/, '_updated_at_id_idx');

/** Each filter, and none, in each order. */
const CASES = LISTED.flatMap((noun) =>
  [[null, {}] as [null, Filter], ...Object.entries<Filter>(noun.filters ?? {})].flatMap(
    ([property, { unique, untimed, isRange, index }]) =>
      (['id', ...(noun.sorts ?? [])] as const)
        // Other orders have an index for the whole list, unless the noun says that it has few rows.
        .filter(
          (sort) =>
            isGapless(sort) || (property === null && noun.scannedSorts?.includes(sort as never) !== true),
        )
        // Ranges of times have tests of their own below, and a page of some collections reads all of their products.
        .filter(() => !(isRange || property === 'collectionIds'))
        // The contacts with a tag, the pages of a funnel and the products with a unit, in the order of changes, are no range of an index, nor
        // are those of filters that say so: they wait in the queue of expensive reads (filter-plans.test.ts).
        .filter(
          (sort) =>
            sort === 'id' ||
            !(untimed || ['tagIds', 'funnelIds', 'productIds', 'sku'].includes(property ?? '')),
        )
        .map((sort) => {
          const isOrdered = sort === 'updatedAt' && unique !== true;
          return { noun, type: noun.type, property, sort, index: isOrdered ? byTime(index) : index };
        }),
  ),
);

/**
 * What is below them refers to the key of parent and id. Until a new store has statistics, PostgreSQL reads that key, and filters row by
 * row; autovacuum makes them after the first fifty rows.
 */
const HAVE_KEY_OF_PARENT = ['CourseEnrollment', 'FormSubmission'];

const STATES = ['never analyzed', 'with statistics'] as const;

/** The suite tries each filter in one of its orders and one state. */
const TRIED = [
  ...Map.groupBy(
    STATES.flatMap((state) => CASES.map((one) => ({ ...one, state }))).filter(
      ({ type, property, state }) =>
        state !== 'never analyzed' || property === null || !HAVE_KEY_OF_PARENT.includes(type),
    ),
    ({ type, property }) => `${type} ${property}`,
  ),
].flatMap(([place, cases]) => sampleAt(place, cases, 8));

describe.each(STATES)('%s', (state) => {
  beforeAll(async () => {
    if (state === 'with statistics') await client.query('analyze');
  });

  const cases = TRIED.filter((one) => one.state === state);

  test.each(cases)('$type by $property in the order of $sort', async ({ noun, property, sort, index }) => {
    for (const values of await valuesOf(noun, property)) {
      let first: number | undefined;
      for (const place of await pagesOf(noun, sort)) {
        const filter: FilterValues = property === null ? {} : { [property]: values };
        const { indexes, ofSteps, rows, passed, blocks } = await costOf(noun, { ...place, sort, filter });
        // Where few objects of all parents have the value, the index without the parent is as good.
        const served = [index, index?.replace(/_id_(form|course)_id_/, '_id_')];
        if (index !== undefined)
          expect(
            indexes.some((name) => served.includes(name)),
            String(indexes),
          ).toBe(true);
        // Each page's step is found separately.
        expect(ofSteps.filter((name) => name !== STEP_OF_PAGE)).toEqual([]);
        expect([values, place, rows <= 4 * (SIZE + 1), passed <= SIZE]).toEqual([values, place, true, true]);
        first ??= blocks;
        expect([values, place, place.after === null || blocks <= first + FURTHER_BLOCKS]).toEqual([
          values,
          place,
          true,
        ]);
      }
    }
  });
});

/** The lists of a workspace that may be long, with an index by creation. */
const BY_CREATION = LISTED.filter(({ table }) =>
  [
    ...['contacts', 'tags', 'funnels', 'refine_filters', 'pages', 'products', 'product_collections'],
    ...['product_tags', 'orders', 'fulfillments'],
  ].includes(table),
);
const ALL_TIMES = ['-infinity', 'infinity'];
const FEW_TIMES = ['2025-12-01T00:20:00.000Z', '2025-12-01T00:20:05.000Z'];

describe.each([
  [
    'never analyzed',
    () =>
      query(asAdministrator(gateway.app.store.connection.connectionString ?? ''), 'delete from pg_statistic'),
  ],
  ['with statistics', () => client.query('analyze')],
])('a range of times, %s', (state, prepare) => {
  beforeAll(async () => void (await prepare()));

  test.each(BY_CREATION)(
    '$type: a few rows created within the range are a range of an index',
    async (noun) => {
      const { indexes, rows } = await costOf(noun, { ...FIRST, filter: { createdAt: FEW_TIMES } });
      expect(indexes.filter((name) => /_created_at/.test(name))).not.toEqual([]);
      expect(rows).toBeLessThanOrEqual(SIZE);
    },
  );

  test.each(BY_CREATION)('$type: the first of many are found on a walk of the list', async (noun) => {
    const { rows } = await costOf(noun, { ...FIRST, filter: { createdAt: ALL_TIMES } });
    // Counting some of them shows whether there are many.
    expect(rows).toBeLessThanOrEqual(2_501);
  });

  test('Contact: those with a last visit within the range are a range of an index, and of many the first are found on a walk', async () => {
    const few = await costOf(contact, { ...FIRST, filter: { lastVisitAt: FEW_TIMES } });
    expect(few.indexes).toContain('contact_visits_workspace_id_last_at_contact_id_idx');
    expect(few.rows).toBeLessThanOrEqual(2_501);
    const many = await costOf(contact, { ...FIRST, filter: { lastVisitAt: ALL_TIMES } });
    expect(many.rows).toBeLessThanOrEqual(20_000);
  });

  test.each(
    sampleAt(
      state,
      LISTED.filter(({ sorts }) => sorts !== undefined),
      3,
    ),
  )(
    '$type: in the order of changes, rows changed within the range are a range of the index',
    async (noun) => {
      const filter = { updatedAt: ['2026-01-01T00:20:00.000Z', '2026-01-01T00:20:05.000Z'] };
      const { rows, passed } = await costOf(noun, { ...FIRST, sort: 'updatedAt', filter });
      expect([rows <= 4 * (SIZE + 1), passed <= SIZE]).toEqual([true, true]);
    },
  );
});

/** The indexes that nodes read; of a partition, the one of the whole table. */
async function indexesOf(nodes: readonly Node[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select coalesce(p.relname, c.relname)::text as name from pg_class c
      left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent where c.relname = any($1)`,
    [nodes.flatMap((node) => node['Index Name'] ?? [])],
  );
  return rows.map(({ name }) => name);
}
