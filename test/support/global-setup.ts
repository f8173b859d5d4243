// One PostgreSQL for the whole run, with a migrated template that every test file clones.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { parseConfig } from '../../src/config/config.ts';
import { makePartitions } from '../../src/services/partitions.ts';
import { openEmbedded } from '../../src/store/embedded/embedded.ts';
import { applyMigrations } from '../../src/store/migrations/migrations.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A migrated database to clone; never to be connected to. */
    templateUrl: string;
    /** Where else it has to be cloned: the same database at the workers of Citus. */
    workerUrls: string[];
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'funnel-gateway-test-'));
  const database = await openEmbedded({
    dataDir,
    settings: {
      // Nothing here has to survive a power cut.
      ...{ fsync: 'off', full_page_writes: 'off' },
      // Statistics are those that a test makes: in a run that takes long it would make others in the middle of one.
      autovacuum: 'off',
    },
  });
  const pool = new pg.Pool({ connectionString: database.url });
  await applyMigrations(pool);
  const { config } = parseConfig({}, '/');
  await makePartitions({ config, store: { pool } });
  await pool.end();
  project.provide('templateUrl', database.url);
  project.provide('workerUrls', []);
  return async () => {
    await database.release();
    await rm(dataDir, { recursive: true, force: true });
  };
}
