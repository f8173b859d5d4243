// What saved filters select: each clause of each attribute of each class, compared with an evaluation in JavaScript that knows nothing of the
// SQL, over generated contacts, orders and products. The lists over both faces and the counts agree.
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { orderLineItem } from '../../src/resources/orders/orders.ts';
import { type AttributeKind, REFINE_ATTRIBUTES } from '../../src/resources/refine-attributes.ts';
import { CONTACT_VISITS } from '../../src/resources/visits.ts';
import { updateTaggedProducts } from '../../src/store/changing/tagged-products.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { times } from '../support/nightly.ts';
import { jsonOf } from '../support/nouns.ts';
import { offer } from '../support/orders/shop.ts';
import { prismaOf } from '../support/prisma.ts';
import { createRestClient } from '../support/rest-client.ts';

const DAY = 86_400_000;
/** The day after the clocks of Europe and before those of America changed; a little before midnight in UTC. */
const NOW = new Date('2026-10-27T23:30:00.000Z');
const gateway = await ownGateway({ overrides: { clock: () => NOW } });
const client = await createRestClient(gateway);
const { workspaceId, caller, teamId } = client;
const { pool } = gateway.app.store;
const prisma = prismaOf(gateway.app.store);
const { app } = gateway;

/** What an object has of each attribute; of ids, those as numbers. Absent: nothing is known of it. */
type Values = Readonly<Record<string, string | boolean | Date | readonly number[] | null>>;

interface Selected {
  readonly id: number;
  readonly values: Values;
}

/** The objects of a workspace that a class of filters selects, in order. */
interface List {
  readonly plural: 'contacts' | 'orders' | 'products';
  readonly objects: readonly Selected[];
  /** By attribute, the values that criteria name. */
  readonly named: Readonly<Record<string, readonly (string | number)[]>>;
}

const TAGS = [await client.tag('one'), await client.tag('two'), await client.tag('three')] as const;
/** Cases, accents, what LIKE and arrays treat specially, signs outside the first plane, and where one name begins another. */
const NAMES = [
  ...['Ann', 'ann', 'ANNA', 'Anna Maria', 'Zoë', 'ZOË', 'zoe', '100%', '100', 'a_b', 'aXb', '{a,b}', 'null'],
  ...["O'Neil", 'back\\slash', '名前', '名', '👩‍🚀 pilot', '👩', 'Straße', 'ß', ' lead'],
];
const EMAILS = ['ann', 'ANN.smith', 'anna+1', 'a_b', 'aXb', 'zoë', '100%', '名前'];
/** Around the borders of days in UTC and elsewhere, and where clocks change. */
const TIMES = [
  ...[
    '2026-03-28T23:59:59.999Z',
    '2026-03-29T00:00:00.000Z',
    '2026-03-29T01:00:00.000Z',
    '2026-03-29T23:30:00.000Z',
  ],
  ...[
    '2026-03-30T00:00:00.000Z',
    '2026-10-25T00:30:00.000Z',
    '2026-10-25T01:30:00.000Z',
    '2026-10-26T00:00:00.000Z',
  ],
  ...[
    '2026-09-27T23:29:59.999Z',
    '2026-09-27T23:30:00.000Z',
    '2026-09-27T23:30:00.001Z',
    '2026-09-28T12:00:00.000Z',
  ],
  ...[
    '2026-10-27T00:00:00.000Z',
    '2026-10-27T23:29:00.000Z',
    '1999-12-31T23:59:59.000Z',
    '2026-11-26T23:30:00.000Z',
  ],
].map((time) => new Date(time));

/**
 * So many others stand before them that a walk through a list does not come to them: what they have in common is found by its index, or by
 * a longer walk.
 */
const OTHERS = 1_050;
const LONG_AGO = new Date('2020-01-01T00:00:00Z');

/** Inserts the others. @param columns besides the workspace and the times @param row their values, of the number `n` */
async function others(table: string, columns: string, row: string, valuesOf: (n: number) => Values) {
  const { rows } = await pool.query<{ id: string }>(
    `insert into ${table} (workspace_id, ${columns}, created_at, updated_at)
      select ${workspaceId}, ${row}, '2020-01-01', '2020-01-01' from generate_series(1, ${OTHERS}) n returning id`,
  );
  return rows.map(({ id }, index) => ({ id: Number(id), values: valuesOf(index + 1) }));
}

