// The role of tenants is made by whoever may make roles; to anybody else the migration says what an administrator has to run.
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { checkTenantRole } from '../../src/commands/doctor/tenant-role.ts';
import { readTenantRoleFacts } from '../../src/store/inspection/tenant-role-facts.ts';
import { applyMigrations, migrationState } from '../../src/store/migrations/migrations.ts';
import { TENANT_ROLE } from '../../src/store/tenancy/tenant-role.ts';
import { createClusters, query } from '../support/cluster.ts';
import * as factories from '../support/factories.ts';
import { openGateway } from '../support/gateway.ts';

const clusters = createClusters();
const serverUrl = (await clusters.open(await clusters.folder())).url;
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

const doctorOf = async (pool: pg.Pool, isWanted = true) =>
  checkTenantRole(pool, await migrationState(pool), isWanted);

const whole = {
  hasCitus: false,
  role: { isExempt: false, canEnter: true, isInherited: false, open: [] },
};

test('a user who may not make roles is told what to run before anything is done; then the same goes on', async () => {
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

test('one who may not grant a role that is there already is told the same', async () => {
  await withOwner('later', 'createrole', async (pool) => {
    await expect(applyMigrations(pool)).rejects.toThrow(`grant ${TENANT_ROLE} to later;`);
    await expect(applyMigrations(pool)).rejects.toThrow('may neither make nor take the role');
    expect(await doctorOf(pool)).toMatchObject([
      {
        message: expect.stringContaining('may neither make nor take the role'),
        advice: expect.stringContaining(`run "grant ${TENANT_ROLE} to later;", or `),
      },
    ]);
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

/** All that the catalogs hold of the role, and of what is done with it. */
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

/** Whether a contact can be made, changed and erased, and a key ended, by a gateway on the pool's database. */
async function expectToWork({ options }: pg.Pool, env: Record<string, string>): Promise<void> {
  const gateway = openGateway({ databaseUrl: options.connectionString ?? '' }, { env });
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

test('TENANT_ROLE=off does without it; once it is there and wanted, the store is as if it had been there', async () => {
  let expected: unknown[] = [];
  await withOwner('other', 'superuser', async (pool) => {
    await applyMigrations(pool);
    expected = await catalogsOf(pool);
  });
  for (const database of ['maker', 'other']) await query(serverUrl, `drop database if exists ${database}`);
  await query(serverUrl, `drop role ${TENANT_ROLE}`);
  await withOwner('without', 'nocreaterole', async (pool) => {
    await applyMigrations(pool, undefined, { tenantRole: false });
    expect(await migrationState(pool)).toMatchObject({ pending: [], failed: [] });
    expect(await applyMigrations(pool, undefined, { tenantRole: false })).toEqual([]);
    expect(await doctorOf(pool, false)).toMatchObject([
      { status: 'warn', message: expect.stringContaining('TENANT_ROLE=off') },
    ]);
    await expectToWork(pool, { TENANT_ROLE: 'off' });

    await expect(applyMigrations(pool)).rejects.toThrow(`create role ${TENANT_ROLE} nologin;`);
    expect(await doctorOf(pool)).toMatchObject([{ status: 'fail' }]);
    await query(serverUrl, `create role ${TENANT_ROLE} nologin; grant ${TENANT_ROLE} to without`);
    expect(await doctorOf(pool)).toMatchObject([{ status: 'warn' }]);
    let opened = 0;
    const onOpened = () => {
      opened += 1;
    };
    for (let times = 0; times < 2; times++)
      expect(await applyMigrations(pool, undefined, { onOpened })).toEqual([]);
    expect(opened).toBe(1);
    expect(await readTenantRoleFacts(pool)).toEqual(whole);
    expect(await doctorOf(pool)).toMatchObject([{ status: 'ok' }]);
    expect(await catalogsOf(pool)).toEqual(expected);
    await expectToWork(pool, {});
    await expectToWork(pool, { TENANT_ROLE: 'off' });
  });
});
