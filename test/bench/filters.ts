// What a saved filter costs: the page of 100 that it selects against the page without it, asked in turns over one connection, so that
// nothing but the filter differs. In both the first page and the one behind it, over both faces.
import pg from 'pg';
import type { Criterion } from '../../src/resources/refine-filters.ts';
import { attempt, type Bench, plainRow, type Row } from './bench.ts';
import type { Manifest } from './dataset.ts';
import { TAGS_PER_WORKSPACE } from './fill.ts';
import { timeInTurns } from './in-turns.ts';
import { getRequest, graphqlRequest } from './requests.ts';
import type { Subject } from './subject.ts';
import { ask } from './workloads.ts';

/** Ids that the dataset does not reach. */
const FIRST_FILTER = 5_000_001;
const SIZE = 100;

interface Noun {
  readonly list: 'contacts' | 'orders' | 'products';
  readonly filterClass: string;
  /** What GraphQL is asked for. */
  readonly members: string;
}

const CONTACTS: Noun = {
  list: 'contacts',
  filterClass: 'ContactsFilter',
  members: 'id databaseId publicId emailAddress firstName lastName phoneNumber timeZone createdAt updatedAt',
};
const ORDERS: Noun = {
  list: 'orders',
  filterClass: 'OrdersFilter',
  members:
    'id databaseId orderNumber billingStatus totalAmount { amount currency } createdAt lineItems { id quantity }',
};
const PRODUCTS: Noun = {
  list: 'products',
  filterClass: 'ProductsFilter',
  members: 'id databaseId publicId name currentPath isArchived createdAt updatedAt',
};

interface Shape {
  readonly noun: Noun;
  readonly title: string;
  readonly criteria: readonly Criterion[];
  readonly conjunction?: 'and' | 'or';
}

const one = (attribute: string, clause: string, value?: unknown): Criterion => ({ attribute, clause, value });
const during = (from: string, to: string) => one('created_at', 'btwn', [from, to]);

/** Each but the last has an index. Those called sparse match about a thousandth of the list. */
function shapesOf({ workspaceId }: Manifest): Shape[] {
  const [tag, other] = [1, 2].map((index) => String((workspaceId - 1) * TAGS_PER_WORKSPACE + index));
  const tagged = one('tags.id', 'in', [tag]);
  const year = during('2024-01-01', '2025-01-01');
  const month = during('2025-01-10', '2025-02-10');
  const shape = (noun: Noun, title: string, ...criteria: Criterion[]): Shape => ({ noun, title, criteria });
  return [
    shape(CONTACTS, 'e-mail address begins with, dense', one('email_address', 'sw', 'Emma.')),
    shape(CONTACTS, 'e-mail address begins with, sparse', one('email_address', 'sw', 'emma.12')),
    shape(CONTACTS, 'a tag', tagged),
    shape(CONTACTS, 'all but a tag', one('tags.id', 'nin', [tag])),
    shape(CONTACTS, 'a year', year),
    shape(CONTACTS, 'a day, sparse', during('2024-05-05', '2024-05-06')),
    shape(CONTACTS, 'unsubscribed', one('unsubscribed_at', 'st')),
    shape(CONTACTS, 'suppressed', one('email_suppression', 'st')),
    shape(CONTACTS, 'a tag and a year', tagged, year),
    shape(CONTACTS, 'a tag and a week, sparse', tagged, during('2024-05-05', '2024-05-12')),
    {
      ...shape(
        CONTACTS,
        'another tag, or unsubscribed',
        one('tags.id', 'in', [other]),
        one('unsubscribed_at', 'st'),
      ),
      conjunction: 'or',
    },
    shape(ORDERS, 'of a product', one('products.id', 'eq', '7')),
    shape(ORDERS, 'above an amount', one('total_amount', 'gt', '500')),
    shape(ORDERS, 'a month', month),
    shape(ORDERS, 'a month, above an amount', month, one('total_amount', 'gt', '300')),
    shape(PRODUCTS, 'in the store', one('visible_in_store', 'eq', true)),
    shape(PRODUCTS, 'archived', one('archived', 'eq', true)),
    shape(PRODUCTS, 'a month', month),
    shape(CONTACTS, 'a first name, no index', one('first_name', 'eq', 'Emma')),
  ];
}

export interface FilterResult {
  /** Time of a filtered page / time of the same without the filter, of the worst shape that an index serves. */
  readonly ratio: number | null;
  readonly rows: Row[];
}

