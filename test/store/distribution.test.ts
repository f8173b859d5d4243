// What `distribute` would do, and what it prints. `npm run test:citus` tests it on Citus.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { distributionFindings } from '../../src/commands/doctor/distribution.ts';
import { prepare } from '../../src/commands/serve/prepare.ts';
import { ancestorsOf } from '../../src/resources/description/ancestors.ts';
import { NOUNS } from '../../src/resources/nouns.ts';
import { workspace } from '../../src/resources/workspaces.ts';
import { lockForErasure } from '../../src/store/erasure/contact-erasure.ts';
import type { Replicas } from '../../src/store/replicas/replicas.ts';
import {
  ON_ONE_SERVER,
  ON_SHARDS,
  restrictToRowWorkspace,
} from '../../src/store/shard-placement/placement.ts';
import { type PlacedTable, readCitusFacts, readTables } from '../../src/store/shard-placement/state.ts';
import { TYPE_NUMBER } from '../../src/store/sql/public-ids.ts';
import { run } from '../commands/cli.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await createGateway();
});
afterAll(() => gateway.close());

/** A team's two workspaces, and a contact in the other one. */
async function contactOfTwo() {
  const { app } = gateway;
  const { id: teamId } = await factories.team(app);
  const one = await factories.workspace(app, { teamId });
  const other = await factories.workspace(app, { teamId });
  const contact = await factories.contact(app, { workspaceId: other.id });
  return { teamId, one, other, contact };
}

/** What `distribute` removes from tables, or adds to them. */
async function attached(): Promise<unknown[]> {
  const { rows } = await gateway.app.store.pool.query(
    `select polrelid::regclass::text as name, polname::text as own from pg_policy
      union all select tgrelid::regclass::text, tgname from pg_trigger where not tgisinternal
      union all select conrelid::regclass::text, conname from pg_constraint where contype = 'f' order by 1, 2`,
  );
  return rows;
}

async function tables(): Promise<PlacedTable[]> {
  const client = await gateway.app.store.pool.connect();
  try {
    return await readTables(client);
  } finally {
    client.release();
  }
}

test('each table has a place, which follows from its keys', async () => {
  const placed = Object.groupBy(await tables(), ({ wanted }) => wanted);
  const names = (list: PlacedTable[] = []) => list.map(({ name }) => name);
  expect({
    distributed: names(placed.distributed),
    everywhere: names(placed.everywhere),
    coordinator: names(placed.coordinator),
  }).toEqual({
    distributed: [
      ...new Set(
        NOUNS.filter((noun) => ancestorsOf(noun).includes(workspace) && noun.type !== 'Domain').map(
          ({ table }) => table,
        ),
      ),
      ...['contact_erasures', 'funnel_tags', 'idempotency_records', 'image_chunks', 'order_counters'],
      ...['order_restock_line_items', 'webhook_attempts'],
      ...['contact_visits', 'deleted_pages', 'page_hours', 'page_visitors', 'tagged_funnels'],
      ...['tagged_products', 'visits'],
    ].sort(),
    everywhere: ['custom_domains', 'teams', 'workspaces'],
    coordinator: [
      ...['api_keys', 'oauth_access_tokens', 'oauth_clients', 'oauth_grants', 'oauth_states'],
      ...[
        'sign_in_failures',
        'signing_keys',
        'team_members',
        'team_oauth_clients',
        'users',
        'webhook_leases',
      ],
      'write_positions',
    ],
  });
});

test('a store of one PostgreSQL is recognized, and statements are sent unchanged', async () => {
  const { store } = gateway.app;
  const client = await store.pool.connect();
  const facts = await readCitusFacts(client).finally(() => client.release());
  expect(distributionFindings(facts, await tables(), true)).toMatchObject([{ status: 'ok' }]);
  const tenancy = { teamId: 1n, workspaceIds: null };
  expect(await store.placement.rules()).toEqual(ON_ONE_SERVER);
  expect(await store.placement.nameWorkspaces(tenancy)).toBe(tenancy);
});

