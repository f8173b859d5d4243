// How PostgreSQL runs searches: by the index of each table that a description names, whatever the planner knows of it, and a page of words
// that many rows have by a short walk.
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contact } from '../../src/resources/contacts.ts';
import { type Described, NOUNS } from '../../src/resources/nouns.ts';
import { extensionObstacles } from '../../src/store/migrations/rights.ts';
import { isOfSearch, readExtensions } from '../../src/store/migrations/search.ts';
import { findPageUnder } from '../../src/store/reading/pages.ts';
import { isExpensive, selectionOf } from '../../src/store/reading/selections.ts';
import { searchedParts, searchIndex, searchText } from '../../src/store/sql/search.ts';
import { tableOf } from '../../src/store/tables/tables.ts';
import { type Node, planningClient, plansOf } from '../support/explain.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';

const CONTACTS = tableOf(contact);
const ROWS = 20_000;
const PAGE = { order: 'asc', size: 10, after: null, before: null, backward: false } as const;
const SEARCHED = NOUNS.filter(({ search }) => search !== undefined);
/** The tables of all indexes, with the indexed columns. */
const INDEXES = SEARCHED.flatMap((noun) => {
  const parts = searchedParts(noun, tableOf(noun as Described).matches);
  return [
    [noun.table, parts?.own ?? []] as const,
    ...(parts?.below ?? []).map(({ table, value }) => [table, [{ name: value, type: 'text' }]] as const),
  ];
});

let gateway: Gateway;
let client: pg.Client;
let teamId: bigint;
let workspaceId: bigint;

beforeAll(async () => {
  gateway = await createGateway();
  ({ id: workspaceId, teamId } = await factories.workspace(gateway.app));
  client = await planningClient(gateway);
  await client.query(
    `insert into contacts (workspace_id, first_name, last_name, email_address)
      select ${workspaceId}, case when n % 2 = 0 then 'Ada' else 'Bob' end, case when n % 4000 = 7 then 'Needle' else 'Hay' end, 'p' || n || '@example.com'
      from generate_series(1, ${ROWS}) n`,
  );
});
afterAll(async () => {
  await client.end();
  await gateway.close();
});

test('what is searched', () => {
  expect(SEARCHED.map(({ table }) => table).toSorted()).toEqual([
    'contacts',
    'funnels',
    'orders',
    'pages',
    'products',
  ]);
});

test.each(INDEXES)('the index of %s has the texts of the description', async (table, columns) => {
  const definitionOf = async (index: string) => {
    const { rows } = await client.query<{ text: string }>(
      'select pg_get_indexdef($1::regclass, 2, true) as text',
      [index],
    );
    return rows[0]?.text;
  };
  await client.query(
    `create index from_description on ${table} using gin (workspace_id, ${searchText('', columns)} gin_trgm_ops)`,
  );
  try {
    expect(await definitionOf(searchIndex(table))).toBe(await definitionOf('from_description'));
  } finally {
    await client.query('drop index from_description');
  }
});

describe.each([
  ['before the tables were ever analyzed', async () => {}],
  ['with statistics', () => client.query('analyze')],
])('%s', (_, prepare) => {
  beforeAll(async () => void (await prepare()));

  test.each(INDEXES)('search_ids reads %s by its index', async (table, columns) => {
    // The statement and the settings of the function.
    await client.query(
      'begin; set local enable_bitmapscan = on; set local enable_indexscan = off; set local enable_indexonlyscan = off',
    );
    const { rows } = await client.query(
      `explain (format json) select t.id from ${table} t where t.workspace_id = ${workspaceId} and ${searchText('', columns)} like '%needle%'`,
    );
    await client.query('rollback');
    const names = JSON.stringify(rows);
    if (table === 'contacts') expect(names).toContain(`"Index Name":"${searchIndex(table)}"`);
    expect(names).not.toContain('Seq Scan');
  });

  test.each(['id', 'updatedAt'] as const)(
    'a page by %s of a word of many is a walk, of few it reads these',
    async (sort) => {
      const rowsRead = async (words: string[]) => {
        const [nodes = []] = await plansOf(gateway, client, (store) =>
          findPageUnder({ store }, CONTACTS, { teamId, workspaceIds: null }, workspaceId, {
            ...PAGE,
            sort,
            filter: { search: words },
          }),
        );
        return nodes
          .filter((node: Node) => node['Relation Name'] === 'contacts')
          .reduce(
            (sum, node) =>
              sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
            0,
          );
      };
      expect(await rowsRead(['ada', 'HAY'])).toBeLessThan(100);
      // A walk of 1,000 rows and one row more, and the five rows that have the word.
      expect(await rowsRead(['needle'])).toBeLessThan(2 * 1_000 + 50);
    },
  );
});

test('a search waits in the queue of expensive reads, and its statement does not depend on the words', () => {
  const selected = selectionOf(CONTACTS, { filter: { search: ['a'] } });
  expect(isExpensive(selected, 1, 11)).toBe(true);
  expect(selectionOf(CONTACTS, { filter: { search: ['b', 'c'] } }).name).toBe(selected.name);
});

test('as the tenant role no index is read, because `like` is not leakproof: so searches, as all reads, run as the owner', async () => {
  const explained = async (role: string) => {
    await client.query(
      `begin; set local enable_bitmapscan = on; set local enable_indexscan = off; set local enable_indexonlyscan = off;
        ${role} set local funnel_gateway.team = '${teamId}'; set local funnel_gateway.workspaces = 'all'`,
    );
    const { rows } = await client.query(
      `explain (format json) select id from contacts t where workspace_id = ${workspaceId} and ${searchText('t.', searchedParts(contact, {})?.own ?? [])} like '%needle%'`,
    );
    await client.query('rollback');
    return rows[0]['QUERY PLAN'][0].Plan.Plans?.some(
      (node: Node) => node['Index Name'] === 'contacts_search_idx' && node['Index Cond']?.includes('~~'),
    );
  };
  expect(await explained('')).toBe(true);
  expect(await explained('set local role funnel_gateway_tenant;')).toBe(false);
});

test('the extensions are there, and what is missing is said in one sentence each', async () => {
  expect(await readExtensions(gateway.app.store.pool)).toEqual(
    ['unaccent', 'pg_trgm', 'btree_gin'].map((name) =>
      expect.objectContaining({ name, isAvailable: true, isInstalled: true, hiddenIn: null }),
    ),
  );
  const state = {
    name: 'pg_trgm',
    isAvailable: true,
    isInstalled: false,
    isInstallable: true,
    hiddenIn: null,
  };
  const of = { user: 'me', database: 'shop' };
  expect(extensionObstacles([state, { ...state, isInstalled: true, isInstallable: false }], of)).toEqual([]);
  const messages = [
    { ...state, isAvailable: false },
    { ...state, name: 'unaccent', isInstallable: false },
    { ...state, isInstalled: true, hiddenIn: 'ext' },
  ].map((one) => extensionObstacles([one], of).map(({ message }) => message));
  expect(messages).toEqual([
    ['the server has no extension pg_trgm'],
    ['the user of DATABASE_URL may not create the extensions unaccent'],
    ['the extension pg_trgm is in the schema ext, which is not on the search path'],
  ]);
});

test('a distributed store leaves out what only searches use', () => {
  expect(isOfSearch('-- why\ncreate extension if not exists pg_trgm')).toBe(true);
  expect(
    isOfSearch(
      'create index concurrently x on pages using gin (workspace_id, search_words(name) gin_trgm_ops)',
    ),
  ).toBe(true);
  expect(isOfSearch('create index concurrently x on pages (workspace_id, name)')).toBe(false);
});