const timeOf = (index: number) => TIMES[index % TIMES.length] ?? NOW;
const nameOf = (index: number) => NAMES[index % NAMES.length] ?? '';
/** Every set of three. */
const someOf = <One>(all: readonly One[], index: number) => all.filter((_, bit) => (index % 8) & (1 << bit));
const each = <Row>(make: (index: number) => Promise<Row>) => Promise.all([...Array(96).keys()].map(make));

const VISIT = jsonOf(CONTACT_VISITS.firstVisit.object);
const contacts: Selected[] = await others(
  'contacts',
  'email_address',
  `'other' || n || '@example.com'`,
  (n) => ({
    ...{ email_address: `other${n}@example.com`, first_name: null, last_name: null, anonymous: false },
    ...{ created_at: LONG_AGO, unsubscribed_at: null, email_suppression: null, 'tags.id': [] },
    last_activity: null,
  }),
);
contacts.push(
  ...(await each(async (index) => {
    const address = `${EMAILS[index % EMAILS.length]}${index < EMAILS.length ? '' : index}@Example.com`;
    const made = {
      emailAddress: index % 5 === 4 ? null : address,
      firstName: index % 7 === 6 ? null : nameOf(index),
      anonymous: index % 5 === 4,
      createdAt: timeOf(index),
      unsubscribedAt: index % 3 === 0 ? timeOf(index * 5) : null,
      emailSuppressionReason:
        index % 4 === 0 ? (['hard_bounce', 'complaint', 'Hard_Bounce'][index % 3] ?? null) : null,
    };
    const tags = someOf(TAGS, index);
    const lastName = made.firstName;
    const { id } = await factories.contact(app, { workspaceId, ...made, lastName });
    await prisma.contactTag.createMany({
      data: tags.map((tag) => ({ workspaceId, contactId: id, tagId: BigInt(tag) })),
    });
    const { emailAddress, firstName, anonymous, createdAt, unsubscribedAt, emailSuppressionReason } = made;
    const lastAt = index % 3 === 1 ? timeOf(index * 7) : null;
    if (lastAt !== null)
      await prisma.contactVisits.create({
        data: { workspaceId, contactId: id, firstAt: LONG_AGO, firstVisit: VISIT, lastAt, lastVisit: VISIT },
      });
    return {
      id: Number(id),
      values: {
        ...{ email_address: emailAddress, first_name: firstName, last_name: firstName, anonymous },
        ...{
          created_at: createdAt,
          unsubscribed_at: unsubscribedAt,
          email_suppression: emailSuppressionReason,
        },
        last_activity: lastAt,
        'tags.id': tags,
      },
    };
  })),
);
const buyers = contacts.slice(0, 3).map(({ id }) => id);

const goods = [await offer(app, workspaceId), await offer(app, workspaceId), await offer(app, workspaceId)];
const productTags = await Promise.all(
  ['one', 'two', 'three'].map((name) => prisma.productTag.create({ data: { workspaceId, name } })),
);
// What has a tag that was deleted since still names it.
const deleted = await prisma.productTag.create({ data: { workspaceId, name: 'deleted' } });
const productValues = (name: string, created_at = LONG_AGO): Values => ({
  ...{ name, created_at, archived: false, visible_in_store: false, 'tags.id': [] },
});
const products: Selected[] = [
  ...goods.map(({ productId }) => ({ id: Number(productId), values: productValues('Mug', NOW) })),
  ...(await others('products', 'name', `'Other ' || n`, (n) => productValues(`Other ${n}`))),
  ...(await each(async (index) => {
    const [name, createdAt, visibleInStore] = [nameOf(index), timeOf(index), index % 6 === 0];
    const archived = index % 5 === 0;
    const tags = someOf(productTags, index).map(({ id }) => id);
    const { id } = await prisma.product.create({
      data: {
        ...{ workspaceId, name, createdAt, visibleInStore, archivedAt: archived ? NOW : null },
        tagIds: [...tags, ...(index % 2 === 0 ? [deleted.id] : [])],
      },
    });
    return {
      id: Number(id),
      values: {
        ...{ name, created_at: createdAt, archived, visible_in_store: visibleInStore },
        'tags.id': tags.map(Number),
      },
    };
  })),
];
const { hasTriggers } = await app.store.placement.rules();
if (!hasTriggers) for (const { id } of products) await updateTaggedProducts(prisma, workspaceId, BigInt(id));
await prisma.product.updateMany({
  where: { workspaceId, id: { in: goods.map(({ productId }) => productId) } },
  data: { createdAt: NOW },
});
await pool.query(
  `insert into product_variants (workspace_id, product_id, name, is_default)
    select workspace_id, id, name, true from products p where workspace_id = $1
      and not exists (select from product_variants v where v.workspace_id = p.workspace_id and v.product_id = p.id)`,
  [workspaceId],
);
await prisma.productTag.delete({ where: { workspaceId_id: { workspaceId, id: deleted.id } } });

