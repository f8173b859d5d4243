// Lists with saved filters, walked page by page: in both orders and both directions, through each of the steps, compared with an
// evaluation of each row. The count, and probes beyond a position, agree.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '../../src/errors.ts';
import type { FilterValues, PageRequest, Provided, Selection, SortOrder } from '../../src/pagination.ts';
import { contact } from '../../src/resources/contacts.ts';
import type { Sort } from '../../src/resources/description/sorts.ts';
import { order } from '../../src/resources/orders/orders.ts';
import type { Criterion } from '../../src/resources/refine-filters.ts';
import { parseCriteria } from '../../src/services/filtering/refine-criteria.ts';
import type { Probe } from '../../src/store/reading/counts.ts';
import { findRefinedPage } from '../../src/store/reading/pages.ts';
import { existsRefined, type RefinedList } from '../../src/store/reading/refined.ts';
import { countRefined, findMatches } from '../../src/store/reading/refined-counts.ts';
import { tableOf } from '../../src/store/tables/tables.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { times } from '../support/nightly.ts';
import { offer } from '../support/orders/shop.ts';
import { prismaOf } from '../support/prisma.ts';

const RUNS = times(250);
const NOW = new Date('2026-02-01T00:00:00Z');

interface Listed {
  readonly id: bigint;
  readonly updatedAt: Date;
}

/** The rows that a class of filters selects from. */
interface Kind {
  readonly table: RefinedList<Listed>['table'];
  /** All of the workspace, by id, and what each has of the properties that the list is filtered by. */
  readonly rows: readonly (Listed & { readonly values: FilterValues })[];
  readonly filters: readonly FilterValues[];
  readonly tags: readonly bigint[];
  readonly criterion: fc.Arbitrary<Criterion>;
}

const { app } = await ownGateway();
const { pool } = app.store;
const prisma = prismaOf(app.store);
const ctx = { store: app.store };
const { id: workspaceId, teamId } = await factories.workspace(app);
const owned = { tenancy: { teamId, workspaceIds: null }, workspaceId };

// Rows with each value, and with several at once. Many were changed at the same time, in another order than that of their ids.

const CREATED = `timestamptz '2026-01-01' + (n % 7) * interval '1 day'`;
const CHANGED = `timestamptz '2026-01-01' + ((n * 37) % 11) * interval '1 minute'`;

const contactTags: bigint[] = [];
for (const name of ['one', 'two', 'three'])
  contactTags.push((await factories.tag(app, workspaceId, name)).id);
await pool.query(
  `insert into contacts (workspace_id, email_address, first_name, created_at, updated_at, unsubscribed_at,
      email_suppression_reason, anonymous)
    select ${workspaceId}, 'p' || n || '@example.com', case when n % 3 = 0 then 'Ann' else 'Bob' end, ${CREATED}, ${CHANGED},
      case when n % 4 = 1 then timestamptz '2026-01-01' + (n % 5) * interval '1 day' end,
      case n % 6 when 2 then 'hard_bounce' when 3 then 'complaint' end, n % 5 = 1
    from generate_series(1, 90) n`,
);
await pool.query(
  `insert into contact_tags (workspace_id, contact_id, tag_id)
    select workspace_id, id, tag from contacts, unnest(array[${contactTags}]::bigint[], array[2, 3, 7]) x (tag, step)
    where workspace_id = ${workspaceId} and id % step = 0`,
);
const contacts = await prisma.contact.findMany({ where: { workspaceId }, orderBy: { id: 'asc' } });
const tagged = await prisma.contactTag.findMany({ where: { workspaceId } });
const buyers = contacts.slice(0, 3).map(({ id }) => id);

const goods = [await offer(app, workspaceId), await offer(app, workspaceId)] as const;
const orderTags: bigint[] = [];
for (const name of ['one', 'two'])
  orderTags.push((await prisma.orderTag.create({ data: { workspaceId, name } })).id);
