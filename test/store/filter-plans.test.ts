// How PostgreSQL runs filtered and ordered lists: the cost of a page depends on its own rows, however long the list is and wherever the
// page begins; reads that may cost more wait in the queue of expensive reads.
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FilterValues, PageRequest } from '../../src/pagination.ts';
import { appliedTag } from '../../src/resources/applied-tags.ts';
import { contact } from '../../src/resources/contacts.ts';
import { workspace } from '../../src/resources/workspaces.ts';
import { countUnder, existsUnder } from '../../src/store/reading/counts.ts';
import { findPagesUnder, findPageUnder } from '../../src/store/reading/pages.ts';
import { isExpensive, selectionOf } from '../../src/store/reading/selections.ts';
import type { Tenancy } from '../../src/store/sql/tenancy.ts';
import { tableOf } from '../../src/store/tables/tables.ts';
import { type Node, planningClient, plansOf } from '../support/explain.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { sampleAt } from '../support/nightly.ts';

const APPLIED_TAGS = tableOf(appliedTag);
const CONTACTS = tableOf(contact);
const WORKSPACES = tableOf(workspace);

const ROWS = 10_000;
const SIZE = 10;
/** The number of rows of a tag that are read before the list is walked (src/store/reading/walks.ts). */
const MANY = 2_501;

let gateway: Gateway;
let client: pg.Client;
let tenancy: Tenancy;
let many: bigint;
let other: bigint;
let ids: bigint[];
/** On every second contact, on every third, on ten, on none. */
let tags: [bigint, bigint, bigint, bigint];

beforeAll(async () => {
  gateway = await createGateway();
  const { app } = gateway;
  const { id: teamId } = await factories.team(app);
  tenancy = { teamId, workspaceIds: null };
  many = (await factories.workspace(app, { teamId })).id;
  other = (await factories.workspace(app, { teamId })).id;
  client = await planningClient(gateway);
  // One in a thousand is not active, another one is anonymous. The order of changes has nothing to do with the order of ids.
  const rows = await client.query<{ id: string }>(
    `insert into contacts (workspace_id, email_address, unsubscribed_at, anonymous, first_name, updated_at)
      select w, 'p' || n || '@example.com', case when n % 1000 = 7 then now() end, n % 1000 = 9,
        case when n % 2 = 0 then 'Ada' when n % 1000 = 1 then 'Grace' else 'N' || n end, timestamptz '2026-01-01' + (n * 7919 % ${ROWS}) * interval '1 s'
      from unnest(array[${many}, ${other}]::bigint[]) w, generate_series(1, ${ROWS}) n returning id, workspace_id`,
  );
  ids = rows.rows.slice(0, ROWS).map(({ id }) => BigInt(id));
  tags = [0n, 0n, 0n, 0n];
  for (const index of [0, 1, 2, 3] as const) tags[index] = (await factories.tag(app, many, `T${index}`)).id;
  await client.query(
    `insert into contact_tags (workspace_id, contact_id, tag_id)
      select workspace_id, id, tag from contacts, unnest(array[${tags}]::bigint[], array[2, 3, ${ROWS / 10}, ${10 * ROWS}]) x (tag, step)
      where workspace_id = ${many} and id % step = 0`,
  );
});
afterAll(async () => {
  await client.end();
  await gateway.close();
});

/** How many rows of tables and entries of indexes the plan touches, and the scans that no index bounds. */
function costOf(nodes: Node[]): { rows: number; scans: string[] } {
  const scans = nodes.filter(
    (node) => node['Relation Name'] !== undefined && node['Relation Name'] !== 'workspaces',
  );
  const rows = scans.reduce(
    (sum, node) => sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    0,
  );
  const unbounded = scans
    .map((node) => node['Node Type'])
    .filter((type) => !/^Index (Only )?Scan$/.test(type));
  return { rows, scans: unbounded };
}

const page = { order: 'asc', size: SIZE, after: null, before: null, backward: false } as const;
const middle = () => ids[ROWS / 2] ?? 0n;
const time = new Date('2026-01-01T01:30:00.000Z');
/** The position of a page: at the start, deep in the list, deep and in the other direction, backward from the end. */
const PLACES: [string, (sort: 'id' | 'updatedAt') => PageRequest][] = [
  ['first', () => page],
  ['deep', () => ({ ...page, after: middle(), afterValue: time })],
  ['deep, descending', () => ({ ...page, order: 'desc', after: middle(), afterValue: time })],
  ['last, read backward', () => ({ ...page, backward: true })],
];
const SORTS = ['id', 'updatedAt'] as const;