const AMOUNTS = ['0', '0.50', '12', '12.00', '12.000', '19.99', '20', '100.5', '99999999999999.01'];
const orderTags = await Promise.all(
  ['one', 'two', 'three'].map((name) => prisma.orderTag.create({ data: { workspaceId, name } })),
);
const { originalProduct, productsPrice, productsVariant } = orderLineItem.fields;
const COPIES = {
  originalProduct: jsonOf(originalProduct.object),
  productsPrice: jsonOf(productsPrice.object),
  productsVariant: jsonOf(productsVariant.object),
};
const ORDER =
  'contact_id, order_number, order_type, live_mode, currency, total_amount, tax_amount, billing_status, service_status';
const orders: Selected[] = await others(
  'orders',
  ORDER,
  `${buyers[0]}, n, 'one-time-order', true, 'EUR', n, 0, 'paid', 'completed'`,
  (n) => ({
    ...{
      created_at: LONG_AGO,
      billing_status: 'paid',
      service_status: 'completed',
      order_type: 'one-time-order',
    },
    ...{
      currency: 'EUR',
      total_amount: String(n),
      contact_id: [buyers[0] ?? 0],
      'tags.id': [],
      'products.id': [],
    },
  }),
);
orders.push(
  ...(await each(async (index) => {
    const pick = <One>(of: readonly One[], by = 1) => of[Math.floor(index / by) % of.length] as One;
    const made = {
      orderType: pick(['one-time-order', 'subscription-order'], 2),
      currency: pick(['EUR', 'USD', 'JPY']),
      totalAmount: pick(AMOUNTS),
      billingStatus: pick(['pending', 'paid', 'past-due', 'refunded']),
      serviceStatus: pick(['pending', 'active', 'canceled'], 3),
      createdAt: timeOf(index),
    };
    const contactId = pick(buyers, 4);
    const [tags, sold] = [someOf(orderTags, index), someOf(goods, index + 3)];
    const { id } = await prisma.order.create({
      data: {
        ...{ workspaceId, ...made, contactId: BigInt(contactId), orderNumber: OTHERS + 1 + index },
        ...{ liveMode: true, taxAmount: '0' },
      },
    });
    await prisma.orderAppliedTag.createMany({
      data: tags.map((tag) => ({ workspaceId, orderId: id, tagId: tag.id })),
    });
    // The same product in two lines is found once.
    await prisma.orderLineItem.createMany({
      data: [...sold, ...sold].map((one) => ({
        ...{ workspaceId, orderId: id, ...one, quantity: 1, currency: made.currency },
        ...{ amount: '1', firstAmount: '1', setupAmount: '0' },
        ...COPIES,
      })),
    });
    return {
      id: Number(id),
      values: {
        ...{
          created_at: made.createdAt,
          billing_status: made.billingStatus,
          service_status: made.serviceStatus,
        },
        ...{ order_type: made.orderType, currency: made.currency, total_amount: made.totalAmount },
        ...{ contact_id: [contactId], 'tags.id': tags.map((tag) => Number(tag.id)) },
        'products.id': sold.map(({ productId }) => Number(productId)),
      },
    };
  })),
);

