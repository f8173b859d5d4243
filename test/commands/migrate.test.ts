// `migrate` on a database that has no tables yet.
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bringUpToDate } from '../../src/commands/database.ts';
import { PARTITIONED_TABLES } from '../../src/store/partitions/partitions.ts';
import { cloneTemplate, createGateway } from '../support/gateway.ts';
import { nightly } from '../support/nightly.ts';
import { createUser } from '../support/users.ts';
import { databaseUrlOf, type Env, runHere, runJsonHere } from './cli.ts';

let database: Awaited<ReturnType<typeof cloneTemplate>>;
let env: Env;

beforeAll(async () => {
  database = await cloneTemplate();
  env = { DATABASE_URL: database.url };
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('drop schema public cascade; create schema public');
  await client.end();
});
afterAll(() => database.drop());

test('status lists pending migrations and changes nothing', async () => {
  const before = await runJsonHere<{ applied: string[]; pending: string[] }>(['migrate', 'status'], env);
  expect(before.applied).toEqual([]);
  expect(before.pending).toContainEqual(expect.stringMatching(/^\d{14}_init$/));
  expect(await runJsonHere(['migrate', 'status'], env)).toEqual(before);
});

test('commands refuse an external server with missing tables', async () => {
  for (const args of [['token', 'list'], ['seed']]) {
    const { code, stderr } = await runHere(args, env);
    expect(code).toBe(1);
    expect(stderr).toContain('funnel-gateway migrate');
  }
});

test('migrate applies pending migrations, once', async () => {
  const { applied } = await runJsonHere<{ applied: string[] }>(['migrate'], env);
  expect(applied).toContainEqual(expect.stringMatching(/^\d{14}_init$/));
  expect(await runJsonHere(['migrate'], env)).toEqual({ applied: [], partitions: [] });
  expect(await runJsonHere(['migrate', 'status'], env)).toMatchObject({ applied, pending: [] });
  expect((await runHere(['token', 'list'], env)).code).toBe(0);
});

test('status says which migration failed, with exit code 1', async () => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `update _prisma_migrations set finished_at = null, logs = 'why' where migration_name = (
      select max(migration_name) from _prisma_migrations) returning migration_name as name`,
  );
  const { code, stdout } = await runHere(['migrate', 'status', '--json'], env);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ failed: [rows[0]?.name] });
  await client.query(
    "update _prisma_migrations set finished_at = now(), logs = '' where finished_at is null",
  );
  await client.end();
  expect((await runHere(['migrate', 'status'], env)).code).toBe(0);
});

test('migrate refuses a user who does not own the tables; a start continues with a warning', async () => {
  const gateway = await createGateway();
  const { app } = gateway;
  const { pool } = app.store;
  const user = await createUser(
    databaseUrlOf(gateway),
    (name) =>
      `grant usage on schema public to ${name}; grant select on all tables in schema public to ${name}`,
  );
  const { rows } = await pool.query<{ name: string }>(
    `select p.name from unnest($1::text[]) parent, time_partitions(parent::regclass) p`,
    [PARTITIONED_TABLES.map(({ name }) => name)],
  );
  for (const { name } of rows) await pool.query(`drop table ${name}`);
  const { code, stderr } = await runHere(['migrate'], { DATABASE_URL: user.url });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^The migrations are applied, but .*own/);
  expect(stderr).not.toContain('    at ');
  const reader = new pg.Pool({ connectionString: user.url });
  await bringUpToDate({ ...app, store: { ...app.store, pool: reader } });
  await reader.end();
  expect(gateway.logLines.join()).toContain('partitions could not be made');
  await user.drop();
  await gateway.close();
});

/** A gateway, and what its next start logs of migrations. */
async function loggingStarts() {
  const gateway = await createGateway();
  const { app, logLines } = gateway;
  const { pool } = app.store;
  const { rows } = await pool.query<{ name: string }>(
    'select migration_name as name from _prisma_migrations order by name',
  );
  const start = async () => {
    const before = logLines.length;
    await bringUpToDate(app);
    const lines = logLines.slice(before).filter((line) => line.includes('migrations applied'));
    return lines.map((line) => JSON.parse(line));
  };
  return { gateway, pool, start, names: rows.map(({ name }) => name) };
}

test('a start logs the migrations of an upgrade by name', async () => {
  const { gateway, pool, start } = await loggingStarts();
  const last = '20261129080009_fulfillments_by_creation';
  await pool.query('drop index fulfillments_workspace_id_created_at_id_idx');
  await pool.query('delete from _prisma_migrations where migration_name = $1', [last]);
  expect(await start()).toMatchObject([{ migrations: [last] }]);
  expect(await start()).toEqual([]);
  await gateway.close();
});

nightly('a start logs how many migrations an empty database got', async () => {
  const { gateway, pool, start, names } = await loggingStarts();
  await pool.query(
    'drop schema public cascade; drop schema funnel_gateway_jobs cascade; create schema public',
  );
  const [line, ...others] = await start();
  expect(line).toMatchObject({ count: names.length, last: names.at(-1) });
  expect(line).not.toHaveProperty('migrations');
  expect(others).toEqual([]);
  expect(await start()).toEqual([]);
  await gateway.close();
});

test('migrate create refuses an invalid name', async () => {
  const { code, stderr } = await runHere(['migrate', 'create', '--name', 'Add Score'], env);
  expect(code).toBe(1);
  expect(stderr).toContain('lower-case');
});
