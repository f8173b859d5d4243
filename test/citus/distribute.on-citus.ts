// `distribute` leaves all or nothing: whatever ends it midway, the store is as it was, and it can be run again.
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { applyMigrations, migrationState } from '../../src/store/migrations/migrations.ts';
import { type Env, type Result, run, start } from '../commands/cli.ts';
import { createClusters, query } from '../support/cluster.ts';
import { openGateway } from '../support/gateway.ts';
import { createTenant } from '../support/operations.ts';
import { addMigration, copyPrisma } from '../support/prisma-copy.ts';

const folders = createClusters();
const DATABASE = 'undistributed';
/** The coordinator's database first. */
const urls = [inject('templateUrl'), ...inject('workerUrls')].map((url) => url.replace(/\w+$/, DATABASE));
const [url = ''] = urls;
const env: Env = { DATABASE_URL: url };
const ARGS = ['distribute', '--shards', '4'];

async function administer(text: string): Promise<void> {
  for (const at of urls) await query(at.replace(/\w+$/, 'postgres'), text);
}

beforeAll(async () => {
  await administer(`create database ${DATABASE}`);
  for (const at of urls) await query(at, 'create extension citus');
  const [coordinator, ...workers] = urls.map((at) => new pg.Client({ connectionString: at }));
  await query(url, `select citus_set_coordinator_host('${coordinator?.host}', ${coordinator?.port})`);
  for (const { host, port } of workers) await query(url, `select citus_add_node('${host}', ${port})`);
  expect((await run(['migrate'], env)).stderr).toBe('');
  const gateway = openGateway({ databaseUrl: url });
  await createTenant(gateway.app, 'x').finally(() => gateway.close());
});
afterAll(async () => {
  await administer(`drop database if exists ${DATABASE} with (force)`);
  await folders.clean();
});

/** How many rows each table has; and what distributing takes off tables, or puts onto them. */
async function found(): Promise<object[][]> {
  const tables = await query(
    url,
    `select c.oid::regclass::text as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  );
  const counts = tables.map(({ name }) => query(url, `select '${name}' as name, count(*)::int from ${name}`));
  const attached = query(
    url,
    `select polrelid::regclass::text as name, polname::text as own from pg_policy
      union all select tgrelid::regclass::text, tgname from pg_trigger where not tgisinternal
      union all select conrelid::regclass::text, conname from pg_constraint where contype = 'f' order by 1, 2`,
  );
  return Promise.all([...counts, attached]);
}

/** Ends the sessions of a database, but the one that does so. */
async function endSessions(at: string, name: string): Promise<void> {
  await query(
    at,
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name like '${name}%'`,
  );
}

/** What ends it, the exit code, and what is said. */
const ENDS: readonly [string, (kill: (signal: NodeJS.Signals) => void) => unknown, number | null, RegExp][] =
  [
    ['Ctrl-C', (kill) => kill('SIGINT'), 1, /^Interrupted: the store is as it was\.$/m],
    ['SIGTERM', (kill) => kill('SIGTERM'), 1, /^Interrupted: the store is as it was\.$/m],
    ['SIGKILL', (kill) => kill('SIGKILL'), null, /^/],
    [
      'the loss of its session',
      () => endSessions(url, 'funnel-gateway distribute'),
      1,
      /^The store was not distributed, and nothing was changed: .+\.$/m,
    ],
    [
      'the loss of the sessions at a worker',
      () => endSessions(urls[1] ?? '', 'citus_internal'),
      1,
      // What Citus passes on of the worker may have two lines.
      /^The store was not distributed, and nothing was changed: (.|\n)+\.$/m,
    ],
  ];

/** Runs it, and ends it when it has placed some tables. */
async function endedMidway(end: (kill: (signal: NodeJS.Signals) => void) => unknown): Promise<Result> {
  const { child, output, result } = start(ARGS, env);
  await expect.poll(() => output.stderr, { interval: 5 }).toMatch(/^5 of \d+/m);
  await end((signal) => child.kill(signal));
  return result;
}

test.each(ENDS)('after %s the store is unchanged', async (_, end, code, said) => {
  const before = await found();
  const ended = await endedMidway(end);
  expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(said) });
  expect(ended.stderr).not.toMatch(/^(\d+) of \1 /m);
  await expect.poll(found).toEqual(before);
  for (const at of urls) {
    const prepared = await query(at, 'select gid from pg_prepared_xacts where database = current_database()');
    expect(prepared).toEqual([]);
  }
});

test('then the complete store is distributed', async () => {
  const before = await found();
  // When all is placed it looks at every table: with Ctrl-C it is done without.
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin; lock table _prisma_migrations in share update exclusive mode');
  const { child, result } = start(ARGS, env);
  const waiting = `select from pg_locks where relation = '_prisma_migrations'::regclass and not granted`;
  while ((await holder.query(waiting)).rowCount === 0);
  child.kill('SIGINT');
  const first = await result;
  await holder.end();
  expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Distributed: /) });
  const again = await run(ARGS, env);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Everything is in place: /) });
  expect((await found()).slice(0, -1)).toEqual(before.slice(0, -1));
});

test('a later migration is applied, in one transaction with its record', async () => {
  const folder = await copyPrisma(folders);
  const db = new pg.Pool({ connectionString: url, max: 1 });
  // Its connections may still be closing when the database is dropped.
  db.on('error', () => {});
  try {
    const [good, bad] = ['20270101000000_more', '20270102000000_wrong'];
    await addMigration(
      folder,
      good,
      `alter table contacts add column more int; alter table tags add column more int;
        grant update (more) on tags to funnel_gateway_tenant; call open_to_tenants('tags', 'select');`,
    );
    expect(await applyMigrations(db, folder)).toEqual([good]);
    await addMigration(
      folder,
      bad,
      'alter table contacts add column wrong int; alter table tags add column more int;',
    );
    await expect(applyMigrations(db, folder)).rejects.toThrow(/already exists/);
    expect(await migrationState(db, folder)).toMatchObject({ failed: [bad] });
    await expect(query(url, 'select wrong from contacts')).rejects.toThrow(/does not exist/);
  } finally {
    await db.end();
  }
});
