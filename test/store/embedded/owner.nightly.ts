// The gateway's user of the embedded database is a plain owner. In a store of an earlier version it is a superuser: the next start
// changes that without losing rows, even after an interruption anywhere.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { checkTenantRole } from '../../../src/commands/doctor/tenant-role.ts';
import { ADMINISTRATOR, OWNER } from '../../../src/store/embedded/address.ts';
import type { EmbeddedDatabase } from '../../../src/store/embedded/embedded.ts';
import { close, LEASE_DATABASE, takeLease } from '../../../src/store/embedded/lease.ts';
import { ensurePlainOwner } from '../../../src/store/embedded/owner.ts';
import { readPostmaster } from '../../../src/store/embedded/postmaster.ts';
import { applyMigrations, migrationState } from '../../../src/store/migrations/migrations.ts';
import { run, runHere, runJsonHere, temporaryFolder } from '../../commands/cli.ts';
import { openGateway } from '../../commands/embedded-gateway.ts';
import { createClusters, kill, query } from '../../support/cluster.ts';
import { makeSuperuserStore, startSuperuserStore } from '../../support/superuser-store.ts';

const clusters = createClusters();
afterAll(() => clusters.clean());

async function withPool<T>(url: string, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => {});
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** The demo in a store of an earlier version, with possible additions of an operator. */
async function makeOldStore(): Promise<string> {
  const dataDir = await clusters.folder();
  const store = await makeSuperuserStore(dataDir);
  await withPool(store.url, (pool) => applyMigrations(pool));
  const seeded = await run(['seed'], { DATABASE_URL: store.url, DATA_DIR: dataDir });
  expect(seeded.stderr).toBe('');
  await query(store.url, `alter role ${OWNER} set work_mem = '8MB'`);
  await query(store.url, `alter role ${OWNER} in database ${OWNER} set search_path = "$user", public`);
  await query(store.url, 'create view report as select id, name from teams; create schema reports');
  await query(
    store.url,
    `create domain reports.amount as int; create type reports.kind as enum ('a');
      create type reports.pair as (a int, b int); create sequence reports.number; create materialized view reports.teams as table teams`,
  );
  await store.stop();
  return dataDir;
}

const oldStore = await makeOldStore();

