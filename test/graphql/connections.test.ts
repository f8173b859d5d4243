// Relay connections: pages, page info, cursors, counts.
import { describe, expect, test } from 'vitest';
import { graphql } from '../generated/gql.ts';
import type { ContactsPageQueryVariables } from '../generated/graphql.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { ask, dataOf, post } from '../support/graphql.ts';
import { prismaOf } from '../support/prisma.ts';

const ROWS = 7;

const CONTACTS_PAGE = graphql(`
  query ContactsPage(
    $id: BigInt!
    $first: Int
    $last: Int
    $after: String
    $before: String
    $direction: SortDirection! = ASC
  ) {
    workspace(by: { databaseId: $id }) {
      contacts(first: $first, last: $last, after: $after, before: $before, orderBy: { direction: $direction }) {
        edges {
          cursor
          node {
            databaseId
          }
        }
        nodes {
          databaseId
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

const gateway = await sharedGateway();
const { app } = gateway;
const workspace = await factories.workspace(app);
const neighbour = await factories.workspace(app, { teamId: workspace.teamId });
const caller = await factories.apiKey(app, { teamId: workspace.teamId });
const workspaceId = Number(workspace.id);
/** Ascending. */
const ids: number[] = [];
// Another team's rows below, between and above ours reveal a list that leaks or reads them.
for (let row = 0; row < ROWS; row++) {
  await factories.contact(app, { workspaceId: neighbour.id });
  ids.push(Number((await factories.contact(app, { workspaceId: workspace.id })).id));
}
await factories.contact(app, { workspaceId: neighbour.id });

type Args = Partial<ContactsPageQueryVariables>;
type ContactsPage = Awaited<ReturnType<typeof pageOf>>;

async function pageOf(args: Args, by = caller) {
  const data = await dataOf(gateway, CONTACTS_PAGE, { id: workspaceId, ...args }, { caller: by });
  const contacts = data.workspace?.contacts;
  if (contacts == null) throw new Error('no contacts');
  return contacts;
}

const cursor = (id: number) => Buffer.from(`contacts:${id}`).toString('base64url');

describe.each(['ASC', 'DESC'] as const)('sorted %s', (direction) => {
  const sizes = [1, 2, 3, ROWS - 1, ROWS, ROWS + 1];
  const ends = ['first', 'last'] as const;

  test('every page has the rows, cursors and page info that follow from the whole list', async () => {
    const ordered = direction === 'ASC' ? ids : ids.toReversed();
    const bounds = [undefined, 0, 3, ROWS - 1];
    for (const after of bounds) {
      for (const before of bounds) {
        for (const end of ends) {
          for (const size of sizes) {
            const from = after === undefined ? 0 : after + 1;
            const to = before ?? ROWS;
            const between = ordered.slice(from, Math.max(from, to));
            const rows = end === 'first' ? between.slice(0, size) : between.slice(-size);
            const cut = rows.length < between.length;
            const page = await pageOf({
              direction,
              [end]: size,
              ...(after !== undefined && { after: cursor(ordered[after] ?? 0) }),
              ...(before !== undefined && { before: cursor(ordered[before] ?? 0) }),
            });
            expect({ direction, end, size, after, before, ...page }).toEqual({
              ...{ direction, end, size, after, before },
              edges: rows.map((id) => ({ cursor: cursor(id), node: { databaseId: id } })),
              nodes: rows.map((id) => ({ databaseId: id })),
              totalCount: ROWS,
              pageInfo: {
                startCursor: rows.length === 0 ? null : cursor(rows.at(0) ?? 0),
                endCursor: rows.length === 0 ? null : cursor(rows.at(-1) ?? 0),
                hasNextPage: (end === 'first' && cut) || before !== undefined,
                hasPreviousPage: (end === 'last' && cut) || after !== undefined,
              },
            });
          }
        }
      }
    }
  });

  test.each(ends)('paging by %s returns every row once at any page size', async (end) => {
    const [limit, from] =
      end === 'first' ? (['after', 'endCursor'] as const) : (['before', 'startCursor'] as const);
    for (const size of [1, 2, 3, 20, 101, 1000]) {
      const seen: number[][] = [];
      let at: string | null | undefined = null;
      do {
        const page: ContactsPage = await pageOf({
          direction,
          [end]: size,
          [limit]: at,
        });
        seen.push(page.nodes.map(({ databaseId }) => databaseId));
        at = (end === 'first' ? page.pageInfo.hasNextPage : page.pageInfo.hasPreviousPage)
          ? page.pageInfo[from]
          : null;
      } while (at !== null);
      const walked = end === 'first' ? seen.flat() : seen.toReversed().flat();
      expect(walked).toEqual(direction === 'ASC' ? ids : ids.toReversed());
    }
  });
});

test('page info ignores rows of other lists beyond the ends of this one', async () => {
  const [lowest = 0] = ids;
  const highest = ids.at(-1) ?? 0;
  const below = await pageOf({ after: cursor(lowest - 1) });
  expect(below.pageInfo).toMatchObject({ hasPreviousPage: false, hasNextPage: false });
  const above = await pageOf({ before: cursor(highest + 1), last: 1 });
  expect(above.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: false });
  const reversed = await pageOf({ after: cursor(highest + 1), direction: 'DESC' });
  expect(reversed.pageInfo).toMatchObject({ hasPreviousPage: false, hasNextPage: false });
});

test('paging continues when the row of the cursor is deleted', async () => {
  const { app } = gateway;
  const { id, teamId } = await factories.workspace(app);
  const rows = (await factories.contacts(app, id, 25)).map(Number);
  const key = await factories.apiKey(app, { teamId });
  const seen: number[] = [];
  let after: string | null | undefined = null;
  do {
    const page: ContactsPage = await pageOf({ id: Number(id), first: 4, after }, key);
    seen.push(...page.nodes.map(({ databaseId }) => databaseId));
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    await prismaOf(app.store).contact.deleteMany({ where: { id: BigInt(seen.at(-1) ?? 0) } });
  } while (after !== null);
  expect(seen).toEqual(rows);
});

test('a page has 20 objects by default, and 100 at most', async () => {
  const { app } = gateway;
  const { id, teamId } = await factories.workspace(app);
  await factories.contacts(app, id, 110);
  const key = await factories.apiKey(app, { teamId });
  const sizeOf = async (args: Args) => (await pageOf({ id: Number(id), ...args }, key)).nodes.length;
  expect(await sizeOf({})).toBe(20);
  expect(await sizeOf({ first: 100 })).toBe(100);
  expect(await sizeOf({ first: 101 })).toBe(100);
  expect(await sizeOf({ last: 2_147_483_647 })).toBe(100);
});

describe('a page of no objects', () => {
  const NOTHING = { nodes: [], edges: [] };
  const SELECTION =
    '{ nodes { id } edges { cursor } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } totalCount totalCountIsExact }';
  const [all, none] = ['', ', filter: { emailAddresses: ["nobody@example.com"] }'];
  const POSITION = { startCursor: null, endCursor: null };
  test.each([
    ['first: 0', all, { hasNextPage: true, hasPreviousPage: false }],
    ['last: 0', all, { hasNextPage: false, hasPreviousPage: true }],
    ['first: 0, orderBy: { field: UPDATED_AT }', all, { hasNextPage: true, hasPreviousPage: false }],
    ['first: 0', none, { hasNextPage: false, hasPreviousPage: false }],
    ['last: 0', none, { hasNextPage: false, hasPreviousPage: false }],
  ])('%s%s has its count, and says whether there are objects', async (size, filter, pageInfo) => {
    const query = `query ($id: BigInt!) { workspace(by: { databaseId: $id }) { contacts(${size}${filter}) ${SELECTION} } }`;
    const answer = await post(gateway, { query, variables: { id: workspaceId } }, { caller });
    const totalCount = filter === none ? 0 : ids.length;
    expect(answer).toMatchObject({
      data: {
        workspace: {
          contacts: {
            ...NOTHING,
            pageInfo: { ...POSITION, ...pageInfo },
            totalCount,
            totalCountIsExact: true,
          },
        },
      },
    });
  });

  test('after the last object, none follows, and objects precede it', async () => {
    const page = await pageOf({ first: 0, after: cursor(ids.at(-1) ?? 0) });
    expect(page.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  });
});

test('a cursor may have base64 padding', async () => {
  // A cursor needs no row. Whether there is padding depends on the number of digits.
  const [first = 0, last] = [ids[0], 1_000_000];
  const padded = (id: number) => Buffer.from(`contacts:${id}`).toString('base64');
  const between = { after: cursor(first), before: cursor(last) };
  expect(await pageOf({ after: padded(first), before: padded(last) })).toEqual(await pageOf(between));
  expect(padded(last)).not.toBe(cursor(last));
});

describe('refused with INVALID, naming the argument:', () => {
  const OTHER = Buffer.from('funnels:1').toString('base64url');
  test.each([
    ['first', { first: -1 }],
    ['last', { last: -1 }],
    ['last', { first: 1, last: 1 }],
    ['after', { after: '1' }],
    ['after', { after: '' }],
    ['after', { after: OTHER }],
    ['before', { before: OTHER }],
    ['after', { after: `${cursor(1)}=` }],
    ['after', { after: Buffer.from('contacts:9223372036854775808').toString('base64url') }],
  ] satisfies [string, Args][])('%s in %j', async (field, args) => {
    const { data, errors } = await ask(gateway, CONTACTS_PAGE, { id: workspaceId, ...args }, { caller });
    expect(data?.workspace).toEqual({ contacts: null });
    expect(errors).toMatchObject([
      { path: ['workspace', 'contacts'], extensions: { code: 'INVALID', field } },
    ]);
  });
});

test('every kind of list works, with cursors of its own kind', async () => {
  const { app } = gateway;
  const workspace = await factories.workspace(app);
  const funnel = await factories.funnel(app, { workspaceId: workspace.id });
  await factories.workflow(app, funnel, ['Page', { split: 'Split' }]);
  await factories.contact(app, { workspaceId: workspace.id });
  await factories.refineFilter(app, { workspaceId: workspace.id });
  await factories.webhookEndpoint(app, { workspaceId: workspace.id });
  const key = await factories.apiKey(app, { teamId: workspace.teamId });
  const query = graphql(`
    query EveryList($id: BigInt!) {
      viewer { teams { edges { cursor } totalCount } }
      team(by: { databaseId: $id }) {
        workspaces {
          edges { cursor }
          totalCount
          nodes {
            contacts { edges { cursor } totalCount }
            funnels {
              edges { cursor }
              totalCount
              nodes { conditionalSplits { edges { cursor } totalCount } }
            }
            pages { edges { cursor } totalCount }
            savedFilters { edges { cursor } totalCount }
            webhookEndpoints { edges { cursor } totalCount }
          }
        }
      }
    }
  `);
  const data = await dataOf(gateway, query, { id: Number(workspace.teamId) }, { caller: key });
  const cursors = [...JSON.stringify(data).matchAll(/"cursor":"([^"]+)"/g)].map(([, text = '']) =>
    Buffer.from(text, 'base64url').toString().replace(/\d+/, 'N'),
  );
  expect(new Set(cursors)).toEqual(
    new Set([
      'teams:N',
      'workspaces:N',
      'contacts:N',
      'funnels:N',
      'conditional_split_steps:N',
      'pages:N',
      'refine_filters:N',
      'webhook_endpoints:N',
    ]),
  );
  expect([...JSON.stringify(data).matchAll(/"totalCount":(\d+)/g)].map(([, count]) => count)).toEqual(
    Array.from({ length: 8 }, () => '1'),
  );
});
