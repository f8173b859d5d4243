// Filters and orders of connections, on contacts: pages, page info, counts and cursors follow them.
import { describe, expect, test } from 'vitest';
import { encodeCursor } from '../../src/cursors.ts';
import { graphql } from '../generated/gql.ts';
import type { FilteredContactsQueryVariables } from '../generated/graphql.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { ask, dataOf, post } from '../support/graphql.ts';
import { statementsOf } from '../support/graphql-statements.ts';
import { prismaOf } from '../support/prisma.ts';

const FILTERED_CONTACTS = graphql(`
  query FilteredContacts(
    $id: BigInt!
    $first: Int
    $last: Int
    $after: String
    $before: String
    $filter: ContactFilter
    $orderBy: ContactListOrder
  ) {
    workspace(by: { databaseId: $id }) {
      contacts(
        first: $first
        last: $last
        after: $after
        before: $before
        filter: $filter
        orderBy: $orderBy
      ) {
        edges {
          cursor
          node {
            databaseId
          }
        }
        totalCount
        pageInfo {
          startCursor
          endCursor
          hasNextPage
          hasPreviousPage
        }
      }
    }
  }
`);

const ROWS = 12;

const gateway = await sharedGateway();
const { app } = gateway;
const workspace = await factories.workspace(app);
const workspaceId = workspace.id;
const neighbourId = (await factories.workspace(app, { teamId: workspace.teamId })).id;
const caller = await factories.apiKey(app, { teamId: workspace.teamId });
const tagId = (await factories.tag(app, workspaceId, 'T')).id;
/** Ascending, with the time of the last change: three share each. Every second one has the tag, every third is not active. */
const rows: { id: bigint; at: Date; tagged: boolean; active: boolean }[] = [];
for (let index = 0; index < ROWS; index++) {
  const row = {
    at: new Date(Date.UTC(2026, 0, 1 + ((index * 5) % 4))),
    tagged: index % 2 === 0,
    active: index % 3 !== 0,
  };
  const { id } = await factories.contact(app, {
    workspaceId,
    updatedAt: row.at,
    unsubscribedAt: row.active ? null : new Date(),
  });
  if (row.tagged)
    await prismaOf(app.store).contactTag.create({ data: { workspaceId, contactId: id, tagId } });
  rows.push({ id, ...row });
  // Another team's rows between ours reveal a list that leaks or reads them.
  await factories.contact(app, { workspaceId: neighbourId, updatedAt: row.at });
}

type Args = Partial<FilteredContactsQueryVariables>;

async function pageOf(args: Args) {
  const data = await dataOf(gateway, FILTERED_CONTACTS, { id: Number(workspaceId), ...args }, { caller });
  const contacts = data.workspace?.contacts;
  if (contacts == null) throw new Error('no contacts');
  return contacts;
}

type Page = Awaited<ReturnType<typeof pageOf>>;
type Row = (typeof rows)[number];

const globalId = (type: string, id: bigint) => btoa(`${type}:${id}`);
const byTime = (one: Row, two: Row) => one.at.getTime() - two.at.getTime() || Number(one.id - two.id);

const FILTERS: [string, () => Args, (row: Row) => boolean][] = [
  ['no filter', () => ({}), () => true],
  ['a filter of nulls', () => ({ filter: { ids: null, isActive: null } }), () => true],
  ['a tag', () => ({ filter: { tagIds: [globalId('ContactTag', tagId)] } }), ({ tagged }) => tagged],
  ['activity', () => ({ filter: { isActive: false } }), ({ active }) => !active],
  [
    'a tag and activity',
    () => ({
      filter: { isActive: true, tagIds: [globalId('ContactTag', tagId), globalId('ContactTag', tagId)] },
    }),
    ({ tagged, active }) => tagged && active,
  ],
  [
    'ids',
    () => ({ filter: { ids: rows.slice(2, 9).map(({ id }) => globalId('Contact', id)) } }),
    ({ id }) => rows.slice(2, 9).some((row) => row.id === id),
  ],
  [
    'addresses',
    () => ({ filter: { emailAddresses: rows.slice(0, 5).map(({ id }) => ` PERSON-${id}@example.com`) } }),
    ({ id }) => rows.slice(0, 5).some((row) => row.id === id),
  ],
  ['no id at all', () => ({ filter: { ids: [] } }), () => false],
];

