// The reason why a start fails is one sentence, with exit code 1 and no stack.

import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createClusters, query } from '../support/cluster.ts';
import { cloneTemplate } from '../support/gateway.ts';
import { type Result, run, runHere, temporaryFolder } from './cli.ts';

const folder = await temporaryFolder();
afterAll(() => folder.remove());

function sentenceOf({ code, stdout, stderr }: Result): string {
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.trimEnd().split('\n'), stderr).toHaveLength(1);
  expect(stderr).not.toMatch(/\n\s+at /);
  return stderr;
}

/** A server on a free port that accepts connections and never answers. */
async function silentServer(): Promise<{ port: number; close(): void }> {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, close: () => server.close() };
}

test('a port that is in use', async () => {
  const [taken, database] = await Promise.all([silentServer(), cloneTemplate()]);
  const result = await run(['serve'], {
    PORT: String(taken.port),
    DATABASE_URL: database.url,
    DATA_DIR: folder.path,
  });
  expect(sentenceOf(result)).toContain(`Port ${taken.port} on 127.0.0.1 is in use`);
  taken.close();
  await database.drop();
});

test('a metrics port that is in use', async () => {
  const [taken, database] = await Promise.all([silentServer(), cloneTemplate()]);
  const result = await run(['serve'], {
    METRICS_PORT: String(taken.port),
    DATABASE_URL: database.url,
    DATA_DIR: folder.path,
  });
  expect(sentenceOf(result)).toContain(`Port ${taken.port} on 127.0.0.1 is in use`);
  expect(result.stderr).toContain('METRICS_PORT');
  taken.close();
  await database.drop();
});

test('a data folder that cannot be created', async () => {
  const file = join(folder.path, 'file');
  await writeFile(file, '');
  expect(sentenceOf(await run(['serve'], { DATA_DIR: join(file, 'data') }))).toContain('data folder');
});

test('a database server that refuses connections; the password is not shown', async () => {
  const DATABASE_URL = 'postgresql://someone:s3cret@127.0.0.1:9/gateway';
  const sentence = sentenceOf(await run(['token', 'list'], { DATABASE_URL }));
  expect(sentence).toContain('127.0.0.1:9/gateway');
  expect(sentence).not.toContain('s3cret');
});

test('a database server that does not answer', async () => {
  const silent = await silentServer();
  const DATABASE_URL = `postgresql://someone@127.0.0.1:${silent.port}/gateway`;
  expect(sentenceOf(await run(['serve'], { DATABASE_URL }))).toContain(`127.0.0.1:${silent.port}/gateway`);
  silent.close();
});

test('a database that does not exist', async () => {
  const database = await cloneTemplate();
  await database.drop();
  expect(sentenceOf(await run(['serve'], { DATABASE_URL: database.url }))).toContain('no such database');
});

/** As earlier versions left it, as far as migrating examines it. */
async function makeOld(databaseUrl: string): Promise<void> {
  await query(
    databaseUrl,
    `drop schema public cascade; create schema public; create table teams (id bigint);
      create table _prisma_migrations (migration_name text, checksum text, finished_at timestamptz,
        rolled_back_at timestamptz, started_at timestamptz default now());
      insert into _prisma_migrations values ('20261120000000_init', '', now())`,
  );
}

const tablesOf = (databaseUrl: string) =>
  query(databaseUrl, "select tablename from pg_tables where schemaname = 'public' order by 1");

test('a database of an earlier version: every command says how to start anew or stay, and changes nothing', async () => {
  const database = await cloneTemplate();
  await makeOld(database.url);
  const before = await tablesOf(database.url);
  for (const args of [['serve'], ['migrate'], ['migrate', 'status'], ['seed'], ['token', 'list']]) {
    const sentence = sentenceOf(await runHere(args, { DATABASE_URL: database.url, DATA_DIR: folder.path }));
    expect(sentence).toMatch(
      /to start afresh, .* empty database in DATABASE_URL; .* stay with that version\./,
    );
  }
  expect(await tablesOf(database.url)).toEqual(before);
  await database.drop();
});

test('a data folder of an earlier version: the same, and nothing changes', async () => {
  const clusters = createClusters();
  const dataDir = await clusters.folder();
  const old = await clusters.open(dataDir);
  await makeOld(old.url);
  await old.release();
  for (const args of [['serve'], ['token', 'list']])
    expect(sentenceOf(await runHere(args, { DATA_DIR: dataDir }))).toContain('delete the folder DATA_DIR');
  const again = await clusters.open(dataDir);
  expect(await tablesOf(again.url)).toHaveLength(2);
  await clusters.clean();
});

test('all configuration errors at once, without values that may be secret', async () => {
  const env = {
    PORT: 'http',
    LOG_LEVEL: 'loud',
    DATABASE_URL: 'mysql://root:s3cret@db/x',
    TRUST_PROXY: 'proxy',
  };
  const sentence = sentenceOf(await run(['serve'], env));
  for (const name of Object.keys(env)) expect(sentence).toContain(name);
  expect(sentence).not.toContain('s3cret');
});

test('a file .env in the current folder is read, and the environment takes precedence', async () => {
  await writeFile(join(folder.path, '.env'), 'LOG_LEVEL=loud\nPORT=99999\n');
  const sentence = sentenceOf(await run(['token', 'list'], { PORT: '0' }, folder.path));
  expect(sentence).toContain('LOG_LEVEL');
  expect(sentence).not.toContain('PORT');
});

test('with --json the failure is one JSON object on standard error', async () => {
  const { code, stdout, stderr } = await run(['serve', '--json'], { PORT: 'http' });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(JSON.parse(stderr)).toEqual({
    error: { code: 'startup', message: expect.stringContaining('PORT') },
  });
});
