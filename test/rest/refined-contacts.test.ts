// What saved filters select: each clause of each attribute, compared with an evaluation in JavaScript that knows nothing of the SQL, over
// generated contacts. The lists over both faces, the counts and the branches of splits agree.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { REFINE_ATTRIBUTES } from '../../src/resources/refine-attributes.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { times } from '../support/nightly.ts';
import { createRestClient } from '../support/rest-client.ts';

const DAY = 86_400_000;
/** The day after the clocks of Europe and before those of America changed; a little before midnight in UTC. */
const NOW = new Date('2026-10-27T23:30:00.000Z');
const gateway = await ownGateway({ overrides: { clock: () => NOW } });
const client = await createRestClient(gateway);
const { workspaceId, caller, teamId } = client;
const { app } = gateway;

interface Contact {
  readonly id: number;
  readonly email: string | null;
  readonly first: string | null;
  readonly anonymous: boolean;
  readonly createdAt: Date;
  readonly unsubscribedAt: Date | null;
  readonly suppression: string | null;
  readonly tags: readonly number[];
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
 * So many others stand before them that a walk through the list does not come to them: what they have in common is found by its index, or by
 * a longer walk.
 */
const OTHERS = 1_050;
const others = await app.store.pool.query<{ id: string }>(
  `insert into contacts (workspace_id, email_address, created_at, updated_at)
    select $1, 'other' || n || '@example.com', '2020-01-01', '2020-01-01' from generate_series(1, ${OTHERS}) n returning id`,
  [workspaceId],
);

/** Every value of each attribute, so that each clause has something to tell apart. */
const contacts: Contact[] = others.rows.map(({ id }, index) => ({
  id: Number(id),
  email: `other${index + 1}@example.com`,
  first: null,
  anonymous: false,
  createdAt: new Date('2020-01-01T00:00:00Z'),
  unsubscribedAt: null,
  suppression: null,
  tags: [],
}));
for (let index = 0; index < 96; index++) {
  const name = EMAILS[index % EMAILS.length];
  const made = {
    email: index % 5 === 4 ? null : `${name}${index < EMAILS.length ? '' : index}@Example.com`,
    first: index % 7 === 6 ? null : (NAMES[index % NAMES.length] ?? null),
    anonymous: index % 5 === 4,
    createdAt: TIMES[index % TIMES.length] ?? NOW,
    unsubscribedAt: index % 3 === 0 ? (TIMES[(index * 5) % TIMES.length] ?? null) : null,
    suppression: index % 4 === 0 ? (['hard_bounce', 'complaint', 'Hard_Bounce'][index % 3] ?? null) : null,
    tags: TAGS.filter((_, bit) => (index % 8) & (1 << bit)),
  };
  const row = await factories.contact(app, {
    workspaceId,
    emailAddress: made.email,
    firstName: made.first,
    lastName: made.first,
    anonymous: made.anonymous,
    createdAt: made.createdAt,
    unsubscribedAt: made.unsubscribedAt,
    emailSuppressionReason: made.suppression,
  });
  contacts.push({ id: Number(row.id), ...made });
  await app.store.prisma.contactTag.createMany({
    data: made.tags.map((tag) => ({ workspaceId, contactId: row.id, tagId: BigInt(tag) })),
  });
}
// Another workspace of the team has the same: whoever looks there finds it.
const { id: neighbour } = await factories.workspace(app, { teamId });
await factories.contact(app, { workspaceId: neighbour, emailAddress: 'ann@example.com', firstName: 'Ann' });

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

const OPPOSITE: Record<string, string> = { dne: 'eq', nin: 'in', nbtwn: 'btwn', nst: 'st' };

function passes(contact: Contact, { attribute, clause, value }: Criterion): boolean {
  const opposite = OPPOSITE[clause];
  if (opposite !== undefined) return !passes(contact, { attribute, clause: opposite, value });
  const list = [value].flat().map((one) => (typeof one === 'object' ? '' : String(one)));
  const { email, first, anonymous, createdAt, unsubscribedAt, suppression, tags } = contact;
  const text = (of: string | null, wanted: string) =>
    of !== null && (clause === 'sw' ? of.toLowerCase().startsWith(wanted) : of.toLowerCase() === wanted);
  switch (attribute) {
    case 'email_address':
      return text(email, list[0]?.trim().toLowerCase() ?? '');
    case 'first_name':
    case 'last_name':
      return text(first, list[0]?.toLowerCase() ?? '');
    case 'anonymous':
      return list[0] === String(anonymous);
    case 'created_at':
      return passesDate(createdAt, clause, value);
    case 'unsubscribed_at':
      return passesDate(unsubscribedAt, clause, value);
    case 'last_activity':
      return false;
    case 'tags.id':
      return tags.some((tag) => list.includes(String(tag)));
    case 'email_suppression':
      return clause === 'st' ? suppression !== null : suppression !== null && list.includes(suppression);
    // Nobody has an affiliate, and nobody has received anything.
    case 'has_affiliate_attribution':
    case 'has_active_affiliate_attribution':
      return list[0] === 'false';
    default:
      return false;
  }
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
const words = (of: readonly string[]) => fc.constantFrom(...of);
const several = (one: fc.Arbitrary<unknown>) => fc.array(one, { minLength: 1, maxLength: 3 });
const nothing = fc.constant(undefined);

function valuesOf(attribute: string, kind: string, clause: string): fc.Arbitrary<unknown> {
  const plain = OPPOSITE[clause] ?? clause;
  if (plain === 'st') return nothing;
  if (kind === 'date') {
    if (plain === 'btwn')
      return fc.tuple(absolute, absolute).map((pair) => pair.toSorted((a, b) => startOf(a) - startOf(b)));
    if (plain === 'exct') return relative;
    return plain === 'eq' ? absolute : fc.oneof(absolute, relative);
  }
  if (kind === 'flag') return fc.constantFrom(true, false, 'true', 'false');
  const one =
    attribute === 'email_address'
      ? clause === 'sw'
        ? beginning(EMAILS)
        : words(contacts.flatMap(({ email }) => email ?? []))
      : kind === 'text'
        ? clause === 'sw'
          ? beginning(NAMES).filter((text) => text.trim() !== '')
          : words(NAMES)
        : kind === 'word'
          ? words(['hard_bounce', 'complaint', 'other'])
          : fc.constantFrom(...TAGS, ...TAGS.map(String));
  return plain === 'in' ? several(one) : one;
}

const ALL = Object.entries(REFINE_ATTRIBUTES['ContactsFilter'] ?? {}).flatMap(
  ([attribute, { kind, clauses }]) => clauses.map((clause) => ({ attribute, kind, clause })),
);
const criterionOf = ({ attribute, kind, clause }: (typeof ALL)[number]): fc.Arbitrary<Criterion> =>
  valuesOf(attribute, kind, clause).map((value) => ({
    attribute,
    clause,
    ...(value !== undefined && { value }),
  }));

let made = 0;
const saved: string[] = [];

async function save(criteria: readonly Criterion[], conjunction: 'and' | 'or' = 'and') {
  const body = { refine_filter: { name: `F${made++}`, conjunction, criteria } };
  const { status, body: filter } = await client.send(
    'POST',
    `/api/v2/workspaces/${workspaceId}/refine_filters`,
    body,
  );
  expect([status, filter['detail'], filter['criteria']]).toEqual([201, undefined, criteria]);
  saved.push(String(filter['public_id']));
  return filter;
}

const PAGE = 100;

/** The filter selects these over REST: the first page from either end, and in the other order, where all fit on a page. */
async function expectSelected(filter: { id: number }, wanted: readonly number[]): Promise<void> {
  const ids = async (query: string) => {
    const path = `${client.contacts}?per_page=${PAGE}&filter[refine_filter_id]=${filter.id}${query}`;
    const { status, body } = await client.send('GET', path);
    expect([status, body['detail']]).toEqual([200, undefined]);
    return (body as unknown as { id: number }[]).map(({ id }) => id);
  };
  expect(await ids('')).toEqual(wanted.slice(0, PAGE));
  expect(await ids('&sort_order=desc')).toEqual(wanted.toReversed().slice(0, PAGE));
  const byTime = await ids('&sort_property=updated_at');
  if (wanted.length <= PAGE) expect(byTime.toSorted((a, b) => a - b)).toEqual(wanted);
  else expect(byTime).toHaveLength(PAGE);
}

const wanted = (criteria: readonly Criterion[], conjunction: 'and' | 'or' = 'and') =>
  contacts
    .filter((contact) =>
      conjunction === 'and'
        ? criteria.every((criterion) => passes(contact, criterion))
        : criteria.some((criterion) => passes(contact, criterion)),
    )
    .map(({ id }) => id);

test.each(ALL.map((one) => [`${one.attribute} ${one.clause}`, one] as const))('%s', async (_, one) => {
  await fc.assert(
    fc.asyncProperty(criterionOf(one), async (criterion) => {
      await expectSelected(await save([criterion]), wanted([criterion]));
    }),
    { numRuns: times(6) },
  );
});

test('several criteria, all or one of them', async () => {
  const some = fc.array(fc.constantFrom(...ALL).chain(criterionOf), { minLength: 2, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(some, fc.constantFrom('and' as const, 'or' as const), async (criteria, conjunction) => {
      await expectSelected(await save(criteria, conjunction), wanted(criteria, conjunction));
    }),
    { numRuns: times(90) },
  );
});

interface Found {
  readonly totalCount: number;
  readonly nodes: readonly { readonly databaseId: number }[];
  readonly pageInfo: { readonly startCursor: string; readonly endCursor: string };
}

interface Answer {
  readonly refineFilter: { readonly contacts: Found };
  readonly workspace: { readonly contacts: Found };
}

test('GraphQL lists, counts and pages the same', async () => {
  const some = fc.array(fc.constantFrom(...ALL).chain(criterionOf), { minLength: 1, maxLength: 3 });
  const query = `query ($id: BigInt!, $filter: ID!, $first: Int, $last: Int, $after: String, $before: String) {
    refineFilter(publicId: "PUBLIC") { contacts(first: 100) { totalCount totalCountIsExact nodes { databaseId } } }
    workspace(databaseId: $id) {
      contacts(refineFilterId: $filter, first: $first, last: $last, after: $after, before: $before) {
        totalCount nodes { databaseId } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  }`;
  await fc.assert(
    fc.asyncProperty(some, async (criteria) => {
      const filter = await save(criteria);
      const expected = wanted(criteria);
      const page = async (variables: object) => {
        const text = query.replace('PUBLIC', String(filter['public_id']));
        const answer = await post<Answer>(
          gateway,
          { query: text, variables: { id: String(workspaceId), filter: String(filter.id), ...variables } },
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
      expect(first.refineFilter.contacts).toEqual({ ...all, nodes: all.nodes.slice(0, 100) });
      const { contacts: found } = first.workspace;
      expect(found.totalCount).toBe(expected.length);
      expect(found.nodes).toEqual(all.nodes.slice(0, 5));
      expect(found.pageInfo).toMatchObject({ hasNextPage: expected.length > 5, hasPreviousPage: false });
      if (expected.length <= 5) return;
      const next = (await page({ first: 5, after: found.pageInfo.endCursor })).workspace.contacts;
      expect(next.nodes).toEqual(all.nodes.slice(5, 10));
      expect(next.pageInfo).toMatchObject({ hasNextPage: expected.length > 10, hasPreviousPage: true });
      const back = (await page({ last: 3, before: next.pageInfo.startCursor })).workspace.contacts;
      expect(back.nodes).toEqual(all.nodes.slice(2, 5));
    }),
    { numRuns: times(45) },
  );
});