// Another workspace of the team has the same: whoever looks there finds it.
const { id: neighbour } = await factories.workspace(app, { teamId });
await factories.contact(app, { workspaceId: neighbour, emailAddress: 'ann@example.com', firstName: 'Ann' });
await prisma.product.create({ data: { workspaceId: neighbour, name: 'Ann', createdAt: NOW } });

// Without statistics PostgreSQL reads a page of orders a hundred times as slowly; in a store that is used autovacuum makes them.
await pool.query('analyze');

const byId = (objects: readonly Selected[]) => objects.toSorted((a, b) => a.id - b.id);
const ids = (rows: readonly { readonly id: bigint }[]) => rows.map(({ id }) => Number(id));
const LISTS: Readonly<Record<string, List>> = {
  ContactsFilter: {
    plural: 'contacts',
    objects: byId(contacts),
    named: {
      email_address: contacts.flatMap(({ values }) => (values['email_address'] as string | null) ?? []),
      email_suppression: ['hard_bounce', 'complaint', 'other'],
      ...{ first_name: NAMES, last_name: NAMES, 'tags.id': TAGS },
    },
  },
  OrdersFilter: {
    plural: 'orders',
    objects: byId(orders),
    named: {
      ...{
        currency: ['EUR', 'USD', 'CHF', 'eur'],
        total_amount: AMOUNTS,
        contact_id: buyers,
        'tags.id': ids(orderTags),
      },
      'products.id': goods.map(({ productId }) => Number(productId)),
    },
  },
  ProductsFilter: {
    plural: 'products',
    objects: byId(products),
    named: { name: [...NAMES, 'mug'], 'tags.id': ids(productTags) },
  },
};

interface Criterion {
  readonly attribute: string;
  readonly clause: string;
  readonly value?: unknown;
}

// The reference.

const startOf = (value: string) => Date.parse(value.length === 10 ? `${value}T00:00:00Z` : value);
const endOf = (value: string) => startOf(value) + (value.length === 10 ? DAY : 1);

function passesDate(time: Date | null, clause: string, value: unknown): boolean {
  const at = time?.getTime() ?? Number.NaN;
  if (clause === 'st') return time !== null;
  const days = value as { days: string; modifier: string };
  if (typeof value === 'object' && !Array.isArray(value)) {
    const moment = NOW.getTime() + (days.modifier === 'ago' ? -1 : 1) * Number(days.days) * DAY;
    // "More than so many days ago" is before that moment; "more than so many days from now" is after it.
    if (clause === 'gt') return days.modifier === 'ago' ? at < moment : at > moment;
    if (clause === 'lt') return days.modifier === 'ago' ? at > moment : at < moment;
    if (clause === 'gte') return at >= moment;
    if (clause === 'lte') return at <= moment;
    return new Date(moment).toISOString().slice(0, 10) === time?.toISOString().slice(0, 10);
  }
  if (clause === 'btwn') {
    const [first = '', last = ''] = value as string[];
    return at >= startOf(first) && at < endOf(last);
  }
  const text = value as string;
  if (clause === 'eq') return at >= startOf(text) && at < endOf(text);
  if (clause === 'gt') return at >= endOf(text);
  if (clause === 'gte') return at >= startOf(text);
  return clause === 'lt' ? at < startOf(text) : at < endOf(text);
}

function passesAmount(amount: string, clause: string, value: unknown): boolean {
  // In thousandths: no amount here has more digits.
  const exact = (of: unknown) => {
    const [whole = '', part = ''] = String(of).split('.');
    return BigInt(whole + part.padEnd(3, '0'));
  };
  const at = exact(amount);
  const [first, last = 0n] = [value].flat().map(exact) as [bigint, bigint?];
  if (clause === 'btwn') return at >= first && at <= last;
  if (clause === 'eq') return at === first;
  return clause === 'gt'
    ? at > first
    : clause === 'gte'
      ? at >= first
      : clause === 'lt'
        ? at < first
        : at <= first;
}

const OPPOSITE: Record<string, string> = { dne: 'eq', nin: 'in', nbtwn: 'btwn', nst: 'st' };

