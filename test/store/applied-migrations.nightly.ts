// How migrations change databases: empty ones, foreign ones and those of other versions; and how the next migration is written.
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { StartupError } from '../../src/errors.ts';
import { applicationName } from '../../src/store/migrations/compatibility.ts';
import { createMigration } from '../../src/store/migrations/create.ts';
import { PRISMA_FOLDER } from '../../src/store/migrations/folder.ts';
import { takeMigrationLock } from '../../src/store/migrations/lock.ts';
import { applyMigrations, migrationState } from '../../src/store/migrations/migrations.ts';
import { query } from '../support/cluster.ts';
import { emptyDatabases } from '../support/empty-databases.ts';
import { addMigration, copyPrisma } from '../support/prisma-copy.ts';
import { ROWS, step } from '../support/store-rows.ts';

const INIT = '20261122050000_init';
const SERVICE_USERS = '20261122124000_service_users';
const TAGGED_PRODUCTS = '20261129073500_tagged_products';
const TAGGED_FUNNELS = '20261129201000_tagged_funnels';
const PAGE_IS_SHOWN = '20261128110000_page_is_shown';
/** Every migration on the disk, in order. */
const ALL: readonly string[] = readdirSync(join(PRISMA_FOLDER, 'migrations'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();
const { clusters, serverUrl, administratorUrl, administrate, createDatabase } = await emptyDatabases();

const nothing = { applied: [], pending: [], failed: [], edited: [], unknown: [] };

describe('applying', () => {
  test('migrates an empty database once, and has nothing to do afterwards', async () => {
    const db = await createDatabase();
    expect(await migrationState(db)).toEqual({ ...nothing, pending: ALL });
    expect(await applyMigrations(db)).toEqual(ALL);
    expect(await migrationState(db)).toEqual({ ...nothing, applied: ALL });
    expect(await applyMigrations(db)).toEqual([]);
  });

  test('does not block itself if every transaction is serializable by default', async () => {
    const db = await createDatabase();
    const { pathname } = new URL(db.options.connectionString ?? '');
    await query(
      serverUrl,
      `alter database ${pathname.slice(1)} set default_transaction_isolation = 'serializable'`,
    );
    expect(await applyMigrations(db)).toEqual(ALL);
  });

  test('happens once if several processes migrate at once', async () => {
    const db = await createDatabase();
    const other = new pg.Pool(db.options);
    // Its connections may still be closing when the database is gone.
    other.on('error', () => {});
    const names = await Promise.all([applyMigrations(db), applyMigrations(other), applyMigrations(db)]);
    expect(names.flat()).toEqual(ALL);
    await other.end();
  });

  test('a waiting process has no open transaction between attempts: building an index waits for its end', async () => {
    const db = await createDatabase();
    const holder = new pg.Client(db.options);
    await holder.connect();
    await takeMigrationLock(holder);
    const applying = applyMigrations(db);
    const waiting = `select from pg_stat_activity
      where datname = current_database() and state = 'idle' and query = 'rollback'`;
    await expect.poll(async () => (await holder.query(waiting)).rowCount).toBe(1);
    await holder.end();
    expect(await applying).toEqual(ALL);
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

  test('a migration whose session is ended has no effect', async () => {
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

  test('a version works with additions of a newer one, and applies nothing on top', async () => {
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

  test('a version refuses a store that a newer one changed incompatibly', async () => {
    const db = await createDatabase();
    const folder = await copyPrisma(clusters);
    await addMigration(folder, '20270101000000_less_incompatible', 'drop table idempotency_records;');
    await applyMigrations(db, folder);
    await expect(applyMigrations(db)).rejects.toThrow(
      /newer version of the gateway \(20270101000000_less_incompatible/,
    );
  });

  test('a migration that an older version cannot work with is not applied while one is connected, unless forced', async () => {
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
      await expect(applying).rejects.toThrow(/was not migrated: an older version .* 20270102000000_less/);
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
    // It queues behind the migration, whose lock it needs.
    await passing.query('select from contacts limit 1');
    expect(isApplied).toBe(false);
    await holder.query('commit');
    expect(await applying).toEqual(['20270101000000_more']);
    await Promise.all(clients.map((client) => client.end()));
  });

  test('a failed migration leaves nothing behind and reports why; another run continues', async () => {
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

  test('a migration that was edited after it was applied is refused; other line ends do not count', async () => {
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
      /was changed after it was applied\. Restore its file .*, or, while you develop it, use an empty database/,
    );
  });

  test('every existing team gets its service user, and people keep their names', async () => {
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

  test('pages have the flag whether a step shows them: old ones, and after changes by an earlier version', async () => {
    const db = await createDatabase();
    await applyMigrations(db, PRISMA_FOLDER, { only: (name) => name <= PAGE_IS_SHOWN });
    const before = new pg.Client(db.options);
    await before.connect();
    await before.query(ROWS);
    await before.query(`begin; ${step("(1, 1, 'page', null, null, 2, 'Page', 3)")}`);
    // Migrating waits for a change in progress.
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

  test('products are found by their tags in each order: old ones, and after changes by an earlier version', async () => {
    const db = await createDatabase();
    await applyMigrations(db, PRISMA_FOLDER, { only: (name) => name < TAGGED_PRODUCTS });
    await db.query(ROWS);
    await db.query(`
      insert into products (id, workspace_id, name, tag_ids) values (1, 1, 'Mug', '{1, 2}'), (2, 1, 'Cap', '{}'), (3, 2, 'Mug', '{9, 9}');
      insert into product_variants (id, workspace_id, product_id, name) values (1, 1, 1, 'One'), (2, 1, 2, 'Two');
      insert into product_prices (id, workspace_id, product_id, variant_id, amount, currency)
        values (1, 1, 1, 1, 5, 'EUR'), (2, 1, 1, 1, 4, 'EUR')`);
    expect(await applyMigrations(db)).toContain(TAGGED_PRODUCTS);
    const tagged = async () => {
      const { rows } = await db.query<{ row: string }>(
        `select product_id || ' ' || tag_id || ' ' || name || ' ' || coalesce(price::text, '-') as row from tagged_products order by 1`,
      );
      return rows.map(({ row }) => row);
    };
    expect(await tagged()).toEqual(['1 1 Mug 4', '1 2 Mug 4', '3 9 Mug -']);
    for (const [sql, expected] of [
      ["update products set tag_ids = '{2, 3}' where id = 1", ['1 2 Mug 4', '1 3 Mug 4', '3 9 Mug -']],
      [
        "update products set name = 'Cup', tag_ids = '{1}' where workspace_id = 1",
        ['1 1 Cup 4', '2 1 Cup -', '3 9 Mug -'],
      ],
      ['update product_prices set archived_at = now() where id = 2', ['1 1 Cup 5', '2 1 Cup -', '3 9 Mug -']],
      ['update product_prices set visible = false', ['1 1 Cup -', '2 1 Cup -', '3 9 Mug -']],
      [
        "insert into product_prices (id, workspace_id, product_id, variant_id, amount, currency) values (3, 1, 2, 2, 7, 'EUR')",
        ['1 1 Cup -', '2 1 Cup 7', '3 9 Mug -'],
      ],
      ['delete from product_prices where id = 3', ['1 1 Cup -', '2 1 Cup -', '3 9 Mug -']],
      ["update products set seo_title = 'x'", ['1 1 Cup -', '2 1 Cup -', '3 9 Mug -']],
    ] as const) {
      await db.query(sql);
      expect([sql, await tagged()]).toEqual([sql, expected]);
    }
  });

  test('tags of products and funnels are applied when their object was changed: old ones, and after changes by an earlier version', async () => {
    const db = await createDatabase();
    await applyMigrations(db, PRISMA_FOLDER, { only: (name) => name < TAGGED_FUNNELS });
    await db.query(ROWS);
    await db.query(`
      insert into products (id, workspace_id, name, tag_ids, updated_at) values (1, 1, 'Mug', '{2, 1}', '2026-01-01'), (2, 2, 'Cap', '{9, 9}', '2026-01-02');
      update funnels set tag_ids = '{5, 4, 4}', updated_at = '2026-01-03' where id = 1`);
    expect(await applyMigrations(db)).toContain(TAGGED_FUNNELS);
    const applied = async () => {
      const { rows } = await db.query<{ row: string }>(
        `select 'product ' || product_id || ' ' || tag_id || ' ' || (applied_at at time zone 'UTC')::date as row from tagged_products
          union all select 'funnel ' || funnel_id || ' ' || tag_id || ' ' || (applied_at at time zone 'UTC')::date from tagged_funnels order by 1`,
      );
      return rows.map(({ row }) => row);
    };
    expect(await applied()).toEqual([
      ...['funnel 1 4 2026-01-03', 'funnel 1 5 2026-01-03'],
      ...['product 1 1 2026-01-01', 'product 1 2 2026-01-01', 'product 2 9 2026-01-02'],
    ]);
    await db.query(`update products set tag_ids = '{3, 1}', updated_at = '2026-02-01' where id = 1`);
    await db.query(`update funnels set tag_ids = '{6, 5}', updated_at = '2026-02-02' where id = 1`);
    await db.query(`update funnels set name = 'Other', updated_at = '2026-02-03' where id = 1`);
    expect(await applied()).toEqual([
      ...['funnel 1 5 2026-01-03', 'funnel 1 6 2026-02-02'],
      ...['product 1 1 2026-01-01', 'product 1 3 2026-02-01', 'product 2 9 2026-01-02'],
    ]);
  });

  test('a workspace with a newly reserved subdomain is reported with the command to run, and nothing is changed', async () => {
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

  test("an extension's views and tables belong to nobody, and stay: the database counts as empty", async () => {
    const db = await createDatabase();
    // PostGIS and Citus add tables; no available extension does, so a table is made a member by hand.
    await administrate(
      db,
      `create extension pg_stat_statements;
      create table spatial_ref_sys (srid int);
      alter extension pg_stat_statements add table spatial_ref_sys`,
    );
    expect(await applyMigrations(db)).toEqual(ALL);
    const kept = await db.query("select to_regclass('pg_stat_statements'), to_regclass('spatial_ref_sys')");
    expect(Object.values(kept.rows[0])).not.toContain(null);
    expect(await applyMigrations(db)).toEqual([]);
  });

  test("tables of somebody else are refused even next to an extension's", async () => {
    const db = await createDatabase();
    await administrate(db, 'create extension pg_stat_statements');
    await db.query('create view theirs as table pg_stat_statements');
    await expect(applyMigrations(db)).rejects.toThrow(/"theirs".*name an empty database/);
  });

  test('a database of an earlier version is refused in one sentence, and left alone', async () => {
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

test('writes the changes of the schema, and leaves no shadow database', async () => {
  const db = await createDatabase();
  const folder = await copyPrisma(clusters);
  const schema = join(folder, 'schema', 'teams.prisma');
  const text = await readFile(schema, 'utf8');
  await writeFile(schema, text.replace('model Team {', 'model Team {\n  motto String?'));
  const made = await createMigration(db, 'motto', { administratorUrl });
  expect(made).toBeNull();
  const written = await createMigration(db, 'motto', { prismaFolder: folder, administratorUrl });
  expect(written?.name).toMatch(/^\d{14}_motto$/);
  expect(dirname(dirname(written?.path ?? ''))).toBe(join(folder, 'migrations'));
  expect(await readFile(written?.path ?? '', 'utf8')).toContain(
    'ALTER TABLE "teams" ADD COLUMN     "motto" TEXT',
  );
  expect(await query(serverUrl, "select from pg_database where datname like '%shadow%'")).toEqual([]);
  expect(await applyMigrations(db, folder)).toEqual([...ALL, written?.name].sort());
});
