// Migrations, and what the migrated store refuses whatever the code above it does.
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StartupError } from '../../src/errors.ts';
import { RESERVED } from '../../src/services/accounts/subdomains.ts';
import { applicationName } from '../../src/store/migrations/compatibility.ts';
import { completeMigration, createMigration } from '../../src/store/migrations/create.ts';
import { PRISMA_FOLDER } from '../../src/store/migrations/folder.ts';
import { applyMigrations, migrationState } from '../../src/store/migrations/migrations.ts';
import { createClusters, query } from '../support/cluster.ts';
import { nightly } from '../support/nightly.ts';
import { addMigration, copyPrisma } from '../support/prisma-copy.ts';

const INIT = '20261122050000_init';
const SERVICE_USERS = '20261122124000_service_users';
const PAGE_IS_SHOWN = '20261128110000_page_is_shown';
/** Every migration on the disk, in order. */
const ALL: readonly string[] = readdirSync(join(PRISMA_FOLDER, 'migrations'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();
const clusters = createClusters();
const pools: pg.Pool[] = [];

const serverUrl = (await clusters.open(await clusters.folder())).url;
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await clusters.clean();
});

/** A database of the test's own. */
async function createDatabase(): Promise<pg.Pool> {
  const name = `test_${pools.length}`;
  await query(serverUrl, `create database ${name}`);
  const pool = new pg.Pool({ connectionString: serverUrl.replace('/funnel_gateway?', `/${name}?`), max: 1 });
  // Its connections may still be closing when the database is gone.
  pool.on('error', () => {});
  pools.push(pool);
  return pool;
}

const nothing = { applied: [], pending: [], failed: [], edited: [], unknown: [] };