function passes(values: Values, kind: AttributeKind, { attribute, clause, value }: Criterion): boolean {
  const opposite = OPPOSITE[clause];
  if (opposite !== undefined) return !passes(values, kind, { attribute, clause: opposite, value });
  const own = values[attribute] ?? null;
  if (clause === 'st') return own !== null;
  if (kind === 'date') return passesDate(own as Date | null, clause, value);
  // What is true or false of an object is false where nothing is known.
  if (kind === 'flag') return String(value) === String(own ?? false);
  if (own === null) return false;
  if (kind === 'amount') return passesAmount(own as string, clause, value);
  const list = [value].flat().map(String);
  if (kind === 'ids') return (own as readonly number[]).some((id) => list.includes(String(id)));
  if (kind === 'word') return list.includes(own as string);
  const text = (own as string).toLowerCase();
  const wanted = (attribute === 'email_address' ? list[0]?.trim() : list[0])?.toLowerCase() ?? '';
  return clause === 'sw' ? text.startsWith(wanted) : text === wanted;
}

// Generated criteria: every clause of every attribute.

const day = fc.constantFrom(...TIMES).map((time) => time.toISOString().slice(0, 10));
/** The same moment in UTC and with other offsets. */
const moment = fc
  .tuple(fc.constantFrom(...TIMES), fc.constantFrom(0, 330, -420, 60))
  .map(([time, minutes]) => {
    const local = new Date(time.getTime() + minutes * 60_000).toISOString().slice(0, -1);
    const digits = (of: number) => String(Math.trunc(Math.abs(of))).padStart(2, '0');
    return `${local}${minutes < 0 ? '-' : '+'}${digits(minutes / 60)}:${digits(Math.abs(minutes) % 60)}`;
  });
const absolute = fc.oneof(day, moment);
const relative = fc.record({
  days: fc.constantFrom('0', '1', '30', '212', '9999'),
  modifier: fc.constantFrom('ago', 'from_now'),
});
const beginning = (of: readonly string[]) =>
  fc
    .constantFrom(...of)
    .chain((text) => fc.integer({ min: 1, max: 6 }).map((length) => [...text].slice(0, length).join('')));
const several = (one: fc.Arbitrary<unknown>) => fc.array(one, { minLength: 1, maxLength: 3 });
const nothing = fc.constant(undefined);

const ALL = Object.entries(REFINE_ATTRIBUTES).flatMap(([filterClass, attributes]) =>
  Object.entries(attributes).flatMap(([attribute, { kind, clauses, values }]) =>
    clauses.map((clause) => ({ filterClass, attribute, kind, clause, words: values })),
  ),
);
type Compared = (typeof ALL)[number];

function valuesOf({ filterClass, attribute, kind, clause, words }: Compared): fc.Arbitrary<unknown> {
  const plain = OPPOSITE[clause] ?? clause;
  if (plain === 'st') return nothing;
  if (kind === 'date') {
    if (plain === 'btwn')
      return fc.tuple(absolute, absolute).map((pair) => pair.toSorted((a, b) => startOf(a) - startOf(b)));
    if (plain === 'exct') return relative;
    return plain === 'eq' ? absolute : fc.oneof(absolute, relative);
  }
  if (kind === 'flag') return fc.constantFrom(true, false, 'true', 'false');
  const named = words ?? LISTS[filterClass]?.named[attribute] ?? TAGS;
  if (plain === 'sw')
    return beginning(attribute === 'email_address' ? EMAILS : NAMES).filter((text) => text.trim() !== '');
  const one = fc.constantFrom(...named, ...(kind === 'ids' ? named.map(String) : []));
  if (plain === 'btwn')
    return fc.tuple(one, one).map((pair) => pair.toSorted((a, b) => Number(a) - Number(b)));
  return plain === 'in' ? several(one) : one;
}

const criterionOf = (of: Compared): fc.Arbitrary<Criterion> =>
  valuesOf(of).map((value) => ({
    ...{ attribute: of.attribute, clause: of.clause },
    ...(value !== undefined && { value }),
  }));

let made = 0;

async function save(filterClass: string, criteria: readonly Criterion[], conjunction: 'and' | 'or' = 'and') {
  const body = { refine_filter: { name: `F${made++}`, filter_class: filterClass, conjunction, criteria } };
  const { status, body: filter } = await client.send(
    'POST',
    `/api/v2/workspaces/${workspaceId}/refine_filters`,
    body,
  );
  expect([status, filter['detail'], filter['criteria']]).toEqual([201, undefined, criteria]);
  return filter;
}

