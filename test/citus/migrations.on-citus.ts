// What the rules of migrations say of Citus (test/support/citus-rules.ts) is what it does.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { splitStatements } from '../../src/store/migrations/split.ts';
import { REFUSED, TAKEN } from '../support/citus-statements.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await createGateway();
});
afterAll(() => gateway.close());

/** Applies a migration, and takes it back. */
async function apply(sql: string): Promise<void> {
  const client = await gateway.app.store.pool.connect();
  try {
    await client.query('begin');
    for (const statement of splitStatements(sql)) await client.query(statement);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

test.each(TAKEN.map((sql) => [sql]))('Citus accepts %s', async (sql) => {
  await expect(apply(sql)).resolves.toBeUndefined();
});

test.each(REFUSED)('Citus refuses %s', async (sql) => {
  await expect(apply(sql)).rejects.toThrow();
});

/** The first migration whose changes of rows were tried over Citus. Those before it name columns that are gone. */
const TRIED_SINCE = '20261128170000';
const CHANGES_ROWS = /^(?:\s*--.*\n)*\s*(?:update|delete)\b/i;

test.each(readdirSync('prisma/migrations').filter((name) => name >= TRIED_SINCE && /^\d/.test(name)))(
  'Citus accepts what %s changes in rows',
  async (name) => {
    const statements = splitStatements(readFileSync(`prisma/migrations/${name}/migration.sql`, 'utf8'));
    const changes = statements.filter((statement) => CHANGES_ROWS.test(statement));
    await expect(apply(changes.join(';'))).resolves.toBeUndefined();
  },
);
