// The role of callers' changes (docs/operating.md): its tables, its limit to the caller's rows in each, connections without traces of it,
// and a gateway whose user owns no table.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tenantRoleFindings } from '../../src/commands/doctor/tenant-role.ts';
import { executeUnrecorded } from '../../src/store/changing/changes.ts';
import { queryAs } from '../../src/store/changing/pipeline.ts';

import { readTenantRoleFacts } from '../../src/store/inspection/tenant-role-facts.ts';
import { ENTER_TENANT_ROLE, TENANT_ROLE, tenantRoleValues } from '../../src/store/tenancy/tenant-role.ts';
import * as factories from '../support/factories.ts';
import { asAdministrator, createGateway, type Gateway } from '../support/gateway.ts';
import { createTenant, type Tenant } from '../support/operations.ts';
import { prismaOf } from '../support/prisma.ts';
import { readSources } from '../support/sources.ts';
import { createUser } from '../support/users.ts';

let gateway: Gateway;
let ours: Tenant;
let theirs: Tenant;
beforeAll(async () => {
  gateway = await createGateway({ env: { POOL_SIZE: '2' } });
  ours = await createTenant(gateway.app, 'ours');
  theirs = await createTenant(gateway.app, 'theirs');
});
afterAll(() => gateway.close());

const tenancyOf = ({ team }: Tenant, ...workspaceIds: bigint[]) => ({
  teamId: team.id,
  workspaceIds: workspaceIds.length === 0 ? null : workspaceIds,
});