test('without the extension, distribute changes nothing, and reports what is missing', async () => {
  const before = await attached();
  const { code, stderr } = await run(['distribute'], {
    DATABASE_URL: `${gateway.app.store.connection.connectionString}`,
  });
  expect(code).toBe(1);
  expect(stderr).toContain('create extension citus');
  expect(before.length).toBeGreaterThan(0);
  expect(await attached()).toEqual(before);
});

test('a caller limited to several workspaces finds the rows to change, without extra statements for Citus', async () => {
  const { app } = gateway;
  const { teamId, one, other, contact } = await contactOfTwo();
  const locked = (workspaceIds: bigint[] | null) =>
    prismaOf(app.store).$transaction((tx) => lockForErasure(tx, { teamId, workspaceIds }, contact.id));
  expect(await locked([one.id, other.id])).toMatchObject({ workspaceId: other.id });
  expect(await locked([one.id])).toBeNull();
  expect(await locked(null)).toMatchObject({ workspaceId: other.id });
});

test('a distributed store finds the one of several workspaces that a row is in', async () => {
  const { app } = gateway;
  const { teamId, one, other, contact } = await contactOfTwo();
  const of = (workspaceIds: bigint[]) => ({ teamId, workspaceIds, namesWorkspaces: true }) as const;
  const among = (workspaceIds: bigint[]) =>
    restrictToRowWorkspace(prismaOf(app.store), 'contacts', of(workspaceIds), contact.id);
  await app.store.pool.query(`create schema funnel_gateway_places;
    create table funnel_gateway_places.places (type_number int, id bigint, workspace_id bigint)`);
  // Looked up once, and then cached.
  expect(await among([one.id, other.id])).toEqual(of([other.id]));
  const known = [TYPE_NUMBER.contacts, contact.id, one.id];
  await app.store.pool.query('insert into funnel_gateway_places.places values ($1, $2, $3)', known);
  expect(await among([one.id, other.id])).toEqual(of([one.id]));
  expect(await among([])).toBeNull();
});

const FACTS = { version: '13.0-1', isCoordinator: true, isKnown: true, nodes: 2, shards: 32 };
const table = (name: string, wanted: PlacedTable['wanted'], actual: PlacedTable['wanted']) => ({
  ...{ name, wanted, actual },
});

test.each([
  ['nothing', FACTS, [table('tags', 'distributed', 'coordinator')], 'warn', 'no table is distributed'],
  [
    'a part',
    FACTS,
    [table('tags', 'distributed', 'distributed'), table('notes', 'distributed', 'coordinator')],
    'fail',
    'notes should be and are not',
  ],
  [
    'everything',
    FACTS,
    [table('tags', 'distributed', 'distributed')],
    'ok',
    '1 tables by workspace in 32 shards',
  ],
  ['a worker', { ...FACTS, isCoordinator: false }, [], 'fail', 'a worker'],
] as const)('doctor tells %s from the rest', (_, facts, placed, status, message) => {
  const [finding] = distributionFindings(facts, placed, false);
  expect(finding).toMatchObject({ status, message: expect.stringContaining(message) });
});

test('replicas are refused with Citus: by doctor, and by serve before it listens', async () => {
  const distributed = [table('tags', 'distributed', 'distributed')];
  const refused = { status: 'fail', message: expect.stringContaining('replicas are not read') };
  expect(distributionFindings(FACTS, distributed, true)).toContainEqual(expect.objectContaining(refused));
  const { store } = gateway.app;
  const app = {
    ...gateway.app,
    store: {
      ...store,
      replicas: {} as Replicas,
      placement: { ...store.placement, rules: async () => ON_SHARDS },
    },
  };
  const starting = prepare(
    { app, embedded: null },
    { demo: false, migrate: false },
    new AbortController().signal,
  );
  await expect(starting).rejects.toThrow(
    'DATABASE_REPLICA_URLS: replicas are not read of a store that Citus distributes',
  );
});