/** Filters with the most rows that a page of them may touch, tags included. */
const CHEAP: [string, readonly (typeof SORTS)[number][], () => FilterValues, number][] = [
  ['no filter', SORTS, () => ({}), SIZE + 1],
  ['ids', SORTS, () => ({ id: ids.slice(0, 100) }), 100 + SIZE + 1],
  ['one id', SORTS, () => ({ id: [middle()] }), 2],
  [
    'addresses',
    SORTS,
    () => ({ emailAddress: ['P7@example.com ', 'p99@example.com', 'nobody@example.com'] }),
    4,
  ],
  ['the active', SORTS, () => ({ isActive: [true] }), 2 * (SIZE + 1)],
  ['the inactive', SORTS, () => ({ isActive: [false] }), 2 * (SIZE + 1)],
  ['those who are known', SORTS, () => ({ anonymous: [false] }), 2 * (SIZE + 1)],
  ['the anonymous', SORTS, () => ({ anonymous: [true] }), 2 * (SIZE + 1)],
  ['a name of half of all', ['id'], () => ({ firstName: ['ADA'] }), 2 * (SIZE + 1)],
  ['a name of few', ['id'], () => ({ firstName: ['grace'] }), 2 * (SIZE + 1)],
  ['a name of nobody', ['id'], () => ({ firstName: ['Nobody'] }), 0],
  ['a tag on half of all', ['id'], () => ({ tagIds: [tags[0]] }), 3 * (SIZE + 1)],
  ['a tag on few', ['id'], () => ({ tagIds: [tags[2]] }), 3 * (SIZE + 1)],
  ['a tag on none', ['id'], () => ({ tagIds: [tags[3]] }), 0],
  ['four tags', ['id'], () => ({ tagIds: [...tags] }), 7 * (SIZE + 1)],
  [
    'addresses, tag and activity',
    SORTS,
    () => ({ emailAddress: ['p7@example.com'], tagIds: [tags[0]], isActive: [true] }),
    4,
  ],
  ['ids with a tag', SORTS, () => ({ id: ids.slice(0, 50), tagIds: [tags[0]] }), 100 + 2 * (SIZE + 1)],
];

describe.each([
  ['before the tables were ever analyzed', async () => {}],
  ['with statistics', () => client.query('analyze')],
])('%s', (state, prepare) => {
  beforeAll(async () => void (await prepare()));

  describe.each(CHEAP)('%s', (what, sorts, filter, most) => {
    describe.each(sorts)('by %s', (sort) => {
      test.each(sampleAt(`${state} ${what} ${sort}`, PLACES, 2))(
        'the %s page touches no more rows than it has',
        async (_, place) => {
          const request = { ...place(sort), sort, filter: filter() };
          expect(isExpensive(selectionOf(CONTACTS, request), 1, SIZE + 1)).toBe(false);
          const [nodes = []] = await plansOf(gateway, client, (store) =>
            findPageUnder({ store }, CONTACTS, tenancy, many, request),
          );
          const { rows, scans } = costOf(nodes);
          // Each contact has two tags on average, each read twice.
          expect({ scans, excess: Math.max(0, rows - most - 4 * (SIZE + 1)) }).toEqual({
            scans: [],
            excess: 0,
          });
        },
      );

      test('several parents cost the same each', async () => {
        const request = { ...page, sort, filter: filter(), after: middle(), afterValue: time };
        const [nodes = []] = await plansOf(gateway, client, (store) =>
          findPagesUnder({ store }, CONTACTS, tenancy, [many, other], request),
        );
        const { rows, scans } = costOf(nodes);
        expect({ scans, excess: Math.max(0, rows - 2 * (most + 4 * (SIZE + 1))) }).toEqual({
          scans: [],
          excess: 0,
        });
      });

      test('a probe beyond a position is as cheap, and a count reads only what it counts', async () => {
        for (const parents of [[many], [many, other]]) {
          const probe = { id: middle(), value: time, side: 'at_or_above', sort, filter: filter() } as const;
          const [nodes = []] = await plansOf(gateway, client, (store) =>
            existsUnder({ store }, CONTACTS, tenancy, parents, probe),
          );
          const found = costOf(nodes);
          expect(found.scans).toEqual([]);
          expect(found.rows).toBeLessThanOrEqual(parents.length * most);
          const [counted = []] = await plansOf(gateway, client, (store) =>
            countUnder({ store }, CONTACTS, tenancy, parents, { filter: filter() }),
          );
          expect(costOf(counted).scans).toEqual([]);
        }
      });
    });
  });
});

test.each<[string, () => FilterValues, (typeof SORTS)[number], number]>([
  ['a tag in the order of changes', () => ({ tagIds: [tags[0]] }), 'updatedAt', 1],
  ['a name in the order of changes', () => ({ firstName: ['Ada'] }), 'updatedAt', 1],
  ['a tag and activity', () => ({ tagIds: [tags[0]], isActive: [false] }), 'id', 1],
  [
    'a hundred tags of a hundred contacts each',
    () => ({ tagIds: Array.from({ length: 100 }, () => 1n) }),
    'id',
    1,
  ],
  ['a tag in the lists of hundreds of workspaces', () => ({ tagIds: [tags[0]] }), 'id', 300],
])('%s waits in the queue of expensive reads', async (_, filter, sort, parents) => {
  expect(isExpensive(selectionOf(CONTACTS, { sort, filter: filter() }), parents, 101)).toBe(true);
});

