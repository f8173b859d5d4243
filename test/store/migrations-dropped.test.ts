// Migrations that drop an index concurrently, killed after the server dropped it and before it was recorded.
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { PRISMA_FOLDER, readMigrations } from '../../src/store/migrations/folder.ts';
import { applyMigrations } from '../../src/store/migrations/migrations.ts';
import { cloneTemplate } from '../support/gateway.ts';

const dropping = (await readMigrations(PRISMA_FOLDER))
  .filter(({ sql }) => /^drop index concurrently/m.test(sql))
  .map(({ name }) => name);
const database = await cloneTemplate();
const pool = new pg.Pool({ connectionString: database.url, max: 2 });
afterAll(async () => {
  await pool.end();
  await database.drop();
});

test('such migrations exist', () => expect(dropping.length).toBeGreaterThan(2));

test.each(dropping)('the next attempt completes %s', async (name) => {
  await pool.query('delete from _prisma_migrations where migration_name = $1', [name]);
  expect(await applyMigrations(pool)).toEqual([name]);
});