await pool.query(
  `insert into orders (workspace_id, created_at, updated_at, order_number, live_mode, tax_amount, currency, contact_id, billing_status,
      service_status, order_type, total_amount)
    select ${workspaceId}, ${CREATED}, ${CHANGED}, n, true, 0, (array['EUR', 'USD', 'JPY'])[1 + n % 3],
      (array[${buyers}]::bigint[])[1 + n % 3], (array['paid', 'past-due'])[1 + n % 2],
      (array['active', 'paused', 'completed'])[1 + (n / 2) % 3], (array['one-time-order', 'subscription-order'])[1 + (n / 3) % 2], n % 13
    from generate_series(1, 80) n`,
);
await pool.query(
  `insert into order_applied_tags (workspace_id, order_id, tag_id)
    select workspace_id, id, tag from orders, unnest(array[${orderTags}]::bigint[], array[2, 3]) x (tag, step)
    where workspace_id = ${workspaceId} and id % step = 0`,
);
// Each product is in two lines of its orders.
for (const [index, { productId, variantId, priceId }] of goods.entries())
  await pool.query(
    `insert into order_line_items (workspace_id, order_id, product_id, variant_id, price_id, quantity, currency, amount, first_amount,
        setup_amount, original_product, products_price, products_variant)
      select workspace_id, id, ${productId}, ${variantId}, ${priceId}, 1, currency, 1, 1, 0, '{}', '{}', '{}'
      from orders, generate_series(1, 2) where workspace_id = ${workspaceId} and order_number % ${index + 2} = 0`,
  );
const orders = await prisma.order.findMany({ where: { workspaceId }, orderBy: { id: 'asc' } });
await pool.query('analyze');

/** Requests may require that this filter is unchanged. */
const PROVIDED: Provided = await factories.refineFilter(app, {
  ...{ workspaceId, filterClass: 'ContactsFilter', conjunction: 'and' },
  criteria: [{ attribute: 'first_name', clause: 'eq', value: 'x' }],
});

// Generated criteria: of each way to find rows, and of each combination of them.

const one = (attribute: string, clause: string, value?: unknown): Criterion => ({ attribute, clause, value });
const anyOf = (attribute: string, clauses: readonly string[], values: readonly unknown[]) =>
  fc
    .tuple(fc.constantFrom(...clauses), fc.subarray([...values], { minLength: 1 }))
    .map(([clause, some]) => one(attribute, clause, some));

const KINDS: Readonly<Record<'ContactsFilter' | 'OrdersFilter', Kind>> = {
  ContactsFilter: {
    table: tableOf(contact),
    rows: contacts.map(({ id, updatedAt }) => {
      const tagIds = tagged.filter(({ contactId }) => contactId === id).map(({ tagId }) => tagId);
      return { id, updatedAt, values: { tagIds } };
    }),
    filters: [{ tagIds: contactTags.slice(0, 1) }, { tagIds: contactTags.slice(0, 2) }],
    tags: contactTags,
    criterion: fc.oneof(
      anyOf('tags.id', ['in', 'nin'], contactTags.map(String)),
      fc
        .tuple(fc.constantFrom('eq', 'dne'), fc.boolean())
        .map(([clause, flag]) => one('anonymous', clause, flag)),
      fc.constantFrom('st', 'nst').map((clause) => one('unsubscribed_at', clause)),
      fc.constantFrom('st', 'nst').map((clause) => one('email_suppression', clause)),
      anyOf('email_suppression', ['in'], ['hard_bounce', 'complaint', 'x']),
      fc.constantFrom(
        one('created_at', 'gte', '2026-01-04'),
        one('created_at', 'btwn', ['2026-01-02', '2026-01-03']),
        one('created_at', 'nbtwn', ['2026-01-02', '2026-01-05']),
      ),
      fc.constantFrom(
        one('email_address', 'sw', 'P1'),
        one('email_address', 'sw', ' p2 '),
        one('email_address', 'eq', 'P3@example.com'),
      ),
      fc.constantFrom(
        one('first_name', 'eq', 'ann'),
        one('first_name', 'sw', 'AN'),
        one('unsubscribed_at', 'gte', '2026-01-03'),
      ),
    ),
  },
  OrdersFilter: {
    table: tableOf(order),
    rows: orders.map(({ id, updatedAt, contactId }) => ({
      ...{ id, updatedAt, values: { contactId: [contactId] } },
    })),
    filters: [{ contactId: buyers.slice(0, 1) }],
    tags: orderTags,
    criterion: fc.oneof(
      anyOf('tags.id', ['in', 'nin'], orderTags.map(String)),
      fc
        .subarray(
          goods.map(({ productId }) => String(productId)),
          { minLength: 1 },
        )
        .map((ids) => (ids.length === 1 ? one('products.id', 'eq', ids[0]) : one('products.id', 'in', ids))),
      anyOf('currency', ['in'], ['EUR', 'USD', 'CHF']),
      anyOf('billing_status', ['in'], ['paid', 'past-due']),
      anyOf('service_status', ['in'], ['active', 'paused']),
      anyOf('order_type', ['in'], ['one-time-order', 'subscription-order']),
      anyOf('contact_id', ['in'], buyers.map(String)),
      fc.constantFrom(
        one('total_amount', 'gt', '5'),
        one('total_amount', 'btwn', ['2', '9']),
        one('created_at', 'gte', '2026-01-04'),
      ),
    ),
  },
};
type Class = keyof typeof KINDS;