/** As many as show what is wrong: an order is compared with a long schema. */
const PAGE = { contacts: 100, orders: 20, products: 20 };

/** The filter selects these over REST: the first page from either end, and in the other order, where all fit on a page. */
async function expectSelected(
  { plural }: List,
  filter: { id: number },
  wanted: readonly number[],
): Promise<void> {
  const size = PAGE[plural];
  const ids = async (query: string) => {
    const path = `/api/v2/workspaces/${workspaceId}/${plural}?per_page=${size}&filter[refine_filter_id]=${filter.id}${query}`;
    const { status, body } = await client.send('GET', path);
    expect([status, body['detail']]).toEqual([200, undefined]);
    return (body as unknown as { id: number }[]).map(({ id }) => id);
  };
  expect(await ids('')).toEqual(wanted.slice(0, size));
  expect(await ids('&sort_order=desc')).toEqual(wanted.toReversed().slice(0, size));
  const byTime = await ids('&sort_property=updated_at');
  if (wanted.length <= size) expect(byTime.toSorted((a, b) => a - b)).toEqual(wanted);
  else expect(byTime).toHaveLength(size);
}

describe.each(Object.entries(LISTS))('%s', (filterClass, list) => {
  const { plural, objects } = list;
  const compared = ALL.filter((one) => one.filterClass === filterClass);

  function wanted(criteria: readonly Criterion[], conjunction: 'and' | 'or' = 'and') {
    const kindOf = (name: string) => REFINE_ATTRIBUTES[filterClass]?.[name]?.kind ?? 'text';
    return objects
      .filter(({ values }) =>
        criteria[conjunction === 'and' ? 'every' : 'some']((criterion) =>
          passes(values, kindOf(criterion.attribute), criterion),
        ),
      )
      .map(({ id }) => id);
  }

  test.each(compared.map((one) => [`${one.attribute} ${one.clause}`, one] as const))('%s', async (_, one) => {
    await fc.assert(
      fc.asyncProperty(criterionOf(one), async (criterion) => {
        await expectSelected(list, await save(filterClass, [criterion]), wanted([criterion]));
      }),
      { numRuns: times(plural === 'contacts' ? 6 : 4), endOnFailure: true },
    );
  });

  test('several criteria, all or one of them', async () => {
    const some = fc.array(fc.constantFrom(...compared).chain(criterionOf), { minLength: 2, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        some,
        fc.constantFrom('and' as const, 'or' as const),
        async (criteria, conjunction) => {
          await expectSelected(
            list,
            await save(filterClass, criteria, conjunction),
            wanted(criteria, conjunction),
          );
        },
      ),
      { numRuns: times(plural === 'contacts' ? 90 : 40), endOnFailure: true },
    );
  });

  test('GraphQL lists, counts and pages the same', async () => {
    const some = fc.array(fc.constantFrom(...compared).chain(criterionOf), { minLength: 1, maxLength: 3 });
    const query = `query ($id: BigInt!, $filter: ID!, $first: Int, $last: Int, $after: String, $before: String) {
    savedFilter(by: { publicId: "PUBLIC" }) { list: ${plural}(first: 100) { totalCount totalCountIsExact nodes { databaseId } } }
    workspace(by: { databaseId: $id }) {
      list: ${plural}(savedFilterId: $filter, first: $first, last: $last, after: $after, before: $before) {
        totalCount nodes { databaseId } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  }`;
    await fc.assert(
      fc.asyncProperty(some, async (criteria) => {
        const filter = await save(filterClass, criteria);
        const expected = wanted(criteria);
        const page = async (variables: object) => {
          const text = query.replace('PUBLIC', String(filter['public_id']));
          const answer = await post<Answer>(
            gateway,
            {
              query: text,
              variables: { id: String(workspaceId), filter: btoa(`SavedFilter:${filter.id}`), ...variables },
            },
            { caller },
          );
          expect(answer.errors).toBeUndefined();
          return answer.data as Answer;
        };
        const first = await page({ first: 5 });
        const all = {
          totalCount: expected.length,
          totalCountIsExact: true,
          nodes: expected.map((databaseId) => ({ databaseId })),
        };
        expect(first.savedFilter.list).toEqual({ ...all, nodes: all.nodes.slice(0, 100) });
        const { list: found } = first.workspace;
        expect(found.totalCount).toBe(expected.length);
        expect(found.nodes).toEqual(all.nodes.slice(0, 5));
        expect(found.pageInfo).toMatchObject({ hasNextPage: expected.length > 5, hasPreviousPage: false });
        if (expected.length <= 5) return;
        const next = (await page({ first: 5, after: found.pageInfo.endCursor })).workspace.list;
        expect(next.nodes).toEqual(all.nodes.slice(5, 10));
        expect(next.pageInfo).toMatchObject({ hasNextPage: expected.length > 10, hasPreviousPage: true });
        const back = (await page({ last: 3, before: next.pageInfo.startCursor })).workspace.list;
        expect(back.nodes).toEqual(all.nodes.slice(2, 5));
      }),
      { numRuns: times(plural === 'contacts' ? 45 : 20), endOnFailure: true },
    );
  });
});