describe('applying', () => {
  test('brings an empty database up to date once, and is content with it ever after', async () => {
    const db = await createDatabase();
    expect(await migrationState(db)).toEqual({ ...nothing, pending: ALL });
    expect(await applyMigrations(db)).toEqual(ALL);
    expect(await migrationState(db)).toEqual({ ...nothing, applied: ALL });
    expect(await applyMigrations(db)).toEqual([]);
  });

  test('does not wait for itself where every transaction is serializable by default', async () => {
    const db = await createDatabase();
    const { pathname } = new URL(db.options.connectionString ?? '');
    await query(
      serverUrl,
      `alter database ${pathname.slice(1)} set default_transaction_isolation = 'serializable'`,
    );
    expect(await applyMigrations(db)).toEqual(ALL);
  });

  test('done by several at once is done once', async () => {
    const db = await createDatabase();
    const other = new pg.Pool(db.options);
    // Its connections may still be closing when the database is gone.
    other.on('error', () => {});
    pools.push(other);
    const names = await Promise.all([applyMigrations(db), applyMigrations(other), applyMigrations(db)]);
    expect(names.flat()).toEqual(ALL);
  });

  test('a later migration is applied on top', async () => {
    const db = await createDatabase();
    await applyMigrations(db);
    const folder = await copyPrisma(clusters);
    await addMigration(folder, '20270101000000_more', 'create table more (id int);');
    expect(await applyMigrations(db, folder)).toEqual(['20270101000000_more']);
    expect(await migrationState(db)).toEqual({
      ...nothing,
      applied: ALL,
      unknown: ['20270101000000_more'],
    });
  });

  test('a migration whose session is ended is none', async () => {
    const db = await createDatabase();
    await applyMigrations(db);
    const folder = await copyPrisma(clusters);
    await addMigration(
      folder,
      '20270101000000_ended',
      'create table ended (id int); select pg_terminate_backend(pg_backend_pid());',
    );
    await expect(applyMigrations(db, folder)).rejects.toThrow(/^The connection to the database was lost /);
    expect((await db.query("select to_regclass('ended') as ended")).rows).toEqual([{ ended: null }]);
  });

  test('a version lives with what a newer one added, and adds nothing on top', async () => {
    const db = await createDatabase();
    const folder = await copyPrisma(clusters);
    await addMigration(folder, '20270101000000_more', 'create table more (id int);');
    await applyMigrations(db, folder);
    expect(await applyMigrations(db)).toEqual([]);
    const other = await copyPrisma(clusters);
    await addMigration(other, '20270102000000_other', 'create table other (id int);');
    await expect(applyMigrations(db, other)).rejects.toThrow(
      /newer version of the gateway \(20270101000000_more/,
    );
  });

  test('a version refuses a store that a newer one changed so that it cannot live with it', async () => {
    const db = await createDatabase();
    const folder = await copyPrisma(clusters);
    await addMigration(folder, '20270101000000_less_incompatible', 'drop table idempotency_records;');
    await applyMigrations(db, folder);
    await expect(applyMigrations(db)).rejects.toThrow(
      /newer version of the gateway \(20270101000000_less_incompatible/,
    );
  });

  test('what an older version cannot live with is not applied while one is connected, unless forced', async () => {
    const db = await createDatabase();
    await applyMigrations(db);
    const folder = await copyPrisma(clusters);
    await addMigration(folder, '20270101000000_more', 'create table more (id int);');
    await addMigration(folder, '20270102000000_less_incompatible', 'drop table idempotency_records;');
    const connect = async (name: string) => {
      const { connectionString } = db.options;
      const client = new pg.Client({ connectionString, application_name: name });
      await client.connect();
      return client;
    };
    for (const name of [applicationName(), 'funnel-gateway']) {
      const older = await connect(name);
      const applying = applyMigrations(db, folder);
      await expect(applying).rejects.toThrow(/nothing was changed: an older version .* 20270102000000_less/);
      expect((await migrationState(db, folder)).pending).toHaveLength(2);
      await older.end();
    }
    const others = await Promise.all([connect(applicationName(folder)), connect('psql')]);
    expect(await applyMigrations(db, folder)).toHaveLength(2);
    await addMigration(folder, '20270103000000_least_incompatible', 'drop table more;');
    expect(await applyMigrations(db, folder, { force: true })).toHaveLength(1);
    await Promise.all(others.map((client) => client.end()));
  });

  test('a migration that waits for a lock lets others pass', async () => {
    const db = await createDatabase();
    await applyMigrations(db);
    const folder = await copyPrisma(clusters);
    await addMigration(folder, '20270101000000_more', 'alter table contacts add column more int;');
    const clients = await Promise.all([0, 1].map(async () => new pg.Client(db.options)));
    await Promise.all(clients.map((client) => client.connect()));
    const [holder, passing] = clients as [pg.Client, pg.Client];
    await holder.query('begin; lock table contacts in access share mode');
    const applying = applyMigrations(db, folder);
    let isApplied = false;
    applying.then(() => {
      isApplied = true;
    });
    const waits = `select from pg_locks where mode = 'AccessExclusiveLock' and not granted and relation = 'contacts'::regclass`;
    while ((await holder.query(waits)).rowCount === 0);
    // It comes behind the migration, whose lock it would have to wait for.
    await passing.query('select from contacts limit 1');
    expect(isApplied).toBe(false);
    await holder.query('commit');
    expect(await applying).toEqual(['20270101000000_more']);
    await Promise.all(clients.map((client) => client.end()));
  });

  test('a migration that fails leaves nothing behind and says why; the same again goes on', async () => {
    const db = await createDatabase();
    await applyMigrations(db);
    const folder = await copyPrisma(clusters);
    await addMigration(folder, '20270101000000_bad', 'create table more (id int); select 1 / 0;');
    const failing = applyMigrations(db, folder);
    await expect(failing).rejects.toThrow(StartupError);
    await expect(failing).rejects.toThrow(/20270101000000_bad failed .*division by zero/s);
    expect((await db.query("select to_regclass('more') as more")).rows).toEqual([{ more: null }]);
    expect((await migrationState(db, folder)).failed).toEqual(['20270101000000_bad']);
    await expect(applyMigrations(db, folder)).rejects.toThrow(
      /20270101000000_bad failed and left nothing behind \(division by zero\): correct that, and start again\.$/,
    );
    await writeFile(
      join(folder, 'migrations/20270101000000_bad/migration.sql'),
      'create table more (id int)',
    );
    expect(await applyMigrations(db, folder)).toEqual(['20270101000000_bad']);
  });

  test('a migration that was edited after it was applied is refused; other line ends are no edit', async () => {
    const db = await createDatabase();
    await applyMigrations(db);
    const folder = await copyPrisma(clusters);
    const path = join(folder, 'migrations', INIT, 'migration.sql');
    const sql = await readFile(path, 'utf8');
    await writeFile(path, sql.replaceAll('\n', '\r\n'));
    expect((await migrationState(db, folder)).edited).toEqual([]);
    await writeFile(path, `${sql}-- more`);
    expect((await migrationState(db, folder)).edited).toEqual([INIT]);
    await expect(applyMigrations(db, folder)).rejects.toThrow(
      /was changed after it had been applied: restore/,
    );
  });

  test('every team that is there gets its service user, and people keep their names', async () => {
    const db = await createDatabase();
    await applyMigrations(db, PRISMA_FOLDER, { only: (name) => name < SERVICE_USERS });
    // Older than the limit of names.
    await db.query(`alter table teams drop constraint teams_name_length;
      insert into teams (name, time_zone, locale) values ('Acme Outdoor', 'Tokyo', 'ja'), (repeat('x', 200), 'UTC', 'en');
      insert into users (email, name, password_hash) values ('ada@example.com', 'Ada King Lovelace', 'x')`);
    await applyMigrations(db);
    const { rows } = await db.query(
      `select service_team_id::int as team, email, name, first_name, last_name, time_zone, locale from users order by id`,
    );
    const service = { email: null, last_name: null };
    const long = 'x'.repeat(100);
    expect(rows).toEqual([
      {
        ...{ team: null, email: 'ada@example.com', name: 'Ada King Lovelace', time_zone: null, locale: null },
        ...{ first_name: 'Ada', last_name: 'King Lovelace' },
      },
      {
        ...{ ...service, team: 1, name: 'Acme Outdoor', first_name: 'Acme Outdoor' },
        ...{ time_zone: 'Tokyo', locale: 'ja' },
      },
      { ...service, team: 2, name: long, first_name: long, time_zone: 'UTC', locale: 'en' },
    ]);
  });

  test('pages say whether a step shows them: those that there are, and whatever a version before does to steps', async () => {
    const db = await createDatabase();
    await applyMigrations(db, PRISMA_FOLDER, { only: (name) => name <= PAGE_IS_SHOWN });
    const before = new pg.Client(db.options);
    await before.connect();
    await before.query(ROWS);
    await before.query(`begin; ${step("(1, 1, 'page', null, null, 2, 'Page', 3)")}`);
    // A change that is under way is waited for.
    const applying = applyMigrations(db);
    const waits = `select from pg_locks where not granted and relation = 'funnel_steps'::regclass`;
    while ((await before.query(waits)).rowCount === 0);
    await before.query('commit');
    expect(await applying).toContain('20261128110100_page_is_shown_told');
    const shown = async () => {
      const { rows } = await before.query<{ id: string }>(`select id from pages where is_shown order by id`);
      return rows.map(({ id }) => Number(id));
    };
    const times = async () =>
      (await before.query('select id, row_version, updated_at from pages order by id')).rows;
    expect(await shown()).toEqual([1, 2, 3]);
    const atFirst = await times();
    const removed = (ids: string, at: string) =>
      `update funnel_steps set removed_at = ${at}, removal_reason = ${at === 'null' ? at : "'x'"} where page_id in (${ids})`;
    for (const [sql, pages] of [
      [removed('1, 3', 'now()'), [2]],
      [removed('1', 'null'), [1, 2]],
      ['update funnel_steps set page_id = 3 where page_id = 2', [1, 3]],
      [step("(1, 1, 'page', null, null, 3, 'Page', 2)"), [1, 2, 3]],
      ["update funnel_steps set name = 'Other', position = position + 10", [1, 2, 3]],
      ['delete from funnel_steps where page_id = 1', [2, 3]],
      [`begin; ${removed('2', 'now()')}; rollback`, [2, 3]],
    ] as const) {
      await before.query(sql);
      expect([sql, await shown()]).toEqual([sql, pages]);
    }
    expect(await times()).toEqual(atFirst);
    await before.end();
  });

  test('whoever has a subdomain that is reserved now is named with the command to run, and nothing is changed', async () => {
    const db = await createDatabase();
    await applyMigrations(db, PRISMA_FOLDER, { only: (name) => name === INIT });
    await db.query(`insert into teams (name, subdomain) values ('Old', 'www'), ('New', 'new');
      insert into workspaces (team_id, name, subdomain) values (2, 'Shop "A"', 'accounts'), (2, 'Blog', 'blog')`);
    const { rows } = await db.query('select public_id from workspaces where id = 1');
    const before = await migrationState(db);
    const migrating = applyMigrations(db);
    await expect(migrating).rejects.toThrow(StartupError);
    for (const part of [
      'nothing was changed',
      `workspace 1 (${rows[0].public_id}, "Shop "A"") has the subdomain accounts`,
      'npx funnel-gateway workspace subdomain 1 NEW',
      '"Old") has the subdomain www',
      'npx funnel-gateway team subdomain 1 NEW',
    ])
      await expect(migrating).rejects.toThrow(part);
    await expect(migrating).rejects.not.toThrow('Blog');
    expect(await migrationState(db)).toEqual(before);
    await db.query(
      "update teams set subdomain = 'old' where id = 1; update workspaces set subdomain = 'shop' where id = 1",
    );
    expect(await applyMigrations(db)).toEqual(ALL.slice(1));
  });

  test("an extension's views and tables are nobody's, and stay: the database counts as empty", async () => {
    const db = await createDatabase();
    // PostGIS and Citus bring tables; here is none that does, so one is made a member by hand.
    await db.query(`
      create extension pg_stat_statements;
      create table spatial_ref_sys (srid int);
      alter extension pg_stat_statements add table spatial_ref_sys`);
    expect(await applyMigrations(db)).toEqual(ALL);
    const kept = await db.query("select to_regclass('pg_stat_statements'), to_regclass('spatial_ref_sys')");
    expect(Object.values(kept.rows[0])).not.toContain(null);
    expect(await applyMigrations(db)).toEqual([]);
  });

  test("beside an extension's tables, somebody else's are still refused", async () => {
    const db = await createDatabase();
    await db.query('create extension pg_stat_statements; create view theirs as table pg_stat_statements');
    await expect(applyMigrations(db)).rejects.toThrow(/"theirs".*name an empty database/);
  });

  test('a database of the versions before is refused in one sentence, and left alone', async () => {
    const db = await createDatabase();
    await db.query(`create table teams (id bigint);
      create table _prisma_migrations (migration_name text, checksum text, finished_at timestamptz,
        rolled_back_at timestamptz, started_at timestamptz default now());
      insert into _prisma_migrations (migration_name, checksum, finished_at)
        values ('20261120000000_init', '', now()), ('20261120010000_notify_changes', '', now())`);
    const tables = async () =>
      (await db.query("select relname from pg_class where relkind = 'r' order by 1")).rows;
    const before = await tables();
    for (const use of [migrationState, applyMigrations]) {
      await expect(use(db)).rejects.toThrow(StartupError);
      await expect(use(db)).rejects.toThrow(
        /start afresh, delete the folder DATA_DIR, or name an empty.*stay with that version\.$/,
      );
    }
    expect(await tables()).toEqual(before);
    expect((await db.query('select count(*)::int from _prisma_migrations')).rows).toEqual([{ count: 2 }]);
  });

  test("a database with somebody else's tables is refused and left alone", async () => {
    const db = await createDatabase();
    await db.query('create table theirs (id int)');
    await expect(applyMigrations(db)).rejects.toThrow(/"theirs".*name an empty database/);
    expect((await db.query("select to_regclass('teams') as teams")).rows).toEqual([{ teams: null }]);
  });
});

describe('creating', () => {
  test('finds nothing to do: the migrations lead to prisma/schema, and their own additions are no drift', async () => {
    const db = await createDatabase();
    await applyMigrations(db);
    expect(await createMigration(db, 'nothing')).toBeNull();
  });

  nightly('writes what changed in the schema, and leaves no shadow database', async () => {
    const db = await createDatabase();
    const folder = await copyPrisma(clusters);
    const schema = join(folder, 'schema', 'teams.prisma');
    const text = await readFile(schema, 'utf8');
    await writeFile(schema, text.replace('model Team {', 'model Team {\n  motto String?'));
    const made = await createMigration(db, 'motto');
    expect(made).toBeNull();
    const written = await createMigration(db, 'motto', folder);
    expect(written?.name).toMatch(/^\d{14}_motto$/);
    expect(dirname(dirname(written?.path ?? ''))).toBe(join(folder, 'migrations'));
    expect(await readFile(written?.path ?? '', 'utf8')).toContain(
      'ALTER TABLE "teams" ADD COLUMN     "motto" TEXT',
    );
    expect(await query(serverUrl, "select from pg_database where datname like '%shadow%'")).toEqual([]);
    expect(await applyMigrations(db, folder)).toEqual([...ALL, written?.name].sort());
  });

  test('completes the tables of nouns by what Prisma cannot say, and leaves others as they are', () => {
    const made = (table: string) =>
      `CREATE TABLE "${table}" (\n    "id" BIGINT NOT NULL,\n    "public_id" TEXT NOT NULL,\n\n    CONSTRAINT "x" PRIMARY KEY ("id")\n);\n`;
    const completed = completeMigration(`${made('others')}\n${made('tags')}`);
    expect(completed.startsWith(made('others'))).toBe(true);
    const said = completed.slice(made('others').length);
    for (const part of [
      'CREATE SEQUENCE tags_id_seq;',
      '"public_id" TEXT NOT NULL GENERATED ALWAYS AS (public_id(4, id)) STORED,',
      'ALTER SEQUENCE tags_id_seq OWNED BY tags.id;',
      "call open_to_tenants('tags', 'select, insert, update, delete');",
      "call list_by_time('tags', 4);",
    ])
      expect(said).toContain(part);
  });

  test('refuses a name that is no file name', async () => {
    await expect(createMigration(await createDatabase(), '../x')).rejects.toThrow(StartupError);
  });
});

describe('the store', () => {
  let client: pg.PoolClient;

  beforeAll(async () => {
    const db = await createDatabase();
    await applyMigrations(db);
    client = await db.connect();
    await client.query(ROWS);
  });
  afterAll(() => client.release());

  /** The code and the constraint that a statement (and its transaction's end) fails with; null when it does not. */
  async function refusal(sql: string): Promise<[string | undefined, string | undefined] | null> {
    await client.query('begin');
    try {
      await client.query(sql);
      await client.query('set constraints all immediate');
      return null;
    } catch (error) {
      if (error instanceof pg.DatabaseError) return [error.code, error.constraint];
      throw error;
    } finally {
      await client.query('rollback');
    }
  }

  test.each(REFUSED())('refuses %s (%s)', async (_what, constraint, sql, code = '23514') => {
    expect(await refusal(sql)).toEqual([code, constraint]);
  });

  test.each(Object.entries(ACCEPTED))('accepts %s', async (_what, sql) => {
    expect(await refusal(sql)).toBeNull();
  });

  test('of a team and a workspace that take one subdomain at the same time, one gets it', async () => {
    const db = pools[pools.length - 1];
    const others = [1, 2].map(() => new pg.Client(db?.options));
    const [one, two] = others;
    await Promise.all(others.map((other) => other.connect()));
    await one?.query("begin; update teams set subdomain = 'contested' where id = 1");
    const second = two
      ?.query("update workspaces set subdomain = 'contested' where id = 1")
      .catch((error) => error);
    await new Promise((done) => setTimeout(done, 50));
    await one?.query('commit');
    expect(await second).toMatchObject({ code: '23505', constraint: 'subdomain_is_free' });
    await Promise.all(others.map((other) => other.end()));
  });
});

const ROWS = `
  insert into teams (id, name, subdomain) values (1, 'Team', 'team'), (2, 'Other', null);
  insert into workspaces (id, team_id, name, subdomain) values (1, 1, 'One', 'one'), (2, 1, 'Two', 'two');
  insert into custom_domains (id, workspace_id, host) values (1, 1, 'shop.example.com');
  insert into contacts (id, workspace_id, email_address, uuid)
    values (1, 1, 'Ann@Example.com', '11111111-1111-4111-8111-111111111111');
  insert into tags (id, workspace_id, name) values (1, 1, 'Tag');
  insert into refine_filters (id, workspace_id, name) values (1, 1, 'Filter');
  insert into webhook_endpoints (id, workspace_id, url, name, secret, secret_changed_at) values (1, 1, 'https://a.example', 'Hook', 'sealed', now());
  insert into funnels (id, workspace_id, name, current_path) values
    (1, 1, 'Funnel', '/a'), (2, 1, 'Funnel', '/b'), (3, 2, 'Elsewhere', '/a');
  insert into pages (id, workspace_id, name, current_path) values
    (1, 1, 'Page', '/p1'), (2, 1, 'Page', '/p2'), (3, 1, 'Page', '/p3'), (4, 2, 'Elsewhere', '/p1');
  insert into funnel_steps (id, workspace_id, funnel_id, kind, parent_id, branch, position, name, page_id) values
    (1, 1, 1, 'page', null, null, 0, 'Page', 1),
    (2, 1, 1, 'conditional_split', null, null, 1, 'Split', null),
    (3, 1, 1, 'page', 2, 'matched', 0, 'Page', 2);
  insert into api_keys (id, team_id, name, is_default, token_hash, hint, scopes) values
    (1, 1, 'Key', true, sha256('1'), 'fg', '{read}'), (2, 1, 'Key', false, sha256('2'), 'fg', '{write}');
  insert into users (id, email, name, password_hash) values (50, 'ann@example.com', 'Ann', 'x');
  insert into oauth_clients (id, name, metadata) values ('client', 'Client', '{}');
  insert into oauth_grants (key, user_id, client_id, payload, expires_at) values ('grant', 50, 'client', '{}', now());
  alter sequence contacts_id_seq restart 100; alter sequence funnel_steps_id_seq restart 100;`;

/** What, the constraint's name, the statement, and the SQLSTATE if it is not that of a check. */
type Refused = [what: string, constraint: string | undefined, sql: string, code?: string];

function step(values: string): string {
  const columns = 'workspace_id, funnel_id, kind, parent_id, branch, position, name, page_id';
  return `insert into funnel_steps (${columns}) values ${values}`;
}

/** What a constraint refuses. */
function refused(
  constraint: string | undefined,
  code: string | undefined,
  sql: Record<string, string>,
): Refused[] {
  return Object.entries(sql).map(([what, text]) =>
    code === undefined ? [what, constraint, text] : [what, constraint, text, code],
  );
}

function REFUSED(): Refused[] {
  const tables = [
    'teams',
    'workspaces',
    'contacts',
    'tags',
    'refine_filters',
    'webhook_endpoints',
    'funnels',
    'pages',
  ];
  const withId = [...tables, 'funnel_steps', 'api_keys'];
  const set = (table: string, column: string, ...values: string[]): Refused[] =>
    values.map((value) => [
      `${table}.${column} = ${value.slice(0, 40)}`,
      `${table}_${column}_check`,
      `update ${table} set ${column} = ${value} where id = 1`,
    ]);
  return [
    ...withId.map(
      (table): Refused => [
        `${table}.public_id is written`,
        undefined,
        `update ${table} set public_id = 'AbCdEf' where id = 1`,
        '428C9',
      ],
    ),
    ...withId.flatMap((table): Refused[] =>
      [0, -1].map((id) => [
        `${table}.id = ${id}`,
        undefined,
        `update ${table} set id = ${id} where id = ${table === 'teams' ? 2 : 1}`,
        '23502',
      ]),
    ),
    ...withId
      .filter((table) => table !== 'contacts')
      .flatMap((table) => set(table, 'name', "''", "E' \\t\\n'")),
    ...set(
      'teams',
      'subdomain',
      "''",
      "'Upper'",
      "'-a'",
      "'a-'",
      "'a.b'",
      "'a_b'",
      "repeat('a', 64)",
      "E'a\\n'",
    ),
    ...set('workspaces', 'subdomain', "''", "'Upper'", "'a b'"),
    ...set('teams', 'locale', "'de'", "'EN'"),
    ...set(
      'custom_domains',
      'host',
      "'Shop.example.com'",
      "'example.com.'",
      "'a..b'",
      "'-a.example'",
      "'a.example:80'",
    ),
    ...set('custom_domains', 'host', "'localhost'", "repeat('a.', 126) || 'abc'"),
    ...set('contacts', 'email_address', "''", "'a'", "'a@'", "'@b'", "'a b@c'"),
    ...set('contacts', 'custom_attributes', "'[]'", "'null'", `'"text"'`),
    ...set('tags', 'color', "'red'", "'#12345'", "'#1234567'", "'#12345g'"),
    ...set('refine_filters', 'conjunction', "'xor'", "'AND'"),
    ...set('refine_filters', 'criteria', "'{}'", "'null'"),
    ...set('webhook_endpoints', 'url', "'ftp://a'", "'https://'", "'https://a b'", "'//a'"),
    ...set('webhook_endpoints', 'api_version', '0', '3'),
    ...set(
      'webhook_endpoints',
      'event_type_ids',
      "'{contact}'",
      "'{.created}'",
      "'{a.}'",
      "'{a.b,NULL}'",
      "'{a b.c}'",
    ),
    ...set('webhook_endpoints', 'page_ids', "'{1,NULL}'"),
    ...set('webhook_endpoints', 'funnel_ids', "'{NULL}'"),
    ...set('funnel_steps', 'position', '-1'),
    ...set('api_keys', 'token_hash', "'\\x00'"),
    ...set(
      'api_keys',
      'scopes',
      "'{}'",
      "'{admin}'",
      "'{contacts:delete}'",
      "'{read,NULL}'",
      "'{contacts:}'",
    ),
    ...set('api_keys', 'expires_at', 'created_at'),
    ...refused(undefined, '23502', {
      'no list of events': 'update webhook_endpoints set event_type_ids = null',
      'no list of scopes': 'update api_keys set scopes = null',
    }),
    ...refused('pages_discarded_with_reason', undefined, {
      'a discarded page without a reason': 'update pages set discarded_at = now()',
    }),
    ...refused('funnel_steps_removed_with_reason', undefined, {
      'a removed step without a reason': 'update funnel_steps set removed_at = now() where id = 1',
    }),
    ...refused('contacts_workspace_id_email_address_key', '23505', {
      'an e-mail address twice in a workspace':
        "insert into contacts (workspace_id, email_address) values (1, 'ann@example.COM')",
      'the same with white space around it': String.raw`insert into contacts (workspace_id, email_address) values (1, E'\t ann@example.com\u00a0\n')`,
    }),
    ...refused('api_keys_one_default', '23505', {
      'a second default key': 'update api_keys set is_default = true where id = 2',
    }),
    ...refused('subdomain_is_free', '23505', {
      "a team with a workspace's subdomain": "update teams set subdomain = 'one' where id = 2",
      "a workspace with a team's subdomain": "update workspaces set subdomain = 'team' where id = 1",
    }),
    ...["email = 'a@b'", "password_hash = 'x'", 'disabled_at = now()', 'sessions_ended_at = now()'].map(
      (set): Refused => [
        `a service user with ${set}`,
        'users_person_or_service',
        `update users set ${set} where service_team_id = 1`,
      ],
    ),
    ...['email', 'password_hash'].map(
      (column): Refused => [
        `a person without ${column}`,
        'users_person_or_service',
        `update users set ${column} = null where id = 50`,
      ],
    ),
    ...refused('users_locale_check', undefined, {
      'a language that is none': "update users set locale = 'de' where id = 50",
    }),
    ...refused('users_service_team_id_key', '23505', {
      'a second service user of a team': "insert into users (service_team_id, name) values (1, 'x')",
    }),
    ...refused('service_user_is_for_life', undefined, {
      'a person who becomes a service user':
        'update users set service_team_id = 1, email = null, password_hash = null where id = 50',
      "another team's service user": 'update users set service_team_id = null where service_team_id = 2',
    }),
    ...refused('user_is_person', undefined, {
      'a service user in a team':
        'insert into team_members (user_id, team_id) select id, 1 from users where service_team_id = 1',
      "a service user's grant":
        'update oauth_grants set user_id = (select id from users where service_team_id = 1)',
    }),
    ...refused('teams_name_length', undefined, {
      'a long name of a team': "update teams set name = repeat('x', 101) where id = 1",
    }),
    ...refused('workspaces_name_length', undefined, {
      'a long name of a workspace': "update workspaces set name = repeat('x', 101) where id = 1",
    }),
    ...RESERVED.map(
      (label): Refused => [
        `the subdomain ${label}`,
        'subdomain_is_allowed',
        `update workspaces set subdomain = '${label}' where id = 1`,
      ],
    ),
    ...refused('subdomain_is_allowed', undefined, {
      'a team whose subdomain has hyphens with a meaning':
        "update teams set subdomain = 'xn--bcher-kva' where id = 1",
    }),
    ...['127.0.0.1', 'a.b.12', 'a.0x1f'].map(
      (host): Refused => [
        `the address ${host} as a domain`,
        'custom_domains_host_no_address',
        `update custom_domains set host = '${host}'`,
      ],
    ),
    ...refused('funnel_steps_parent_fkey', '23503', {
      'a step below a page': step("(1, 1, 'page', 1, 'matched', 0, 'x', 3)"),
      'a step moved below a page': 'update funnel_steps set parent_id = 1 where id = 3',
      'a step below one that is not there': step("(1, 1, 'page', 9, 'matched', 0, 'x', 3)"),
      "a step below another funnel's split": step("(1, 2, 'page', 2, 'matched', 0, 'x', 3)"),
      "a step below another workspace's split": step("(2, 3, 'page', 2, 'matched', 0, 'x', 4)"),
      'a split with steps below it that becomes a page':
        "update funnel_steps set kind = 'page', page_id = 3 where id = 2",
    }),
    ...refused('funnel_steps_workspace_id_funnel_id_fkey', '23503', {
      "a step of another workspace's funnel": step("(2, 1, 'page', null, null, 0, 'x', 4)"),
    }),
    ...refused('funnel_steps_workspace_id_page_id_fkey', '23503', {
      "a step with another workspace's page": step("(1, 1, 'page', null, null, 2, 'x', 4)"),
    }),
    ...refused('funnels_workspace_id_custom_domain_id_fkey', '23503', {
      "a funnel on another workspace's domain": 'update funnels set custom_domain_id = 1 where id = 3',
    }),
    ...refused('contact_tags_workspace_id_contact_id_fkey', '23503', {
      "another workspace's tag on a contact":
        'insert into contact_tags (workspace_id, contact_id, tag_id) values (2, 1, 1)',
    }),
    ...refused('contacts_workspace_id_uuid_key', '23505', {
      'a UUID twice in a workspace':
        "insert into contacts (workspace_id, uuid) values (1, '11111111-1111-4111-8111-111111111111')",
    }),
    ...refused('refine_filters_workspace_id_name_key', '23505', {
      'a name of two saved filters in a workspace':
        "insert into refine_filters (id, workspace_id, name) values (9, 1, 'Filter')",
    }),
    ...refused('funnels_workspace_id_current_path_key', '23505', {
      'a path of two funnels in a workspace': "update funnels set current_path = '/b' where id = 1",
    }),
    ...refused('funnel_steps_not_own_parent', undefined, {
      'a step that is its own parent':
        "update funnel_steps set parent_id = 2, branch = 'matched' where id = 2",
    }),
    ...refused('funnel_steps_branch_of_parent', undefined, {
      'a child without a branch': 'update funnel_steps set branch = null where id = 3',
      'a branch without a parent': "update funnel_steps set branch = 'matched' where id = 1",
    }),
    ...refused('funnel_steps_page_of_page_step', undefined, {
      'a page step without a page': 'update funnel_steps set page_id = null where id = 1',
      'a split with a page': 'update funnel_steps set page_id = 3 where id = 2',
    }),
    ...refused('funnel_steps_filter_of_split', undefined, {
      'a filter on a page step': 'update funnel_steps set filter_id = 1 where id = 1',
    }),
    ...refused('funnel_steps_one_step_of_page', '23505', {
      'a page in two steps': step("(1, 1, 'page', null, null, 2, 'x', 1)"),
    }),
    ...refused('funnel_steps_sibling_position', '23505', {
      'two first steps': 'update funnel_steps set position = 0 where id = 2',
      'two first steps of a branch': step("(1, 1, 'page', 2, 'matched', 0, 'x', 3)"),
    }),
  ];
}

const ACCEPTED: Readonly<Record<string, string>> = {
  'siblings that change places': 'update funnel_steps set position = 1 - position where parent_id is null',
  'the same position on the other branch': step("(1, 1, 'page', 2, 'unmatched', 0, 'x', 3)"),
  'steps of one statement in any order, children first': `insert into funnel_steps (id, workspace_id, funnel_id, kind, parent_id, branch, position, name, page_id) values
        (51, 1, 2, 'page', 50, 'unmatched', 0, 'x', 3), (50, 1, 2, 'conditional_split', null, null, 0, 'x', null)`,
  'the place and the page of a removed step': `update funnel_steps set removed_at = now(), removal_reason = 'x' where id = 1;
      ${step("(1, 1, 'page', null, null, 0, 'x', 1)")}`,
  'a filter on a split': 'update funnel_steps set filter_id = 1 where id = 2',
  'a default key after the old one was revoked': `update api_keys set revoked_at = now() where id = 1;
      update api_keys set is_default = true where id = 2`,
  'one e-mail address in two workspaces':
    "insert into contacts (workspace_id, email_address) values (2, 'ann@example.com')",
  'an e-mail address with white space around it, and one of letters that stand for white space elsewhere': `insert into contacts (workspace_id, email_address) values (1, ' bob@example.com '), (1, 'vann@example.com')`,
  'contacts without an e-mail address': 'insert into contacts (workspace_id) values (1), (1)',
  'a subdomain kept, and one given up and taken': `update teams set subdomain = 'team', name = 'x' where id = 1;
      update teams set subdomain = null where id = 1; update workspaces set subdomain = 'team' where id = 1`,
  'hosts and subdomains as long as they may be': `update custom_domains set host = repeat('a.', 125) || 'abc';
      update teams set subdomain = repeat('a', 63) where id = 1`,
  'event types of every form':
    "update webhook_endpoints set event_type_ids = '{contact.identified,one-time_order.completed,courses/enrollment.lesson.v2}'",
  'scopes of every form': "update api_keys set scopes = '{read,write,contacts:read,some_thing:write}'",
  'the end of a service user with its team': 'delete from teams where id = 2',
  'a discarded page with its reason': "update pages set discarded_at = now(), discard_reason = 'x'",
  'an address in any script': "update contacts set email_address = 'é@例え.jp' where id = 1",
};