/** Runs `work` within a transaction that is rolled back. */
async function undone<T>(
  work: (client: pg.PoolClient) => Promise<T>,
  pool = gateway.app.store.pool,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    return await work(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** The tables of the store, with the role's rights on each or on some of its columns. */
async function tables(): Promise<{ name: string; rights: string[]; isTenants: boolean }[]> {
  const { rows } = await gateway.app.store.pool.query(
    `select c.relname as name,
      array(select r from unnest(array['select', 'insert', 'update']) r where has_any_column_privilege($1, c.oid, r))
        || array(select r from unnest(array['delete', 'truncate']) r where has_table_privilege($1, c.oid, r)) as rights,
      exists (select from pg_attribute where attrelid = c.oid and attname in ('workspace_id', 'team_id')) as "isTenants"
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`,
    [TENANT_ROLE],
  );
  return rows;
}

test('the role may use only tables whose row-level security applies to it', async () => {
  expect((await readTenantRoleFacts(gateway.app.store.pool)).role).toEqual({
    ...{ isExempt: false, canEnter: true, isInherited: false, open: [] },
  });
  const all = await tables();
  const entered = all.filter(({ rights }) => rights.length > 0).map(({ name }) => name);
  expect(entered).toEqual(expect.arrayContaining(['contacts', 'events', 'workspaces', 'api_keys']));
  // No API call changes people, clients or signing keys.
  const closed = ['users', 'team_members', 'oauth_clients', 'signing_keys'];
  expect(entered.filter((name) => closed.includes(name) || name.endsWith('_default'))).toEqual([]);
});

test('without settings the role sees and changes nothing', async () => {
  for (const { name, rights } of await tables()) {
    if (!rights.includes('select') || name === 'idempotency_records') continue;
    const count = await undone(async (client) => {
      await client.query(`set local role ${TENANT_ROLE}`);
      return (await client.query(`select from ${name}`)).rowCount;
    });
    expect([name, count]).toEqual([name, 0]);
  }
});

test('the role sees exactly the rows of the team and of the workspaces that it is limited to', async () => {
  const { pool } = gateway.app.store;
  const sibling = await createTenant(gateway.app, 'sibling', ours.team.id);
  const filled: string[] = [];
  for (const { name, rights, isTenants } of await tables()) {
    if (!rights.includes('select') || !isTenants || name === 'idempotency_records') continue;
    const { rowCount } = await pool.query(
      "select from pg_attribute where attrelid = $1::regclass and attname = 'workspace_id'",
      [name],
    );
    const isOfTeam = rowCount === 0 && name !== 'workspaces';
    const owner = isOfTeam ? 'team_id' : name === 'workspaces' ? 'id' : 'workspace_id';
    const rows = `select ${owner}::int as owner, count(*)::int as rows from ${name}`;
    const seen = (tenancy: ReturnType<typeof tenancyOf>) =>
      undone(async (client) => {
        await client.query(ENTER_TENANT_ROLE.text, tenantRoleValues(tenancy));
        return (await client.query(`${rows} group by 1 order by 1`)).rows;
      });
    const there = async (...owners: bigint[]) =>
      (await pool.query(`${rows} where ${owner} = any ($1) group by 1 order by 1`, [owners])).rows;
    const { id } = ours.workspace;
    const all = isOfTeam ? await there(ours.team.id) : await there(id, sibling.workspace.id);
    expect([name, await seen(tenancyOf(ours))]).toEqual([name, all]);
    expect([name, await seen(tenancyOf(ours, id))]).toEqual([name, isOfTeam ? [] : await there(id)]);
    if (all.length > 0) filled.push(name);
  }
  expect(filled).toEqual(
    expect.arrayContaining(['workspaces', 'contacts', 'tags', 'events', 'funnel_steps']),
  );
});

test("a row can neither be put into another team's workspace nor moved there", async () => {
  const { id } = theirs.workspace;
  const insert = {
    name: 'test.insert',
    text: 'insert into tags (workspace_id, name) values ($1::bigint, $2)',
  };
  const move = { name: 'test.move', text: 'update tags set workspace_id = $1::bigint where id = $2::bigint' };
  const as = tenancyOf(ours);
  const { store } = gateway.app;
  await expect(queryAs(store, as, insert, [id, 'x'])).rejects.toMatchObject({ code: '42501' });
  await expect(queryAs(store, as, move, [id, ours.tag.id])).rejects.toMatchObject({ code: '42501' });
  await expect(
    executeUnrecorded(gateway.app, as, (tx) => Promise.resolve(tx.$executeRawUnsafe(insert.text, id, 'x'))),
  ).rejects.toMatchObject({ code: '42501' });
  expect(await prismaOf(store).tag.findFirst({ where: { name: 'x' } })).toBeNull();
});

describe('a connection', () => {
  const who = {
    name: 'test.who',
    text: "select current_user::text as who, current_setting('funnel_gateway.team') as team",
  };

  test('keeps nothing of its last caller, whether the statement succeeded or not', async () => {
    const { store } = gateway.app;
    const tenancies = Array.from({ length: 20 }, (_, index) => tenancyOf(index % 2 === 0 ? ours : theirs));
    const answers = await Promise.all(tenancies.map((tenancy) => queryAs(store, tenancy, who, [])));
    expect(answers).toEqual(tenancies.map(({ teamId }) => [{ who: TENANT_ROLE, team: `${teamId}` }]));
    const failing = { name: 'test.failing', text: 'select 1 / $1::int' };
    await expect(queryAs(store, tenancyOf(ours), failing, [0])).rejects.toMatchObject({ code: '22012' });
    const text =
      "select current_user::text as who, nullif(current_setting('funnel_gateway.team', true), '') as team";
    for (let times = 0; times < 4; times++) {
      const { rows } = await store.pool.query(text);
      expect(rows[0].who).not.toBe(TENANT_ROLE);
      expect(rows[0].team).toBeNull();
    }
  });

  test('tracks its prepared statements correctly after statements that could not be prepared, or failed', async () => {
    const client = new pg.Client(gateway.app.store.connection);
    await client.connect();
    // A pool of one connection, which outlives errors.
    const pool = {
      query: (query: pg.QueryConfig) =>
        new Promise((resolve, reject) => {
          Object.assign(query, {
            callback: (error: unknown, result: unknown) => (error ? reject(error) : resolve(result)),
          });
          client.query(query);
        }),
    } as unknown as pg.Pool;
    const store = { pool, hasTenantRole: async () => true, preparedStatements: true };
    const run = (name: string, text: string, ...values: unknown[]) =>
      queryAs(store, tenancyOf(ours), { name, text }, values);
    for (let times = 0; times < 3; times++) {
      await expect(run('test.none', 'select from nothing')).rejects.toMatchObject({ code: '42P01' });
      await expect(run('test.divide', 'select 1 / $1::int as n', 0)).rejects.toMatchObject({ code: '22012' });
      await expect(run('test.number', 'select $1::int as n', 'x')).rejects.toMatchObject({ code: '22P02' });
      expect(await run('test.divide', 'select 1 / $1::int as n', 1)).toEqual([{ n: 1 }]);
      expect(await run('test.number', 'select $1::int as n', times)).toEqual([{ n: times }]);
    }
    await client.end();
  });
});

describe('the report to doctor', () => {
  let administrators: pg.Pool;
  beforeAll(() => {
    const { connectionString = '' } = gateway.app.store.connection;
    administrators = new pg.Pool({ connectionString: asAdministrator(connectionString) });
  });
  afterAll(() => administrators.end());

  const after = (change: string) =>
    undone(async (client) => {
      await client.query(change);
      return tenantRoleFindings(await readTenantRoleFacts(client)).map(
        ({ status, message }) => `${status} ${message}`,
      );
    }, administrators);

  test.each([
    ['select', /^ok/],
    [`alter role ${TENANT_ROLE} bypassrls`, /^warn .*held by nothing/],
    [`alter role ${TENANT_ROLE} superuser`, /^warn .*held by nothing/],
    [`alter table tags owner to ${TENANT_ROLE}`, /^warn .*held by nothing/],
    ['alter table tags disable row level security', /^warn .* in tags/],
    ['drop policy tenants on webhook_attempts', /^warn .* in webhook_attempts/],
    [`grant select on users to ${TENANT_ROLE}`, /^warn .* in users/],
    [`create role a_stranger; set local role a_stranger`, /^fail .*may not switch/],
    [
      `create role a_stranger; grant ${TENANT_ROLE} to a_stranger with inherit true; set local role a_stranger`,
      /^fail .*inherits/,
    ],
  ])('%s', async (change, finding) => {
    const found = await after(change);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(finding);
  });

  test('without the role, and with Citus', () => {
    expect(tenantRoleFindings({ isUsed: true, role: null })).toMatchObject([{ status: 'fail' }]);
    expect(tenantRoleFindings({ isUsed: false, role: null })).toMatchObject([{ status: 'warn' }]);
  });
});

test('the gateway works as a user without tables, with the grants in the guide', async () => {
  const user = await createUser(
    gateway.app.store.connection.connectionString ?? '',
    (name) => `grant ${TENANT_ROLE} to ${name};
      grant usage on schema public, funnel_gateway_jobs to ${name};
      grant select, insert, update, delete on all tables in schema public, funnel_gateway_jobs to ${name};
      grant usage, select on all sequences in schema public, funnel_gateway_jobs to ${name}`,
    'noinherit',
  );
  const other = await createGateway({ through: async () => user.url });
  try {
    const caller = await factories.apiKey(other.app, { teamId: ours.team.id });
    const send = async (path: string, method = 'GET', body?: object) => {
      const headers = { 'Content-Type': 'application/json' };
      const response = await other.send(path, {
        caller,
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      return response.status;
    };
    expect(await send(`/api/v2/contacts/${ours.contact.id}`)).toBe(200);
    expect(await send(`/api/v2/contacts/${ours.contact.id}`, 'PATCH', { first_name: 'New' })).toBe(200);
    expect(
      await send(`/api/v2/workspaces/${ours.workspace.id}/contacts`, 'POST', { first_name: 'New' }),
    ).toBe(201);
    expect(await send(`/api/v2/contacts/${ours.contact.id}/gdpr_destroy`, 'DELETE')).toBe(200);
    expect(await send(`/api/v2/contacts/${theirs.contact.id}`, 'PATCH', { first_name: 'New' })).toBe(404);
    expect(tenantRoleFindings(await readTenantRoleFacts(other.app.store.pool))).toMatchObject([
      { status: 'ok' },
    ]);
  } finally {
    await other.close();
    await user.drop();
  }
});

test('every service changes rows through the role, except for a person’s own password', async () => {
  const sources = await readSources();
  const beside = sources.filter(
    ({ path, text }) =>
      /^services\/(?!operator\/)/.test(path) &&
      /\bwithTransaction\b|\bwithPrisma\b|\bexecute\(ctx\.store|\bendSessions\b/.test(text),
  );
  expect(beside.map(({ path }) => path)).toEqual(['services/sign-in/password-change.ts']);
});