test('a filter selects only objects of its own class', async () => {
  const { id } = await save('OrdersFilter', [
    { attribute: 'order_type', clause: 'eq', value: 'one-time-order' },
  ]);
  for (const plural of ['contacts', 'products'])
    expect(
      await client.refused(422, 'GET', `/api/v2/workspaces/${workspaceId}/${plural}?stored_filter_id=${id}`),
    ).toEqual(['stored_filter_id']);
  const query = `{ savedFilter(by: { databaseId: ${id} }) { contacts { totalCount } products { totalCount } } }`;
  const { data } = await post(gateway, { query }, { caller });
  expect(data).toEqual({ savedFilter: { contacts: null, products: null } });
});

test('a list follows the current filter, whichever process changed it', async () => {
  const emails = ['known-one@example.com', 'known-two@example.com'];
  for (const emailAddress of emails) await factories.contact(app, { workspaceId, emailAddress });
  const criteria = (value: string) => [{ attribute: 'email_address', clause: 'eq', value }];
  const [first, second] = emails.map(criteria);
  const { id } = await save('ContactsFilter', first ?? []);
  const path = `/api/v2/workspaces/${workspaceId}/contacts?filter[refine_filter_id]=${id}`;
  const query = `{ savedFilter(by: { databaseId: ${id} }) { contacts { totalCount nodes { emailAddress } } } }`;
  const change = (data: object) =>
    prisma.refineFilter.update({
      where: { workspaceId_id: { workspaceId, id: BigInt(String(id)) } },
      data: { ...data, updatedAt: new Date() },
    });
  const expectOnly = async (email: string | undefined) => {
    for (let time = 0; time < 2; time++) {
      const { status, body } = await client.send('GET', path);
      const rows = body as unknown as { email_address: string }[];
      expect([status, rows.map((row) => row.email_address)]).toEqual([200, [email]]);
      const { data } = await post(gateway, { query }, { caller });
      expect(data).toEqual({
        savedFilter: { contacts: { totalCount: 1, nodes: [{ emailAddress: email }] } },
      });
    }
  };
  const blamed = () => client.refused(422, 'GET', path);
  await expectOnly(emails[0]);
  // Past this process, as another one would.
  await change({ criteria: second });
  await expectOnly(emails[1]);
  await change({ criteria: [{ attribute: 'first_name', clause: 'near', value: 'x' }] });
  expect(await blamed()).toEqual(['filter[refine_filter_id]']);
  expect(await blamed()).toEqual(['filter[refine_filter_id]']);
  await change({ criteria: first });
  await expectOnly(emails[0]);
  await change({ filterClass: 'OrdersFilter' });
  expect(await blamed()).toEqual(['filter[refine_filter_id]']);
  await change({ filterClass: 'ContactsFilter' });
  await expectOnly(emails[0]);
  await prisma.refineFilter.delete({ where: { workspaceId_id: { workspaceId, id: BigInt(String(id)) } } });
  expect(await blamed()).toEqual(['filter[refine_filter_id]']);
});