describe.each(FILTERS)('%s', (_, argsOf, matches) => {
  test.each([
    ['ID', 'ASC'],
    ['ID', 'DESC'],
    ['UPDATED_AT', 'ASC'],
    ['UPDATED_AT', 'DESC'],
  ] as const)(
    'by %s %s: every page has the objects, cursors, page info and count that follow from the whole list',
    async (field, direction) => {
      const cursor = ({ id, at }: Row) =>
        field === 'ID' ? encodeCursor('contacts', id) : encodeCursor('contacts', id, 'updatedAt', at);
      const sorted = field === 'ID' ? rows : rows.toSorted(byTime);
      const ordered = direction === 'ASC' ? sorted : sorted.toReversed();
      // Positions of rows that the filter excludes are positions too.
      for (const [from, to] of [
        [-1, ROWS],
        [3, ROWS],
        [-1, 8],
        [2, 9],
      ] as const) {
        for (const [end, size] of [
          ['first', 2],
          ['last', 3],
          ['first', 100],
        ] as const) {
          const between = ordered.slice(from + 1, to).filter(matches);
          const expected = end === 'first' ? between.slice(0, size) : between.slice(-size);
          const cut = expected.length < between.length;
          const [after, before] = [ordered[from], ordered[to]];
          const page = await pageOf({
            ...argsOf(),
            orderBy: { field, direction },
            [end]: size,
            ...(after && { after: cursor(after) }),
            ...(before && { before: cursor(before) }),
          });
          const beyond = (some: Row[]) => some.some(matches);
          expect({ from, to, end, size, ...page }).toEqual({
            ...{ from, to, end, size },
            edges: expected.map((row) => ({ cursor: cursor(row), node: { databaseId: Number(row.id) } })),
            totalCount: rows.filter(matches).length,
            pageInfo: {
              startCursor: expected[0] === undefined ? null : cursor(expected[0]),
              endCursor: expected.length === 0 ? null : cursor(expected.at(-1) as Row),
              hasNextPage: (end === 'first' && cut) || (to < ROWS && beyond(ordered.slice(to))),
              hasPreviousPage: (end === 'last' && cut) || (from >= 0 && beyond(ordered.slice(0, from + 1))),
            },
          });
        }
      }
    },
  );
});

test('pages, counts and page info of several parents are one statement each', async () => {
  const query = `query ($ids: [ID!]!, $filter: ContactFilter, $orderBy: ContactListOrder, $after: String) { nodes(ids: $ids) { ... on Workspace {
    contacts(first: 2, after: $after, filter: $filter, orderBy: $orderBy) { edges { cursor node { id } } totalCount pageInfo { hasPreviousPage } } } } }`;
  const variables = {
    ids: [workspaceId, neighbourId].map((id) => globalId('Workspace', id)),
    filter: { isActive: true },
    orderBy: { field: 'UPDATED_AT', direction: 'DESC' },
    after: encodeCursor('contacts', 1n, 'updatedAt', new Date('2030-01-01T00:00:00.000Z')),
  };
  let answer: { data?: unknown; errors?: unknown } = {};
  const statements = await statementsOf(gateway, async () => {
    answer = await post(gateway, { query, variables }, { caller });
  });
  expect(answer.errors).toBeUndefined();
  const expected = rows
    .filter(({ active }) => active)
    .toSorted(byTime)
    .toReversed();
  const [ours, theirs] = (answer.data as { nodes: { contacts: Page }[] }).nodes;
  expect(ours?.contacts.edges.map(({ node }) => node)).toEqual(
    expected.slice(0, 2).map(({ id }) => ({ id: globalId('Contact', id) })),
  );
  expect([ours?.contacts.totalCount, theirs?.contacts.totalCount]).toEqual([expected.length, ROWS]);
  expect(ours?.contacts.pageInfo.hasPreviousPage).toBe(false);
  const names = statements
    .filter((name) => name.startsWith('contacts.'))
    .map((name) => name.replace(/\.c\d+$/, ''));
  expect(names.sort()).toEqual([
    'contacts.count.isActive',
    'contacts.exists.by_updatedAt.isActive',
    'contacts.under_ids.desc.by_updatedAt.isActive',
  ]);
});

