// Interrupted migrations: by Ctrl-C, by the database, by the end of the process.
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cancellingOn } from '../../src/store/connections/cancelling.ts';
import { takeMigrationLock } from '../../src/store/migrations/lock.ts';
import { applyMigrations, migrationState } from '../../src/store/migrations/migrations.ts';
import { createClusters } from '../support/cluster.ts';
import { cloneTemplate, openGateway } from '../support/gateway.ts';
import { addMigration, copyPrisma } from '../support/prisma-copy.ts';

const LATER = '20270101000000_later';
const LATEST = '20270102000000_latest';
const WAITS_FOR_CONTACTS = 'create table later (id int); alter table contacts add column later int;';

const folders = createClusters();
let database: Awaited<ReturnType<typeof cloneTemplate>>;
/** The migrating connection, and another one. */
let db: pg.Pool;
let other: pg.Client;
/** A copy of prisma/ that a test adds migrations to. */
let folder: string;

beforeEach(async () => {
  database = await cloneTemplate();
  db = new pg.Pool({ connectionString: database.url, max: 1 });
  // Its connections may still be closing when the database is dropped.
  db.on('error', () => {});
  other = new pg.Client({ connectionString: database.url });
  await other.connect();
  folder = await copyPrisma(folders);
});
afterEach(async () => {
  await other.end();
  await db.end();
  await database.drop();
  await folders.clean();
});

const add = (name: string, sql: string) => addMigration(folder, name, sql);

/** Starts to apply pending migrations. */
function begin() {
  const stop = new AbortController();
  const applying = applyMigrations(db, folder, { signal: stop.signal });
  applying.catch(() => {});
  return { applying, stop };
}

/** Waits until a statement on the other connection returns a row. */
async function until<Row extends object>(statement: string): Promise<Row | undefined> {
  for (;;) {
    const { rows } = await other.query<Row>(statement);
    if (rows.length > 0) return rows[0];
  }
}

const untilWaiting = () =>
  until<{ pid: number }>(
    `select pid from pg_locks where mode = 'AccessExclusiveLock' and not granted and relation = 'contacts'::regclass`,
  );

test('Ctrl-C while another process migrates changes nothing', async () => {
  await add(LATER, 'create table later (id int);');
  await takeMigrationLock(other);
  const { applying, stop } = begin();
  await until(
    `select from pg_stat_activity where datname = current_database() and query like '%try_advisory%' and pid <> pg_backend_pid()`,
  );
  stop.abort();
  await expect(applying).rejects.toThrow('Interrupted: nothing was changed.');
  expect((await migrationState(db, folder)).pending).toEqual([LATER]);
});

test('Ctrl-C while a migration waits for a lock undoes it, and it can run again', async () => {
  await add(LATER, WAITS_FOR_CONTACTS);
  await other.query('begin; lock table contacts in access share mode');
  const { applying, stop } = begin();
  await untilWaiting();
  stop.abort();
  await expect(applying).rejects.toThrow('Interrupted: nothing was changed.');
  expect((await migrationState(db, folder)).pending).toEqual([LATER]);
  await other.query('commit');
  expect(await applyMigrations(db, folder)).toEqual([LATER]);
});

test('Ctrl-C keeps the migrations that were applied before, and lists them', async () => {
  await add(LATER, 'create table later (id int);');
  await add(LATEST, 'create table latest (id int); select pg_sleep(600);');
  const { applying, stop } = begin();
  await until(`select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`);
  stop.abort();
  await expect(applying).rejects.toThrow(
    `Interrupted: ${LATER} was applied, and what was under way left nothing behind. Start again for the rest.`,
  );
  expect((await migrationState(db, folder)).pending).toEqual([LATEST]);
});

test('a session that the database ends leaves nothing behind, and the migration can run again', async () => {
  await add(LATER, WAITS_FOR_CONTACTS);
  await other.query('begin; lock table contacts in access share mode');
  const { applying } = begin();
  const waiting = await untilWaiting();
  await other.query('select pg_terminate_backend($1)', [waiting?.pid]);
  await expect(applying).rejects.toThrow(
    /^The connection to the database was lost .* nothing was changed\. Start again/,
  );
  await other.query('commit');
  expect(await applyMigrations(db, folder)).toEqual([LATER]);
});

test('an interrupted index is built anew', async () => {
  await add(LATER, 'create index concurrently later_idx on contacts (first_name);');
  // Building an index in this way waits for all earlier writers.
  await other.query('begin; lock table contacts in row exclusive mode');
  const { applying, stop } = begin();
  await until(`select from pg_index where indexrelid = to_regclass('later_idx')`);
  stop.abort();
  await expect(applying).rejects.toThrow('Interrupted: nothing was changed.');
  await other.query('commit');
  expect(await applyMigrations(db, folder)).toEqual([LATER]);
  const { rows } = await other.query(
    `select indisvalid as whole from pg_index where indexrelid = 'later_idx'::regclass`,
  );
  expect(rows).toEqual([{ whole: true }]);
});

test('a killed process’s unfinished work starts anew', async () => {
  await add(LATER, 'create table later (id int);');
  await other.query(
    `insert into _prisma_migrations (id, checksum, migration_name) values (gen_random_uuid(), '', $1)`,
    [LATER],
  );
  expect(await applyMigrations(db, folder)).toEqual([LATER]);
  expect(await migrationState(db, folder)).toMatchObject({ pending: [], failed: [] });
});

test.each(['', '-- Not concurrently:\n'])(
  '%s a migration and the record that it is applied are one: an end between them is none',
  async (comment) => {
    // The end of the session comes with the statement that records it.
    await add(
      LATER,
      `${comment}create table later (id int);
      create function end_session() returns trigger language plpgsql as $$ begin
        perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
      create trigger ended after insert on _prisma_migrations for each row
        when (new.applied_steps_count > 0) execute function end_session();`,
    );
    const { applying } = begin();
    await applying.catch(() => {});
    expect((await migrationState(db, folder)).failed).toEqual([]);
    expect((await other.query("select to_regclass('later') is not null as there")).rows).toEqual([
      { there: (await migrationState(db, folder)).pending.length === 0 },
    ]);
  },
);

test('Ctrl-C of a command cancels its store’s statements, but not the query for applied migrations', async () => {
  await add(LATER, 'create table later (id int); select pg_sleep(600);');
  const gateway = openGateway({ databaseUrl: database.url });
  try {
    const { store } = gateway.app;
    const stop = new AbortController();
    const applying = applyMigrations(store.pool, folder, { signal: stop.signal });
    const cancelled = cancellingOn(stop.signal, () => store.cancel(), applying);
    cancelled.catch(() => {});
    await until(`select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`);
    stop.abort();
    await expect(cancelled).rejects.toThrow('Interrupted: nothing was changed.');
    expect(await migrationState(db, folder)).toMatchObject({ pending: [LATER], failed: [] });
  } finally {
    await gateway.close();
  }
});

test('an index that was built, but not recorded, is accepted', async () => {
  await add(LATER, '-- For lists.\ncreate index concurrently later_idx on contacts (first_name);');
  await other.query('create index later_idx on contacts (first_name)');
  expect(await applyMigrations(db, folder)).toEqual([LATER]);
  const { rows } = await other.query(
    `select indisvalid as whole from pg_index where indexrelid = 'later_idx'::regclass`,
  );
  expect(rows).toEqual([{ whole: true }]);
});