test.each(PLACES)(
  'a tag in the order of changes: the %s page equals that of plain SQL, and of many it reads few',
  async (_, place) => {
    for (const [index, tag] of tags.entries()) {
      const request = { ...place('updatedAt'), sort: 'updatedAt', filter: { tagIds: [tag] } } as const;
      const [nodes = []] = await plansOf(gateway, client, (store) =>
        findPageUnder({ store }, CONTACTS, tenancy, many, request),
      );
      // A tag of half or of a third of the contacts: neither all of its rows are read, nor the complete list.
      if (index < 2) expect(costOf(nodes).rows).toBeLessThan(MANY + 20 * (SIZE + 1));
      const found = await findPageUnder(gateway.app, CONTACTS, tenancy, many, request);
      const down = (request.order === 'desc') !== request.backward;
      const within =
        request.after === null
          ? 'true'
          : `(updated_at, id) ${down ? '<' : '>'} ('${time.toISOString()}', ${middle()})`;
      const direction = down ? 'desc' : 'asc';
      const plain = await client.query<{ id: string }>(
        `select id from contacts c where workspace_id = ${many} and ${within} and id in (select contact_id from contact_tags where tag_id = ${tag})
        order by updated_at ${direction}, id ${direction} limit ${SIZE}`,
      );
      const ids = plain.rows.map(({ id }) => BigInt(id));
      expect(found?.rows.map(({ id }) => id)).toEqual(request.backward ? ids.toReversed() : ids);
    }
  },
);

test.each(PLACES)(
  'a name in the order of changes: the %s page equals that of plain SQL, and of many it reads few',
  async (_, place) => {
    for (const name of ['aDA', 'Grace', 'Nobody']) {
      for (const isActive of [undefined, false, true]) {
        const filter = { firstName: [name], ...(isActive !== undefined && { isActive: [isActive] }) };
        const request = { ...place('updatedAt'), sort: 'updatedAt', filter } as const;
        const [nodes = []] = await plansOf(gateway, client, (store) =>
          findPageUnder({ store }, CONTACTS, tenancy, many, request),
        );
        if (isActive === undefined) expect(costOf(nodes).rows).toBeLessThan(MANY + 20 * (SIZE + 1));
        const found = await findPageUnder(gateway.app, CONTACTS, tenancy, many, request);
        const down = (request.order === 'desc') !== request.backward;
        const within =
          request.after === null
            ? 'true'
            : `(updated_at, id) ${down ? '<' : '>'} ('${time.toISOString()}', ${middle()})`;
        const direction = down ? 'desc' : 'asc';
        const active = isActive === undefined ? 'true' : `unsubscribed_at is ${isActive ? '' : 'not '}null`;
        const plain = await client.query<{ id: string }>(
          `select id from contacts c where workspace_id = ${many} and ${within} and lower(first_name) = lower('${name}') and ${active}
          order by updated_at ${direction}, id ${direction} limit ${SIZE}`,
        );
        const expected = plain.rows.map(({ id }) => BigInt(id));
        expect(found?.rows.map(({ id }) => id)).toEqual(request.backward ? expected.toReversed() : expected);
      }
    }
  },
);

test('the number of statements is bounded by the number of filters, not by their values', () => {
  const names = new Set<string>();
  for (let value = 0; value < 100; value++)
    for (const emailAddress of [[`${value}`], [`${value}`, 'x']])
      names.add(selectionOf(CONTACTS, { filter: { emailAddress, id: [BigInt(value)] } }).name);
  expect([...names]).toEqual(['.id.emailAddress']);
});

test('a page of workspaces by time is one range of an index, and of applied tags one probe', async () => {
  await client.query(
    `insert into workspaces (team_id, name, subdomain) select ${tenancy.teamId}, 'W', 'w' || n from generate_series(1, 500) n`,
  );
  const request = { ...page, sort: 'updatedAt' } as const;
  const [ofTeam = []] = await plansOf(gateway, client, (store) =>
    findPageUnder({ store }, WORKSPACES, tenancy, tenancy.teamId, request),
  );
  const scans = ofTeam.filter((node) => node['Relation Name'] === 'workspaces');
  expect(scans.map((node) => node['Index Name'])).toEqual(['workspaces_team_id_updated_at_id_idx']);
  const contactId = ids.find((id) => id % 6n === 0n) ?? 0n;
  const ofContact = await plansOf(gateway, client, (store) =>
    findPageUnder({ store }, APPLIED_TAGS, tenancy, contactId, { ...page, filter: { tagId: [tags[0]] } }),
  );
  const { rows, scans: unbounded } = costOf(
    ofContact.flat().filter((node) => node['Relation Name'] === 'contact_tags'),
  );
  expect({ unbounded, rows }).toEqual({ unbounded: [], rows: 2 });
});