test('the second and later answers, from the fast path, equal the first one', async () => {
  const args = { orderBy: { field: 'UPDATED_AT' as const }, filter: { isActive: true }, first: 3 };
  const first = await pageOf(args);
  for (let index = 0; index < 3; index++) expect(await pageOf(args)).toEqual(first);
  expect(await pageOf({ ...args, orderBy: { field: 'ID' } })).not.toEqual(first);
});

test('the order is by id unless a field is given, and ascending unless a direction is', async () => {
  const order = async (args: Args) => (await pageOf(args)).edges.map(({ node }) => BigInt(node.databaseId));
  const ascending = rows.toSorted(byTime).map(({ id }) => id);
  const field = 'UPDATED_AT';
  expect(await order({ orderBy: { field } })).toEqual(ascending);
  expect(await order({ orderBy: { field, direction: 'DESC' } })).toEqual(ascending.toReversed());
  const newest = rows.map(({ id }) => id).toReversed();
  for (const orderBy of [{ direction: 'DESC' }, { field: 'ID', direction: 'DESC' }] as const)
    expect(await order({ orderBy })).toEqual(newest);
});

describe('refused with INVALID, naming the argument:', () => {
  const byId = encodeCursor('contacts', 1n);
  const time = encodeCursor('contacts', 1n, 'updatedAt', new Date());
  const ofOthers = encodeCursor('funnels', 1n, 'updatedAt', new Date());
  test.each([
    ['after', { after: byId, orderBy: { field: 'UPDATED_AT' } }],
    ['before', { before: time }],
    ['after', { after: time, orderBy: { field: 'ID' } }],
    ['after', { after: ofOthers, orderBy: { field: 'UPDATED_AT' } }],
    ['after', { after: `${time}=`, orderBy: { field: 'UPDATED_AT' } }],
    ['after', { after: toCursor('contacts/updated_at:infinity:1'), orderBy: { field: 'UPDATED_AT' } }],
    [
      'after',
      { after: toCursor('contacts/updated_at:0000-01-01T00:00:00.000Z:1'), orderBy: { field: 'UPDATED_AT' } },
    ],
    [
      'after',
      {
        after: toCursor('contacts/updated_at:2026-01-01T00:00:00.000Z:9223372036854775808'),
        orderBy: { field: 'UPDATED_AT' },
      },
    ],
    ['filter.ids', { filter: { ids: ['x'] } }],
    ['filter.ids', { filter: { ids: [btoa('Funnel:1')] } }],
    ['filter.ids', { filter: { ids: Array.from({ length: 101 }, (_, n) => `${n}`) } }],
    ['filter.tagIds', { filter: { tagIds: [btoa('Contact:1')] } }],
    ['filter.emailAddresses', { filter: { emailAddresses: [' '] } }],
    ['filter.emailAddresses', { filter: { emailAddresses: ['a\u0000b'] } }],
    ['filter.emailAddresses', { filter: { emailAddresses: ['\ud800'] } }],
  ] satisfies [string, Args][])('%s in %j', async (field, args) => {
    const { data, errors } = await ask(
      gateway,
      FILTERED_CONTACTS,
      { id: Number(workspaceId), ...args },
      { caller },
    );
    expect(data?.workspace).toEqual({ contacts: null });
    expect(errors?.map(({ extensions }) => extensions)).toMatchObject([{ code: 'INVALID', field }]);
  });

  test('an unknown key of the filter makes the document invalid', async () => {
    const variables = { id: Number(workspaceId), filter: { names: 'x' } } as never;
    const { errors } = await ask(gateway, FILTERED_CONTACTS, variables, { caller });
    expect(errors?.[0]?.message).toContain('name');
  });
});