/** The rows of every table, as a number and a hash. */
async function rowsOf(url: string): Promise<Record<string, unknown>> {
  const tables = await query(
    url,
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = relnamespace
      where relkind in ('r', 'm') and nspname !~ '^pg_' and nspname <> 'information_schema' order by 1`,
  );
  const rows: Record<string, unknown> = {};
  for (const { name } of tables)
    [rows[String(name)]] = await query(
      url,
      `select count(*), md5(string_agg(t::text, chr(10) order by t::text)) from ${name} t`,
    );
  return rows;
}

/** The owner of each object, and all rights on it. */
async function rightsOf(url: string): Promise<Record<string, unknown>[]> {
  return query(
    url,
    `with own as (
      select 'relation' as kind, c.oid::regclass::text as name, relowner as owner, relacl as acl from pg_class c where c.oid >= 16384
        and relkind in ('r', 'p', 'v', 'm', 'S', 'i', 'I') and relnamespace <> 'pg_toast'::regnamespace
      union all select 'column', attrelid::regclass || '.' || attname, null, attacl from pg_attribute where attrelid >= 16384 and attacl is not null
      union all select 'routine', oid::regprocedure::text, proowner, proacl from pg_proc where oid >= 16384
      union all select 'type', oid::regtype::text, typowner, typacl from pg_type where oid >= 16384
      union all select 'schema', nspname, nspowner, nspacl from pg_namespace where nspname !~ '^pg_toast'
      union all select 'database', datname, datdba, datacl from pg_database where datname = current_database())
    select kind, name, owner::regrole::text, acl::text from own
      where name !~ 'report' and name !~ '_p?[0-9]{8}' and name !~ '_y?[0-9]{4}' order by 1, 2`,
  );
}

const USERS = `select rolname as name, rolsuper as super, rolcreaterole as maker, rolcreatedb as databases, rolbypassrls as bypasses, rolcanlogin as login,
  rolreplication as replicates from pg_roles where rolname like 'funnel_gateway%' order by 1`;
const plain = { super: false, databases: false, bypasses: false, replicates: false };

async function expectPlain({ url, owner }: EmbeddedDatabase): Promise<void> {
  expect(owner).toMatchObject({ isPlain: true });
  expect(await query(url, USERS)).toEqual([
    { ...plain, name: OWNER, maker: true, login: true },
    expect.objectContaining({ name: ADMINISTRATOR, super: true }),
    { ...plain, name: 'funnel_gateway_tenant', maker: false, login: false },
  ]);
  const others = `select count(*)::int as count from pg_class c where relowner = '${ADMINISTRATOR}'::regrole and oid >= 16384
    and relnamespace <> 'pg_toast'::regnamespace`;
  expect(await query(url, others)).toEqual([{ count: 0 }]);
}

test('an old store has all its rows, and the rights of a new one', async () => {
  const dataDir = await clusters.folder(oldStore);
  const before = await startSuperuserStore(dataDir);
  const rows = await rowsOf(before.url);
  expect(Object.keys(rows).length).toBeGreaterThan(50);
  await before.stop();

  const database = await clusters.open(dataDir);
  expect(database.owner).toEqual({ isPlain: true, wasChanged: true });
  expect(await rowsOf(database.url)).toEqual(rows);
  await expectPlain(database);
  expect(await query(database.url, "select current_setting('work_mem') as memory")).toEqual([
    { memory: '8MB' },
  ]);
  expect(await query(database.url, "select current_setting('search_path') as path")).toEqual([
    { path: '"$user", public' },
  ]);
  const fresh = await clusters.open(await clusters.folder());
  expect(fresh.owner).toEqual({ isPlain: true, wasChanged: false });
  await withPool(fresh.url, (pool) => applyMigrations(pool));
  await expectPlain(fresh);
  expect(await rightsOf(database.url)).toEqual(await rightsOf(fresh.url));
  for (const { url } of [database, fresh])
    await withPool(url, async (pool) => {
      expect(await checkTenantRole(pool, await migrationState(pool))).toMatchObject([{ status: 'ok' }]);
    });
  await database.release();

  const again = await clusters.open(dataDir);
  expect(again.owner).toEqual({ isPlain: true, wasChanged: false });
  await again.release();
});

test('its gateway reads and changes, and makes a restorable backup; the log reports the conversion once', async () => {
  const dataDir = await clusters.folder(oldStore);
  const env = { DATA_DIR: dataDir };
  const said = 'the user of the embedded database is no superuser any more';
  expect((await runHere(['team', 'list'], env)).stderr).toContain(said);
  expect((await runHere(['team', 'list'], env)).stderr).not.toContain(said);
  const gateway = await openGateway(clusters, dataDir);
  const { token } = await runJsonHere<{ token: string }>(
    [
      'token',
      'create',
      '--team',
      '1',
      '--name',
      'Own',
      '--scopes',
      'contacts:read contacts:write account:read',
    ],
    env,
  );
  const [workspace] = (await (await gateway.send('/api/v2/teams/1/workspaces', { token })).json()) as {
    id: number;
  }[];
  const path = `/api/v2/workspaces/${workspace?.id}/contacts`;
  const body = JSON.stringify({ contact: { email_address: 'new@example.com' } });
  const headers = { 'Content-Type': 'application/json' };
  const made = await gateway.send(path, { token, method: 'POST', headers, body });
  expect(made.status).toBe(201);
  const { id } = (await made.json()) as { id: number };
  await gateway.close();

  const folder = await temporaryFolder();
  const { file } = await runJsonHere<{ file: string }>(['backup', folder.path], env);
  expect(await runHere(['restore', file, '--replace'], env)).toMatchObject({ code: 0 });
  const restored = await openGateway(clusters, dataDir);
  expect((await restored.send(`/api/v2/contacts/${id}`, { token })).status).toBe(200);
  await restored.close();
  await folder.remove();
});

test('after an interruption anywhere everything works, and the next start completes it', async () => {
  const complete = Symbol('complete');
  for (let at = 1, end: unknown; end !== complete; at++) {
    const dataDir = await clusters.folder(oldStore);
    const store = await startSuperuserStore(dataDir);
    const connectTo = (user: string, name: string) =>
      store.url.replace(OWNER, user).replace(`/${OWNER}?`, `/${name}?`);
    const lease = await takeLease(connectTo(OWNER, LEASE_DATABASE));
    if (lease === null) throw new Error('There is no lease.');
    let left = at;
    await ensurePlainOwner(lease, null, async (user, name) => {
      const client = new pg.Client({ connectionString: connectTo(user, name) });
      client.on('error', () => {});
      await client.connect();
      const send = client.query.bind(client) as (...args: unknown[]) => unknown;
      return Object.assign(client, {
        query: async (...args: unknown[]) => {
          if (--left < 0) throw new Error('interrupted');
          return send(...args);
        },
      });
    }).catch(() => {});
    if (left >= 0) end = complete;
    await close(lease);
    expect(await query(store.url, 'select count(*)::int > 0 as is from contacts')).toEqual([{ is: true }]);
    await store.stop();
    const database = await clusters.open(dataDir);
    await expectPlain(database);
    await database.release();
  }
});

test.each([200, 300, 400, 500, 600, 800])(
  'killed after %s ms, with PostgreSQL, the next start completes it',
  async (afterMs) => {
    const dataDir = await clusters.folder(oldStore);
    const child = clusters.startChild(dataDir);
    await sleep(afterMs);
    await kill(child);
    const server = await readPostmaster(join(dataDir, 'postgres'));
    if (server !== null) process.kill(server.pid, 'SIGKILL');
    const database = await clusters.open(dataDir);
    await expectPlain(database);
    await database.release();
  },
);

test('while others use the store it waits for a start without them', async () => {
  const dataDir = await clusters.folder(oldStore);
  const store = await startSuperuserStore(dataDir);
  const other = await takeLease(store.url.replace(`/${OWNER}?`, `/${LEASE_DATABASE}?`));
  const second = await clusters.open(dataDir);
  expect(second.owner).toEqual({ isPlain: false, reason: 'other processes use the database' });
  expect(await query(second.administratorUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  if (other !== null) await close(other);
  await second.release();
  const alone = await clusters.open(dataDir);
  expect(alone.owner).toEqual({ isPlain: true, wasChanged: true });
});
