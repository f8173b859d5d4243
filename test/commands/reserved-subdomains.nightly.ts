// A store in which a team or a workspace has a subdomain that this version reserves: it is reported and loses nothing.
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { applyMigrations } from '../../src/store/migrations/migrations.ts';
import { createClusters, query } from '../support/cluster.ts';
import { type Env, runHere, runJsonHere, temporaryFolder } from './cli.ts';

const SERVICE_USERS = '20261122124000_service_users';
const clusters = createClusters();

const folder = await temporaryFolder();
const old = await clusters.folder();
const database = await clusters.open(old);
const pool = new pg.Pool({ connectionString: database.url, max: 1 });
// Its connections may still be closing when the database is stopped.
pool.on('error', () => {});
await applyMigrations(pool, undefined, { only: (name) => name < SERVICE_USERS });
await pool.query(`insert into teams (name, subdomain) values ('Acme', 'acme');
  insert into workspaces (team_id, name, subdomain) values (1, 'Shop', 'accounts'), (1, 'Blog', 'blog')`);
await pool.end();
await database.release();
afterAll(async () => {
  await clusters.clean();
  await folder.remove();
});

const subdomainsIn = async (dataDir: string) => {
  const database = await clusters.open(dataDir);
  const rows = await query(database.url, 'select subdomain from workspaces order by id');
  await database.release();
  return rows.map(({ subdomain }) => subdomain);
};

test('a backup with such a workspace is restored unchanged, and doctor reports the workspace', async () => {
  const file = join(folder.path, 'old.tar.gz');
  await runJsonHere(['backup', file], { DATA_DIR: old });
  const env: Env = { DATA_DIR: await clusters.folder() };
  expect(await runHere(['restore', file], env)).toMatchObject({ code: 0 });
  expect(await subdomainsIn(env['DATA_DIR'] ?? '')).toEqual(['accounts', 'blog']);
  const database = await clusters.open(env['DATA_DIR'] ?? '');
  const { checks } = JSON.parse((await runHere(['doctor', '--json'], env)).stdout);
  expect(checks).toContainEqual({
    name: 'subdomains',
    status: 'warn',
    message: expect.stringMatching(/^workspace 1 \(\w{6}, "Shop"\) has the subdomain accounts/),
    advice: 'npx funnel-gateway workspace subdomain 1 NEW',
  });
  expect(await query(database.url, 'select service_team_id::int as team from users')).toEqual([{ team: 1 }]);
  await database.release();
});

test('commands that migrate name the workspace and change nothing until it has another subdomain', async () => {
  const env: Env = { DATA_DIR: old };
  // One server for all commands, which join it.
  const database = await clusters.open(old);
  const before = await runJsonHere(['migrate', 'status'], env);
  for (const args of [['migrate'], ['serve'], ['team', 'list']]) {
    const { code, stdout, stderr } = await runHere(args, env);
    expect([args, code, stdout]).toEqual([args, 1, '']);
    expect(stderr).toMatch(/workspace 1 \(\w{6}, "Shop"\) has the subdomain accounts/);
    expect(stderr).toContain('npx funnel-gateway workspace subdomain 1 NEW');
  }
  expect(await runJsonHere(['migrate', 'status'], env)).toEqual(before);

  for (const [label, code] of [
    ['blog', 'conflict'],
    ['acme', 'conflict'],
    ['accounts', 'invalid'],
    ['a.b', 'invalid'],
  ] as const) {
    const { stderr } = await runHere(['workspace', 'subdomain', '1', label, '--json'], env);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code } });
  }
  expect((await runHere(['workspace', 'subdomain', '9', 'shop'], env)).stderr).toContain(
    'Workspace not found',
  );
  expect(await subdomainsIn(old)).toEqual(['accounts', 'blog']);

  expect(await runJsonHere(['workspace', 'subdomain', '1', 'Shop'], env)).toMatchObject({
    id: 1,
    subdomain: 'shop',
  });
  expect(await runJsonHere(['team', 'subdomain', '1', 'outdoor'], env)).toMatchObject({
    id: 1,
    subdomain: 'outdoor',
  });
  expect(await runJsonHere(['migrate'], env)).toMatchObject({
    applied: expect.arrayContaining([SERVICE_USERS]),
  });
  expect(await subdomainsIn(old)).toEqual(['shop', 'blog']);
  expect(await runJsonHere(['team', 'list'], env)).toMatchObject([{ subdomain: 'outdoor' }]);
  await database.release();
});

test('a store without tables needs no renaming', async () => {
  const { code, stderr } = await runHere(['team', 'subdomain', '1', 'acme'], {
    DATA_DIR: await clusters.folder(),
  });
  expect([code, stderr.includes('npx funnel-gateway migrate')]).toEqual([1, true]);
});