export async function measureFilters(bench: Bench): Promise<FilterResult> {
  const subject = bench.subjects.get('gateway');
  if (subject === undefined) return { ratio: null, rows: [] };
  const { dataset } = bench;
  const shapes = shapesOf(dataset.manifest);
  const client = new pg.Client({ connectionString: dataset.url });
  await client.connect();
  const [rows, ratios]: [Row[], number[]] = [[], []];
  try {
    await clear(client);
    for (const [index, { noun, title, criteria, conjunction = 'and' }] of shapes.entries())
      await client.query(
        'insert into refine_filters (id, workspace_id, name, filter_class, conjunction, criteria) values ($1, $2, $3, $4, $5, $6)',
        [
          ...[
            FIRST_FILTER + index,
            dataset.manifest.workspaceId,
            `${noun.list}, ${title}`,
            noun.filterClass,
            conjunction,
          ],
          JSON.stringify(criteria),
        ],
      );
    for (const [index, shape] of shapes.entries()) {
      for (const face of FACES) {
        const row = await attempt(bench, `gateway, ${shape.title}`, () =>
          measureShape(bench, subject, shape, face, FIRST_FILTER + index),
        );
        if (row === null) continue;
        rows.push(row.row);
        if (index < shapes.length - 1) ratios.push(row.ratio);
      }
    }
    return { ratio: ratios.length > 0 ? Math.max(...ratios) : null, rows };
  } finally {
    await clear(client).catch(() => {});
    await client.end();
  }
}

async function clear(client: pg.Client): Promise<void> {
  await client.query(`delete from refine_filters where id >= ${FIRST_FILTER}`);
}

/** How a list is asked for. */
interface Face {
  readonly name: string;
  /** The request for the first page, or for the one behind a page. @param filter the id of a saved filter; null for none */
  request(manifest: Manifest, noun: Noun, filter: number | null, before?: Page): string;
}

/** What the page behind a page is asked for by. */
interface Page {
  readonly id: number;
  readonly updatedAt: string;
  readonly cursor: string;
}

const rest = (name: string, sort: string, position: (page: Page) => string): Face => ({
  name,
  request({ workspaceId, token }, { list }, filter, before) {
    const filtered = filter === null ? '' : `&filter[refine_filter_id]=${filter}`;
    const after = before === undefined ? '' : position(before);
    return getRequest(
      `/api/v2/workspaces/${workspaceId}/${list}?per_page=${SIZE}${sort}${filtered}${after}`,
      token,
    );
  },
});

const FACES: readonly Face[] = [
  rest('REST', '', ({ id }) => `&after=${id}`),
  rest(
    'REST by updated_at',
    '&sort_property=updated_at',
    ({ id, updatedAt }) => `&after=${id}&after_updated_at=${updatedAt}`,
  ),
  {
    name: 'GraphQL',
    request({ workspaceId, token }, { list, members }, filter, before) {
      const document = `query ($workspace: BigInt!, $after: String, $filter: ID) { workspace(by: { databaseId: $workspace }) {
        list: ${list}(first: ${SIZE}, after: $after, savedFilterId: $filter) {
          edges { cursor node { ${members} } } pageInfo { hasNextPage endCursor } } } }`;
      const variables = {
        workspace: workspaceId,
        after: before?.cursor ?? null,
        filter: filter && btoa(`SavedFilter:${filter}`),
      };
      return graphqlRequest(document, variables, token);
    },
  },
];

async function measureShape(
  bench: Bench,
  subject: Subject,
  { noun, title }: Shape,
  face: Face,
  filter: number,
): Promise<{ row: Row; ratio: number }> {
  const { dataset, plan, progress } = bench;
  const request = (filter: number | null, before?: Page) =>
    face.request(dataset.manifest, noun, filter, before);
  const pages = [];
  let last: { plain: Page; filtered: Page } | undefined;
  for (const page of ['first', 'second']) {
    const requests = { one: request(null, last?.plain), other: request(filter, last?.filtered) };
    const times = await timeInTurns(subject, requests, plan.filterPairs);
    pages.push({ page, ...times });
    last = { plain: await lastOf(subject, requests.one), filtered: await lastOf(subject, requests.other) };
  }
  const ratio = Math.max(...pages.map((times) => times.ratio));
  const note = pages.map(
    ({ page, one, other, ratio }) =>
      `${page} page ${ratio.toFixed(2)} (${other.toFixed(2)} / ${one.toFixed(2)} ms)`,
  );
  progress.say(`(filters) ${face.name}, ${noun.list}, ${title}: ${note.join(', ')}`);
  const row = plainRow({
    part: 'filters',
    workload: `(filters) ${face.name}, 100 ${noun.list}, ${title} / without the filter`,
    subject: 'gateway',
    p50_ms: Math.max(...pages.map(({ other }) => other)),
    note: note.join(', '),
  });
  return { row, ratio };
}

/** What follows a page. @throws Error for a page that is not full */
async function lastOf(subject: Subject, request: string): Promise<Page> {
  const { body } = await ask(subject, request);
  const answer = JSON.parse(body);
  const { edges = answer.map((node: object) => ({ node, cursor: '' })) } = answer.data?.workspace.list ?? {};
  if (edges.length < SIZE) throw new Error(`a page of ${edges.length}`);
  const { cursor, node } = edges.at(-1);
  return { id: Number(node.id), updatedAt: node.updated_at, cursor };
}
