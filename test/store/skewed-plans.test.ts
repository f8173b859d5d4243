// A workspace that has a hundred times the rows of the others: the planner expects as many rows of each workspace, so reading all of one
// from an index seems as cheap as reading ten of its rows by their ids. A page must not cost more because its workspace is larger.
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PageRequest } from '../../src/pagination.ts';
import { contact } from '../../src/resources/contacts.ts';
import type { Criterion } from '../../src/resources/refine-filters.ts';
import { parseCriteria } from '../../src/services/filtering/refine-criteria.ts';
import { findPageUnder, findRefinedPage } from '../../src/store/reading/pages.ts';
import type { Store } from '../../src/store/store.ts';
import { tableOf } from '../../src/store/tables/tables.ts';
import { planningClient, plansOf } from '../support/explain.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';

const CONTACTS = tableOf(contact);
const ROWS = 10_000;
const OTHERS = 200;
const SIZE = 10;
/** What reads a contact by its id. */
const BY_ID = ['contacts_pkey', 'contacts_id_idx'];

let gateway: Gateway;
let client: pg.Client;
let teamId: bigint;
let workspaceId: bigint;
let tagId: bigint;

beforeAll(async () => {
  gateway = await createGateway();
  const { app } = gateway;
  ({ id: workspaceId, teamId } = await factories.workspace(app));
  ({ id: tagId } = await factories.tag(app, workspaceId, 'many'));
  client = await planningClient(gateway);
  await client.query(
    `insert into workspaces (team_id, name, subdomain) select ${teamId}, 'W', 'skewed' || n from generate_series(1, ${OTHERS}) n`,
  );
  await client.query(
    `insert into contacts (workspace_id, email_address, first_name)
      select w.id, 'p' || n || '@example.com', case when n % 2 = 0 then 'Ada' else 'Needle' || n end
      from workspaces w, generate_series(1, case when w.id = ${workspaceId} then ${ROWS} else 20 end) n where w.team_id = ${teamId}`,
  );
  await client.query(
    `insert into contact_tags (workspace_id, contact_id, tag_id)
      select workspace_id, id, ${tagId} from contacts where workspace_id = ${workspaceId} and id % 2 = 0`,
  );
  await client.query('vacuum analyze');
});
afterAll(async () => {
  await client.end();
  await gateway.close();
});

const page: PageRequest = { order: 'asc', size: SIZE, after: null, before: null, backward: false };
const tenancy = () => ({ teamId, workspaceIds: null });
const under = (request: PageRequest) => (store: Store) =>
  findPageUnder({ store }, CONTACTS, tenancy(), workspaceId, request);
let versions = 0;
const refined = (criteria: Criterion[], request: PageRequest) => (store: Store) =>
  findRefinedPage(
    { store },
    {
      table: CONTACTS,
      tenancy: tenancy(),
      workspaceId,
      version: String(versions++),
      criteria: {
        conjunction: 'and',
        criteria: parseCriteria('ContactsFilter', criteria, new Date('2026-02-01T00:00:00Z')),
      },
    },
    request,
  );

const YEAR = ['2020-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z'];
const TAGGED = (): Criterion => ({ attribute: 'tags.id', clause: 'in', value: [String(tagId)] });
const BY_ADDRESS: Criterion = { attribute: 'email_address', clause: 'sw', value: 'p12' };
const CREATED: Criterion = { attribute: 'created_at', clause: 'btwn', value: ['2020-01-01', '2030-01-01'] };
const PAGES: [string, (request: PageRequest) => (store: Store) => Promise<unknown>][] = [
  ['no filter', (request) => under(request)],
  ['a tag', (request) => under({ ...request, filter: { tagIds: [tagId] } })],
  ['a tag and activity', (request) => under({ ...request, filter: { tagIds: [tagId], isActive: [true] } })],
  ['a tag and a time', (request) => under({ ...request, filter: { tagIds: [tagId], createdAt: YEAR } })],
  ['a name', (request) => under({ ...request, filter: { firstName: ['ada'] } })],
  ['a saved filter by tag', (request) => refined([TAGGED()], request)],
  ['a saved filter by address', (request) => refined([BY_ADDRESS], request)],
  ['a saved filter by tag and time', (request) => refined([TAGGED(), CREATED], request)],
  ['a saved filter by address and tag', (request) => refined([BY_ADDRESS, TAGGED()], request)],
];

describe.each(['id', 'updatedAt'] as const)('by %s', (sort) => {
  test.each(PAGES)('%s: contacts are read by their ids, or in the order of the list', async (_, read) => {
    const plans = await plansOf(gateway, client, read({ ...page, sort }));
    expect(plans).not.toEqual([]);
    const others = plans
      .flat()
      .filter((node) => node['Relation Name'] === 'contacts' && /\bid = /.test(node['Index Cond'] ?? ''))
      .map((node) => node['Index Name'] ?? '')
      .filter((name) => !BY_ID.includes(name));
    expect(others).toEqual([]);
  });
});

test('a search reads what it finds by ids', async () => {
  const plans = await plansOf(gateway, client, under({ ...page, filter: { search: ['needle77'] } }));
  const scans = plans
    .flat()
    .filter((node) => node['Relation Name'] === 'contacts' && /\bid = /.test(node['Index Cond'] ?? ''));
  expect(scans.map((node) => node['Index Name']).filter((name) => !BY_ID.includes(name ?? ''))).toEqual([]);
});
