// The role of tenants is made by whoever may make roles; to anybody else the migration says what an administrator has to run.
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyMigrations } from '../../src/store/migrations.ts';
import { TENANT_ROLE } from '../../src/store/tenant-role.ts';
import { readTenantRoleFacts } from '../../src/store/tenant-role-facts.ts';
import { createClusters, query } from '../support/cluster.ts';

const clusters = createClusters();
let serverUrl: string;
beforeAll(async () => {
  serverUrl = (await clusters.open(await clusters.folder())).url;
});
afterAll(() => clusters.clean());

/** A database of a user who is no superuser. @param may what else the user may */
async function withOwner(user: string, may: string, work: (pool: pg.Pool) => Promise<void>): Promise<void> {
  await query(serverUrl, `create role ${user} login ${may}`);
  await query(serverUrl, `create database ${user} owner ${user}`);
  const url = new URL(serverUrl);
  Object.assign(url, { username: user, pathname: `/${user}` });
  const pool = new pg.Pool({ connectionString: url.href, max: 1 });
  // Its connections may still be closing when the database is gone.
  pool.on('error', () => {});
  try {
    await work(pool);
  } finally {
    await pool.end();
  }
}

const whole = {
  isDistributed: false,
  role: { isExempt: false, canEnter: true, isInherited: false, open: [] },
};

test('a user who may not make roles is told what to run; then it goes on', async () => {
  await withOwner('plain', 'nocreaterole', async (pool) => {
    const lines = `create role ${TENANT_ROLE} nologin; grant ${TENANT_ROLE} to plain;`;
    await expect(applyMigrations(pool)).rejects.toThrow(lines);
    await query(serverUrl, lines);
    await pool.query('delete from _prisma_migrations where finished_at is null');
    await applyMigrations(pool);
    expect(await readTenantRoleFacts(pool)).toEqual(whole);
  });
});

test('one who may not grant a role that is there already is told the same', async () => {
  await withOwner('later', 'createrole', async (pool) => {
    await expect(applyMigrations(pool)).rejects.toThrow(`grant ${TENANT_ROLE} to later;`);
  });
});

test('one who may make roles makes it', async () => {
  for (const database of ['plain', 'later']) await query(serverUrl, `drop database ${database}`);
  await query(serverUrl, `drop role ${TENANT_ROLE}`);
  await withOwner('maker', 'createrole', async (pool) => {
    await applyMigrations(pool);
    expect(await readTenantRoleFacts(pool)).toEqual(whole);
  });
});