type Limits = NonNullable<RefinedList<Listed>['limits']>;

const WALKED_SHORT: Limits = {
  ...{ fewWalked: 4, manyWalked: 9, fewInIndex: 1000, fewFound: 1000, manyFound: 1000, manyInIndex: 1000 },
};
/** Each makes another step return most pages. */
const SMALL_LIMITS: readonly Limits[] = [
  WALKED_SHORT,
  { fewWalked: 4, manyWalked: 9, fewInIndex: 2, fewFound: 2, manyFound: 1000, manyInIndex: 1000 },
  { fewWalked: 4, manyWalked: 1000, fewInIndex: 2, fewFound: 2, manyFound: 2, manyInIndex: 2 },
  { fewWalked: 30, manyWalked: 60, fewInIndex: 12, fewFound: 6, manyFound: 40, manyInIndex: 50 },
];

/** A list, and how it is walked. */
interface Asked {
  readonly criteria: readonly Criterion[];
  readonly conjunction: 'and' | 'or';
  readonly filter: FilterValues | undefined;
  readonly sort: Sort;
  readonly order: SortOrder;
  readonly backward: boolean;
  readonly size: number;
  /** Absent: the usual ones, which so few rows never reach. */
  readonly limits: Limits | undefined;
  /** Whether its pages depend on the content of a saved filter. */
  readonly isProvided: boolean;
  /** The position of a probe: a row, which need not be in the list. */
  readonly beside: Listed;
}

const askedOf = ({ rows, filters, criterion }: Kind): fc.Arbitrary<Asked> =>
  fc.record({
    criteria: fc.array(criterion, { minLength: 1, maxLength: 3 }),
    conjunction: fc.constantFrom('and', 'or'),
    filter: fc.option(fc.constantFrom(...filters), { nil: undefined, freq: 1 }),
    sort: fc.constantFrom('id', 'updatedAt'),
    order: fc.constantFrom('asc', 'desc'),
    backward: fc.boolean(),
    size: fc.integer({ min: 1, max: 9 }),
    limits: fc.constantFrom(undefined, ...SMALL_LIMITS),
    isProvided: fc.boolean(),
    beside: fc.constantFrom(...rows),
  });

/** No index has rows without any tag, and a short walk does not find a page of them. */
const refusedOf = ({ tags }: Kind): Asked => ({
  criteria: [one('tags.id', 'nin', tags.map(String))],
  ...{ conjunction: 'and', filter: undefined, sort: 'id', order: 'asc', backward: false, size: 9 },
  ...{ limits: WALKED_SHORT, isProvided: false, beside: { id: 1n, updatedAt: NOW } },
});

let versions = 0;

/** The list, with a version of its own: nothing is cached about earlier reads of its pages. */
function listOf(filterClass: Class, { criteria, conjunction, limits }: Asked): RefinedList<Listed> {
  return {
    ...owned,
    table: KINDS[filterClass].table,
    criteria: { conjunction, criteria: parseCriteria(filterClass, criteria, NOW) },
    version: `walk ${versions++}`,
    ...(limits && { limits }),
  };
}

const selectionOf = ({ sort, filter }: Asked): Selection => ({ sort, ...(filter && { filter }) });

/** The page beyond a row; at the list's end, or with `backward` before it. */
function pageBeyond(asked: Asked, row: Listed | undefined): PageRequest {
  const { order, size, backward, sort } = asked;
  const [id, time] = [row?.id ?? null, sort === 'updatedAt' ? row?.updatedAt : undefined];
  const position = backward
    ? { after: null, before: id, beforeValue: time }
    : { after: id, before: null, afterValue: time };
  return { ...selectionOf(asked), order, size, backward, ...position };
}

/** Orders rows as ascending lists do. */
const compare = (sort: Sort) => (left: Listed, right: Listed) =>
  (sort === 'updatedAt' ? left.updatedAt.getTime() - right.updatedAt.getTime() : 0) ||
  Number(left.id - right.id);

/** Whether a row has one of the values of each property. */
const passes = (values: FilterValues, filter: FilterValues = {}) =>
  Object.entries(filter).every(([property, wanted]) =>
    wanted.some((value) => values[property]?.includes(value)),
  );