test('a page by a cached filter reads the filter in the same statement', async () => {
  const { id } = await save('ContactsFilter', [
    { attribute: 'tags.id', clause: 'in', value: [String(TAGS[0])] },
  ]);
  const { id: orders } = await save('OrdersFilter', [{ attribute: 'currency', clause: 'eq', value: 'EUR' }]);
  const query = `{ workspace(by: { databaseId: ${workspaceId} }) { contacts(savedFilterId: "${btoa(`SavedFilter:${id}`)}") { nodes { id } } } }`;
  const ask: [string, () => Promise<unknown>][] = [
    [
      'contacts',
      () => client.send('GET', `/api/v2/workspaces/${workspaceId}/contacts?stored_filter_id=${id}`),
    ],
    [
      'contacts',
      () =>
        client.send(
          'GET',
          `/api/v2/workspaces/${workspaceId}/contacts?stored_filter_id=${id}&sort_property=updated_at`,
        ),
    ],
    [
      'orders',
      () => client.send('GET', `/api/v2/workspaces/${workspaceId}/orders?stored_filter_id=${orders}`),
    ],
    ['contacts', () => post(gateway, { query }, { caller })],
  ];
  const { readers, scans } = app.store;
  for (const [table, send] of ask) {
    await send();
    const reads = [vi.spyOn(readers, 'read'), vi.spyOn(scans, 'read')];
    await send();
    const names = reads.flatMap((read) => read.mock.calls.map(([{ name }]) => name));
    for (const read of reads) read.mockRestore();
    expect(names).toEqual([expect.stringMatching(new RegExp(`^${table}\\.`))]);
  }
});

test('text is compared without letter case, also if the list’s own filter does not', async () => {
  for (const name of ['Kilim', 'KILIM', 'kilim'])
    expect((await client.send('POST', `/api/v2/workspaces/${workspaceId}/products`, { name })).status).toBe(
      201,
    );
  const { id } = await save('ProductsFilter', [{ attribute: 'name', clause: 'eq', value: 'kiLim' }]);
  const path = `/api/v2/workspaces/${workspaceId}/products`;
  const namesBy = async (query: string) => {
    const { status, body } = await client.send('GET', `${path}?${query}`);
    expect(status).toBe(200);
    return (body as unknown as { name: string }[]).map(({ name }) => name).toSorted();
  };
  for (const order of ['sort_order=desc', 'sort_property=updated_at'])
    expect(await namesBy(`stored_filter_id=${id}&${order}`)).toEqual(['KILIM', 'Kilim', 'kilim']);
  const query = `{ savedFilter(by: { databaseId: ${id} }) { products { totalCount nodes { name } } } }`;
  const { data } = await post(gateway, { query }, { caller });
  expect(data).toMatchObject({ savedFilter: { products: { totalCount: 3 } } });
  expect(await namesBy('filter[name]=kilim')).toEqual(['kilim']);
});

test.each([
  ['sw', ['contacts.refined.w', 'refine_filters.id']],
  // A filter of the list itself: of an empty one the workspace is read too.
  ['eq', ['contacts.under_id.asc', 'refine_filters.id', 'workspaces.workspace']],
])('an empty list by a known filter with %s is read once, then the filter', async (clause, expected) => {
  const { id } = await save('ContactsFilter', [{ attribute: 'last_name', clause, value: 'Nobody’s' }]);
  const path = `/api/v2/workspaces/${workspaceId}/contacts?stored_filter_id=${id}`;
  expect((await client.send('GET', path)).body).toEqual([]);
  const { readers, scans } = app.store;
  const reads = [vi.spyOn(readers, 'read'), vi.spyOn(scans, 'read')];
  expect((await client.send('GET', path)).body).toEqual([]);
  const names = reads.flatMap((read) => read.mock.calls.map(([{ name }]) => name));
  for (const read of reads) read.mockRestore();
  expect(names.map((name) => name?.split('.').slice(0, 3).join('.')).toSorted()).toEqual(expected);
});

interface Found {
  readonly totalCount: number;
  readonly nodes: readonly { readonly databaseId: number }[];
  readonly pageInfo: { readonly startCursor: string; readonly endCursor: string };
}

interface Answer {
  readonly savedFilter: { readonly list: Found };
  readonly workspace: { readonly list: Found };
}
