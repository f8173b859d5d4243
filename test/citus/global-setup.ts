// A coordinator and two workers of Citus for the whole run, with a store on them that every test file clones: `create database` with a
// template copies what Citus knows of its tables as well, where it is done at each node.
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { distributeStore, MISSING, startCitus } from '../trials/citus/store.ts';

/** Each test file has databases of its own, so that there are few. */
const SHARDS = 4;

/** No waiting for a power cut; and what was committed in two phases stays noted, for a test looks for it (commits.on-citus.ts). */
const SETTINGS = [
  ...['full_page_writes = off', 'autovacuum = off', 'shared_buffers = 64MB'],
  "citus.recover_2pc_interval = '-1'",
];

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const nodes = await startCitus(SETTINGS);
  if (nodes === null) throw new Error(MISSING);
  try {
    await distributeStore(nodes.url, SHARDS);
    for (const url of [nodes.url, ...nodes.workerUrls]) await close(url);
  } catch (error) {
    await nodes.stop();
    throw error;
  }
  project.provide('templateUrl', nodes.url);
  project.provide('administratorUrl', nodes.url);
  project.provide('workerUrls', [...nodes.workerUrls]);
  return nodes.stop;
}

/** Nobody may be connected to what is cloned, a process of Citus neither. */
async function close(url: string): Promise<void> {
  const database = new URL(url).pathname.slice(1);
  const client = new pg.Client({ connectionString: url.replace(/\w+$/, 'postgres') });
  await client.connect();
  try {
    await client.query(`alter database ${database} with allow_connections false`);
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      database,
    ]);
  } finally {
    await client.end();
  }
}
