// A user who may create roles creates the role of tenants; for anybody else the migration prints what an administrator must run.
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { checkTenantRole } from '../../src/commands/doctor/tenant-role.ts';
import { parseConfig } from '../../src/config/config.ts';
import { readTenantRoleFacts } from '../../src/store/inspection/tenant-role-facts.ts';
import { PRISMA_FOLDER, readMigrations } from '../../src/store/migrations/folder.ts';
import { createHistory, recordApplied } from '../../src/store/migrations/history.ts';
import { applyMigrations, migrationState } from '../../src/store/migrations/migrations.ts';
import { splitStatements, withoutComments } from '../../src/store/migrations/split.ts';
import { TENANT_ROLE } from '../../src/store/tenancy/tenant-role.ts';
import { createClusters, query } from '../support/cluster.ts';
import * as factories from '../support/factories.ts';
import { openGateway } from '../support/gateway.ts';

const clusters = createClusters();
const serverUrl = (await clusters.open(await clusters.folder())).administratorUrl;
afterAll(() => clusters.clean());

/** A database of a user without superuser rights. @param may further rights of the user */
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

const doctorOf = async (pool: pg.Pool) => checkTenantRole(pool, await migrationState(pool));

const whole = {
  isUsed: true,
  role: { isExempt: false, canEnter: true, isInherited: false, open: [] },
};

test('a user who may not create roles gets the lines to run before anything is done; then the same command succeeds', async () => {
  await withOwner('plain', 'nocreaterole', async (pool) => {
    const lines = `\n  create role ${TENANT_ROLE} nologin;\n  grant ${TENANT_ROLE} to plain;\n`;
    expect(await doctorOf(pool)).toMatchObject([
      { status: 'fail', advice: expect.stringContaining('create role') },
    ]);
    await expect(applyMigrations(pool)).rejects.toThrow(lines);
    expect((await migrationState(pool)).applied).toEqual([]);
    await query(serverUrl, lines);
    expect(await doctorOf(pool)).toMatchObject([{ status: 'ok' }]);
    await applyMigrations(pool);
    expect(await readTenantRoleFacts(pool)).toEqual(whole);
    expect(await doctorOf(pool)).toMatchObject([{ status: 'ok' }]);
  });
});

test('a user who may not grant an existing role gets the same lines', async () => {
  await withOwner('later', 'createrole', async (pool) => {
    await expect(applyMigrations(pool)).rejects.toThrow(`grant ${TENANT_ROLE} to later;`);
    await expect(applyMigrations(pool)).rejects.toThrow('may neither make nor take the role');
    expect(await doctorOf(pool)).toMatchObject([
      {
        message: expect.stringContaining('may neither make nor take the role'),
        advice: expect.stringContaining(`run "grant ${TENANT_ROLE} to later;"`),
      },
    ]);
  });
});

test('a user who may create roles creates it', async () => {
  for (const database of ['plain', 'later']) await query(serverUrl, `drop database ${database}`);
  await query(serverUrl, `drop role ${TENANT_ROLE}`);
  await withOwner('maker', 'createrole', async (pool) => {
    await applyMigrations(pool);
    expect(await readTenantRoleFacts(pool)).toEqual(whole);
  });
});

/** All entries of the catalogs about the role and its rights. */
async function catalogsOf(pool: pg.Pool): Promise<unknown[]> {
  const { rows } = await pool.query(`
    select 'policy' as kind, polrelid::regclass::text as name,
        array[polname, polpermissive::text, polcmd::text, polroles::regrole[]::text, pg_get_expr(polqual, polrelid),
          pg_get_expr(polwithcheck, polrelid)] as facts
      from pg_policy
    union all select 'table', relname, array[relrowsecurity::text, replace(relacl::text, current_user, 'OWNER')]
      from pg_class where relnamespace = 'public'::regnamespace and relname <> '_prisma_migrations'
    union all select 'column', attrelid::regclass || '.' || attname, array[replace(attacl::text, current_user, 'OWNER')]
      from pg_attribute where attacl is not null and attrelid > 16384
    union all select 'function', proname, array[prosrc] from pg_proc where pronamespace = 'public'::regnamespace
    union all select 'schema', nspname, array[replace(nspacl::text, current_user, 'OWNER')]
      from pg_namespace where nspname = 'public'
    order by 1, 2, 3`);
  return rows;
}