/** The rows of the list, in order: those that match by their own values. */
async function expectedRows({ rows }: Kind, list: RefinedList<Listed>, asked: Asked): Promise<Listed[]> {
  const ids = rows.map(({ id }) => id);
  const matches = await findMatches(ctx, list, ids, [list.criteria]);
  expect([...matches.keys()].toSorted((left, right) => Number(left - right))).toEqual(ids);
  const expected = rows
    .filter(({ id, values }) => matches.get(id)?.[0] === true && passes(values, asked.filter))
    .toSorted(compare(asked.sort));
  return asked.order === 'asc' ? expected : expected.toReversed();
}

/** @returns whether the list was read; it may be refused where the limits are small */
async function isRead({ limits }: Asked, read: () => Promise<void>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (limits !== undefined && error instanceof AppError && error.code === 'invalid') return false;
    throw error;
  }
}

/** Requires that each page has the next expected rows, and the flag whether it is the last. */
async function pageThrough(list: RefinedList<Listed>, asked: Asked, expected: readonly Listed[]) {
  const { backward, size, isProvided } = asked;
  let left = expected;
  let position: Listed | undefined;
  do {
    const page = { ...pageBeyond(asked, position), ...(isProvided && { provided: PROVIDED }) };
    const { rows, more } = await findRefinedPage(ctx, list, page, ['id', 'updatedAt']);
    const next = backward ? left.slice(-size) : left.slice(0, size);
    left = backward ? left.slice(0, -size) : left.slice(size);
    expect([rows.map(({ id }) => id), more]).toEqual([next.map(({ id }) => id), left.length > 0]);
    position = backward ? rows[0] : rows.at(-1);
  } while (left.length > 0);
}

/** Requires that a page has no rows if the saved filter has changed. */
async function expectNone(list: RefinedList<Listed>, asked: Asked) {
  const page = { ...pageBeyond(asked, undefined), provided: { ...PROVIDED, updatedAt: new Date(0) } };
  const { rows } = await findRefinedPage(ctx, list, page, ['id', 'updatedAt']);
  expect(rows).toEqual([]);
}

async function expectCount(list: RefinedList<Listed>, asked: Asked, expected: readonly Listed[]) {
  const count = await countRefined(ctx, list, selectionOf(asked));
  expect(count).toEqual({ count: expected.length, isExact: true });
}

const SIDES = ['at_or_below', 'at_or_above'] as const satisfies readonly Probe['side'][];

/** Whether the list has a row at the probed one or on a side of it. */
async function expectBeside(
  list: RefinedList<Listed>,
  asked: Asked,
  side: Probe['side'],
  expected: readonly Listed[],
) {
  const { sort, beside } = asked;
  const time = sort === 'updatedAt' ? beside.updatedAt : undefined;
  const exists = await existsRefined(ctx, list, { ...selectionOf(asked), id: beside.id, value: time, side });
  const isBeside = (row: Listed) => {
    const difference = compare(sort)(row, beside);
    return side === 'at_or_below' ? difference <= 0 : difference >= 0;
  };
  expect([side, exists]).toEqual([side, expected.some(isBeside)]);
}

test.each(['ContactsFilter', 'OrdersFilter'] as const)(
  '%s: pages, counts and probes agree with the rows, whichever step reads them',
  async (filterClass) => {
    const kind = KINDS[filterClass];
    const runs = { walked: 0, ofPages: 0, refused: 0, probed: 0 };
    const filtered = new Set(kind.table.filters.map(({ property }) => property));
    expect(kind.filters.flatMap(Object.keys).filter((property) => !filtered.has(property))).toEqual([]);
    await fc.assert(
      fc.asyncProperty(askedOf(kind), async (asked) => {
        const list = listOf(filterClass, asked);
        const expected = await expectedRows(kind, list, asked);
        if (await isRead(asked, () => pageThrough(list, asked, expected))) {
          runs.walked++;
          if (expected.length > asked.size) runs.ofPages++;
        } else runs.refused++;
        if (asked.isProvided) await isRead(asked, () => expectNone(list, asked));
        await expectCount(list, asked, expected);
        for (const side of SIDES) {
          const probed = listOf(filterClass, asked);
          if (await isRead(asked, () => expectBeside(probed, asked, side, expected))) runs.probed++;
        }
      }),
      { numRuns: RUNS, examples: [[refusedOf(kind)]], endOnFailure: true },
    );
    expect(runs.walked).toBeGreaterThan(RUNS / 2);
    expect(runs.ofPages).toBeGreaterThan(RUNS / 4);
    expect(runs.probed).toBeGreaterThan(RUNS);
    expect(runs.refused).toBeGreaterThan(0);
  },
);
