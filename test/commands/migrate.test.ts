// `migrate` on a database that has no tables yet.
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneTemplate } from '../support/gateway.ts';
import { type Env, run, runJson } from './cli.ts';

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

test('status tells what is pending and changes nothing', async () => {
  const before = await runJson<{ applied: string[]; pending: string[] }>(['migrate', 'status'], env);
  expect(before.applied).toEqual([]);
  expect(before.pending).toContainEqual(expect.stringMatching(/^\d{14}_init$/));
  expect(await runJson(['migrate', 'status'], env)).toEqual(before);
});

test('commands on a server of the user refuse to touch tables that are missing', async () => {
  for (const args of [['token', 'list'], ['seed']]) {
    const { code, stderr } = await run(args, env);
    expect(code).toBe(1);
    expect(stderr).toContain('funnel-gateway migrate');
  }
});

test('migrate applies what is pending, once', async () => {
  const { applied } = await runJson<{ applied: string[] }>(['migrate'], env);
  expect(applied).toContainEqual(expect.stringMatching(/^\d{14}_init$/));
  expect(await runJson(['migrate'], env)).toEqual({ applied: [], partitions: [] });
  expect(await runJson(['migrate', 'status'], env)).toMatchObject({ applied, pending: [] });
  expect((await run(['token', 'list'], env)).code).toBe(0);
});

test('migrate create refuses a name that is none', async () => {
  const { code, stderr } = await run(['migrate', 'create', '--name', 'Add Score'], env);
  expect(code).toBe(1);
  expect(stderr).toContain('lower-case');
});