/** Whether a gateway on the pool's database can create, change and erase a contact, and revoke a key. */
async function expectToWork({ options }: pg.Pool): Promise<void> {
  const gateway = openGateway({ databaseUrl: options.connectionString ?? '' });
  try {
    const { app } = gateway;
    const { id: teamId } = await factories.team(app);
    const { id: workspaceId } = await factories.workspace(app, { teamId });
    const caller = await factories.apiKey(app, { teamId });
    const send = async (method: string, path: string, body?: object) => {
      const headers = { 'Content-Type': 'application/json' };
      const response = await gateway.send(`/api/v2${path}`, {
        ...{ caller, method, headers },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as { id: number } };
    };
    const made = await send('POST', `/workspaces/${workspaceId}/contacts`, {
      contact: { email_address: 'mia@example.com' },
    });
    expect(made.status).toBe(201);
    const path = `/contacts/${made.body.id}`;
    expect((await send('PATCH', path, { contact: { first_name: 'Mia' } })).status).toBe(200);
    expect((await send('GET', `/workspaces/${workspaceId}/contacts`)).status).toBe(200);
    expect((await send('DELETE', `${path}/gdpr_destroy`)).status).toBe(200);
  } finally {
    await gateway.close();
  }
}

/** Whether an earlier version left out a statement in a store with TENANT_ROLE=off. */
function isOfTenants(statement: string): boolean {
  const text = withoutComments(statement);
  if (/^create\s+(or\s+replace\s+)?(function|procedure)\b/i.test(text)) return false;
  return (
    /^call\s+open_to_tenants\b/i.test(text) ||
    /^(create|alter|drop)\s+policy\b/i.test(text) ||
    /^alter\s+table\b.*\brow\s+level\s+security$/is.test(text) ||
    text.includes(TENANT_ROLE)
  );
}

/** A store from the last version with TENANT_ROLE=off. */
async function applyWithoutRole(pool: pg.Pool): Promise<void> {
  await createHistory(pool);
  const client = await pool.connect();
  for (const migration of await readMigrations(PRISMA_FOLDER)) {
    if (migration.name >= '20261129060000') break;
    const statements = splitStatements(migration.sql).filter((statement) => !isOfTenants(statement));
    for (const statement of statements) await client.query(statement);
    await recordApplied(client, migration, new Date());
  }
  client.release();
}

test('a store from TENANT_ROLE=off gets the role by one migration, as if it had always had it', async () => {
  let expected: unknown[] = [];
  await withOwner('other', 'superuser', async (pool) => {
    await applyMigrations(pool);
    expected = await catalogsOf(pool);
  });
  for (const database of ['maker', 'other']) await query(serverUrl, `drop database if exists ${database}`);
  await query(serverUrl, `drop role ${TENANT_ROLE}`);
  await withOwner('without', 'nocreaterole', async (pool) => {
    await applyWithoutRole(pool);
    await expect(applyMigrations(pool)).rejects.toThrow(`create role ${TENANT_ROLE} nologin;`);
    expect(await doctorOf(pool)).toMatchObject([{ status: 'fail' }]);
    await query(serverUrl, `create role ${TENANT_ROLE} nologin; grant ${TENANT_ROLE} to without`);
    expect(await doctorOf(pool)).toMatchObject([{ status: 'ok' }]);
    expect(await applyMigrations(pool)).toContain('20261129060000_stores_without_tenant_role');
    expect(await applyMigrations(pool)).toEqual([]);
    expect(await readTenantRoleFacts(pool)).toEqual(whole);
    expect(await doctorOf(pool)).toMatchObject([{ status: 'ok' }]);
    expect(await catalogsOf(pool)).toEqual(expected);
    await expectToWork(pool);
  });
});

test('TENANT_ROLE=off is refused, with what to do', () => {
  expect(() => parseConfig({ TENANT_ROLE: 'off' }, '/')).toThrow('remove TENANT_ROLE, and run');
  expect(() => parseConfig({ TENANT_ROLE: 'on' }, '/')).not.toThrow();
});
