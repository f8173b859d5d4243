// The gateway applies migrations as `prisma migrate deploy` does: Prisma's schema engine and the gateway accept each other's stores.
import pg from 'pg';
import { expect, test } from 'vitest';
import { withEngine } from '../../src/store/migrations/engine.ts';
import { PRISMA_FOLDER, readMigrations } from '../../src/store/migrations/folder.ts';
import { takeMigrationLock } from '../../src/store/migrations/lock.ts';
import { applyMigrations, migrationState } from '../../src/store/migrations/migrations.ts';
import { emptyDatabases } from '../support/empty-databases.ts';
import { addMigration, copyPrisma } from '../support/prisma-copy.ts';

const LATER = '20270101000000_later';
const NOTHING = { applied: [], pending: [], failed: [], edited: [], unknown: [] };
const ALL = (await readMigrations(PRISMA_FOLDER)).map(({ name }) => name);
const MIDDLE = ALL[Math.floor(ALL.length / 2)] ?? '';

const { clusters, administratorUrl, createDatabase } = await emptyDatabases();

/** Applies pending migrations with Prisma's engine. @param only the migrations that exist for it */
async function applyWithPrisma(
  db: pg.Pool,
  { folder = PRISMA_FOLDER, only = () => true }: { folder?: string; only?: (name: string) => boolean } = {},
): Promise<string[]> {
  // Its lock is the session's.
  const own = new pg.Pool(db.options);
  try {
    const { appliedMigrationNames } = await withEngine(own, folder, (engine, { migrationsList, ...input }) =>
      engine.applyMigrations({
        ...input,
        migrationsList: {
          ...migrationsList,
          migrationDirectories: migrationsList.migrationDirectories.filter(({ path }) => only(path)),
        },
      }),
    );
    return appliedMigrationNames;
  } finally {
    await own.end();
  }
}

/** The basis of `prisma migrate status`, and the first step of `prisma migrate dev`: `reset` if anything has drifted. */
const diagnose = (db: pg.Pool, folder = PRISMA_FOLDER) =>
  withEngine(
    db,
    folder,
    async (engine, { migrationsList, filters }) => ({
      ...(await engine.diagnoseMigrationHistory({ migrationsList, filters, optInToShadowDatabase: false })),
      ...(await engine.devDiagnostic({ migrationsList, filters })),
    }),
    administratorUrl,
  );
const UP_TO_DATE = {
  history: null,
  failedMigrationNames: [],
  editedMigrationNames: [],
  hasMigrationsTable: true,
  action: { tag: 'createMigration' },
};

/** The table of migrations without its varying columns. */
async function readHistory(db: pg.Pool) {
  const { rows: columns } = await db.query(
    `select column_name, data_type, character_maximum_length, is_nullable, column_default
      from information_schema.columns where table_name = '_prisma_migrations' order by ordinal_position`,
  );
  const { rows } = await db.query(
    `select length(id) as id, checksum, finished_at >= started_at as finished, migration_name, logs, rolled_back_at,
      started_at <= now() as started, applied_steps_count from _prisma_migrations order by migration_name`,
  );
  return { columns, rows };
}

test('a store that the gateway migrated is up to date for Prisma: nothing pending, edited, failed or drifted', async () => {
  const db = await createDatabase();
  await applyMigrations(db);
  expect(await diagnose(db)).toEqual(UP_TO_DATE);
  expect(await applyWithPrisma(db)).toEqual([]);
  await db.query('alter table tags add column drifted int');
  expect(await diagnose(db)).toMatchObject({ action: { tag: 'reset' } });
});

test('a store that Prisma migrated is up to date for the gateway, and both keep the same history', async () => {
  const [theirs, ours] = [await createDatabase(), await createDatabase()];
  expect(await applyWithPrisma(theirs)).toEqual(ALL);
  expect(await migrationState(theirs)).toEqual({ ...NOTHING, applied: ALL });
  expect(await applyMigrations(theirs)).toEqual([]);
  await applyMigrations(ours);
  expect(await readHistory(ours)).toEqual(await readHistory(theirs));
});

test('each continues where the other stopped', async () => {
  const [theirs, ours] = [await createDatabase(), await createDatabase()];
  const isFirst = (name: string) => name < MIDDLE;
  const [first, rest] = [ALL.filter(isFirst), ALL.filter((name) => !isFirst(name))];
  expect(await applyWithPrisma(theirs, { only: isFirst })).toEqual(first);
  expect(await applyMigrations(theirs)).toEqual(rest);
  expect(await applyMigrations(ours, PRISMA_FOLDER, { only: isFirst })).toEqual(first);
  expect(await applyWithPrisma(ours)).toEqual(rest);
  for (const db of [theirs, ours]) expect(await diagnose(db)).toEqual(UP_TO_DATE);
});

test('a failed migration has failed for both, and the gateway continues once it is repaired', async () => {
  const db = await createDatabase();
  await applyMigrations(db);
  const folder = await copyPrisma(clusters);
  await addMigration(folder, LATER, 'create table later (id int); select 1 / 0;');
  await expect(applyMigrations(db, folder)).rejects.toThrow(/division by zero/);
  const { failedMigrationNames } = await withEngine(db, folder, (engine, { migrationsList, filters }) =>
    engine.diagnoseMigrationHistory({ migrationsList, filters, optInToShadowDatabase: false }),
  );
  expect(failedMigrationNames).toEqual([LATER]);
  await db.query('delete from _prisma_migrations where finished_at is null');
  await expect(applyWithPrisma(db, { folder })).rejects.toThrow(/division by zero/);
  expect((await migrationState(db, folder)).failed).toEqual([LATER]);
  const mended = await copyPrisma(clusters);
  await addMigration(mended, LATER, 'create table later (id int);');
  expect(await applyMigrations(db, mended)).toEqual([LATER]);
  expect(await diagnose(db, mended)).toEqual(UP_TO_DATE);
});

test('the two never migrate at once: each waits for the lock of the other', async () => {
  const db = await createDatabase();
  const holder = new pg.Client(db.options);
  await holder.connect();
  const until = async (statement: string) => {
    while ((await db.query(statement)).rowCount === 0);
  };
  await takeMigrationLock(holder);
  const theirs = applyWithPrisma(db);
  await until(`select from pg_locks where locktype = 'advisory' and objid = 72707369 and not granted`);
  expect((await migrationState(db)).applied).toEqual([]);
  await holder.query('select pg_advisory_unlock_all()');
  expect(await theirs).toEqual(ALL);

  const folder = await copyPrisma(clusters);
  await addMigration(folder, LATER, 'create table later (id int);');
  await holder.query('select pg_advisory_lock(72707369)');
  const ours = applyMigrations(db, folder);
  await until(
    `select from pg_stat_activity where datname = current_database() and query like '%try_advisory%72707369%'
      and pid <> pg_backend_pid()`,
  );
  expect((await migrationState(db, folder)).pending).toEqual([LATER]);
  await holder.query('select pg_advisory_unlock_all()');
  expect(await ours).toEqual([LATER]);
  await holder.end();
});
