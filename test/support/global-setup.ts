// Starts one PostgreSQL for the complete run, with a migrated template that every test file clones.
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { parseConfig } from '../../src/config/config.ts';
import { makePartitions } from '../../src/services/partitions.ts';
import { applyMigrations } from '../../src/store/migrations/migrations.ts';
import { letPrepare } from './cluster.ts';
import { startTestServer } from './test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A migrated database to clone; never to be connected to. */
    templateUrl: string;
    /** The server as its superuser. */
    administratorUrl: string;
    /** Where else it has to be cloned: the same database at the workers of Citus. */
    workerUrls: string[];
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { database, stop } = await startTestServer({
    // No data has to survive a power cut.
    ...{ fsync: 'off', full_page_writes: 'off' },
    // Only tests make statistics: in a long run autovacuum would change them in the middle of a test.
    autovacuum: 'off',
  });
  await letPrepare(database);
  const pool = new pg.Pool({ connectionString: database.url });
  await applyMigrations(pool);
  const { config } = parseConfig({}, '/');
  await makePartitions({ config, store: { pool } });
  await pool.end();
  project.provide('templateUrl', database.url);
  project.provide('administratorUrl', database.administratorUrl);
  project.provide('workerUrls', []);
  return stop;
}