function toCursor(text: string): string {
  return Buffer.from(text).toString('base64url');
}

test('other lists have the filters and orders of their nouns too', async () => {
  const { app } = gateway;
  const { id, teamId } = await factories.workspace(app);
  const own = await factories.apiKey(app, { teamId });
  const older = new Date('2026-01-01T00:00:00.000Z');
  const tags = [await factories.tag(app, id, 'one'), await factories.tag(app, id, 'two')];
  const funnels = [
    await factories.funnel(app, { workspaceId: id }),
    await factories.funnel(app, { workspaceId: id, updatedAt: older }),
  ];
  const saved = [
    await factories.refineFilter(app, { workspaceId: id }),
    await factories.refineFilter(app, { workspaceId: id }),
  ];
  const endpoints = [
    await factories.webhookEndpoint(app, { workspaceId: id }),
    await factories.webhookEndpoint(app, { workspaceId: id, updatedAt: older }),
  ];
  const known = await factories.contact(app, { workspaceId: id });
  const unknown = await factories.contact(app, { workspaceId: id, emailAddress: null, anonymous: true });
  for (const tag of tags)
    await prismaOf(app.store).contactTag.create({
      data: { workspaceId: id, contactId: known.id, tagId: tag.id },
    });
  const query = `query ($id: BigInt!, $funnel: ID!, $saved: String!) {
    workspace(by: { databaseId: $id }) {
      contactTags(filter: { names: ["two"] }, orderBy: { field: UPDATED_AT }) { nodes { databaseId } }
      funnels(orderBy: { field: UPDATED_AT }) { nodes { databaseId } }
      one: funnels(filter: { ids: [$funnel] }) { nodes { databaseId } totalCount }
      savedFilters(filter: { names: [$saved] }) { nodes { databaseId } }
      webhookEndpoints(orderBy: { field: UPDATED_AT, direction: DESC }) { nodes { databaseId } }
      known: contacts(filter: { isAnonymous: false }) { nodes { databaseId tags(last: 1) { nodes { databaseId } } } }
      unknown: contacts(filter: { isAnonymous: true }, orderBy: { field: UPDATED_AT }) { nodes { databaseId } totalCount }
      team { workspaces(orderBy: { field: UPDATED_AT }) { nodes { databaseId } } }
    }
  }`;
  const variables = {
    id: Number(id),
    funnel: globalId('Funnel', funnels[1]?.id ?? 0n),
    saved: saved[1]?.name,
  };
  const of = (...rows: ({ id: bigint } | undefined)[]) => ({
    nodes: rows.map((row) => ({ databaseId: Number(row?.id) })),
  });
  for (let times = 0; times < 3; times++)
    expect(await post(gateway, { query, variables }, { caller: own })).toMatchObject({
      data: {
        workspace: {
          contactTags: of(tags[1]),
          funnels: of(funnels[1], funnels[0]),
          one: { ...of(funnels[1]), totalCount: 1 },
          savedFilters: of(saved[1]),
          webhookEndpoints: of(endpoints[0], endpoints[1]),
          known: {
            nodes: [
              {
                databaseId: Number(known.id),
                tags: { nodes: [{ databaseId: Number(tags[1]?.id) }] },
              },
            ],
          },
          unknown: { ...of(unknown), totalCount: 1 },
          team: { workspaces: of({ id }) },
        },
      },
    });
});
