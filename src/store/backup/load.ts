// Replaces the embedded store by a backup: loads it into a separate database, which replaces the current one in one step when it is
// complete. A failure before that leaves the store unchanged.
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { StartupError } from '../../errors.ts';
import { requestCancel } from '../connections/cancel.ts';
import { cancellingOn } from '../connections/cancelling.ts';
import { OWNER } from '../embedded/address.ts';
import type { EmbeddedDatabase } from '../embedded/embedded.ts';
import { readErasures, repeatErasures } from '../erasure/erasures.ts';
import { isUnedited, PRISMA_FOLDER, readMigrations } from '../migrations/folder.ts';
import { applyMigrations } from '../migrations/migrations.ts';
import { type KeepDays, PARTITIONED_TABLES, stepPartitions } from '../partitions/partitions.ts';
import type { ArchiveReader } from './archive.ts';
import { DUMPED_TABLES, quoteName } from './dump.ts';

/** The database while it is loaded, and the replaced one until it is dropped. A killed restore can leave either behind. */
const DRAFT = `${OWNER}_restoring`;
const REPLACED = `${OWNER}_replaced`;

const SETTINGS = `set statement_timeout = 0; set lock_timeout = 0; set datestyle = 'ISO, YMD'; set timezone = 'UTC';
  set intervalstyle = 'postgres'`;

/**
 * SQL that drops and recreates the constraints that older rows may violate (migration hosts), and the triggers that make service users and
 * tagged products and funnels, because the backup contains those rows. Constraints remain not validated.
 */
const LIFTED_RULES = `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as lift,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as set
  from pg_constraint
  where connamespace = current_schema()::regnamespace and contype = 'c' and conrelid <> 0 and not convalidated and conislocal
  union all
  select format('alter table %s disable trigger %I', tgrelid::regclass, tgname),
    format('alter table %s enable trigger %I', tgrelid::regclass, tgname)
  from pg_trigger where tgname in ('subdomain_is_allowed', 'keep_service_user') or tgname like 'keep\\_tagged\\_%'`;

/** The migration with the function that creates partitions. */
const KEEP_PARTITIONS = '20261124090000_keep_partitions';

/** Whether any table of the store has rows. */
export async function hasRows(url: string): Promise<boolean> {
  return withClient(url, async (client) => {
    for (const name of await tablesOf(client)) {
      const found = await client.query(`select from ${quoteName(name)} limit 1`);
      if (found.rowCount !== 0) return true;
    }
    return false;
  });
}

/** The names of the gateway's own tables. */
async function tablesOf(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(DUMPED_TABLES);
  return rows.map(({ name }) => name);
}

/**
 * Checks that this version can load a backup with these migrations.
 * @throws StartupError unless this version has all of them, unchanged
 */
export async function requireLoadable(
  migrations: readonly { readonly name: string; readonly checksum: string }[],
): Promise<void> {
  const onDisk = await readMigrations(PRISMA_FOLDER);
  for (const { name, checksum } of migrations) {
    const known = onDisk.find((migration) => migration.name === name);
    if (known === undefined)
      throw new StartupError(
        `The backup was made by another version of the gateway (its migration ${name} is not known here): restore it with that version, or a newer one.`,
      );
    if (!isUnedited(known, checksum))
      throw new StartupError(
        `The backup was made with another form of the migration ${name}: restore it with the version that made it.`,
      );
  }
}

export interface LoadOptions {
  readonly signal: AbortSignal;
  readonly keepDays: KeepDays;
  /** Called with the number of rows sent since the last call. */
  readonly onRows: (rows: number) => void;
  /** Called last before the backup replaces the store. A failure here still leaves everything unchanged. */
  readonly beforeSwap: () => Promise<void>;
}

/** The connection strings of the embedded store. */
type StoreUrls = Pick<EmbeddedDatabase, 'url' | 'administratorUrl'>;

/**
 * Replaces the embedded store, which nobody else may be using. `dropReplaced` drops the replaced store later. Contacts that were erased
 * there since the backup are erased again.
 * @returns the number of these contacts
 * @throws Error, StartupError for a migration that fails; then nothing is changed
 */
export async function replaceStore(
  { url, administratorUrl }: StoreUrls,
  archive: ArchiveReader,
  { signal, keepDays, onRows, beforeSwap }: LoadOptions,
): Promise<number> {
  const erasures = await withClient(url, readErasures);
  return withClient(administratorUrl, async (admin) => {
    for (const name of [DRAFT, REPLACED]) await dropDatabase(admin, name);
    try {
      await admin.query(`create database ${DRAFT} owner ${OWNER}`);
      const draft = databaseAt(url, DRAFT);
      await fill(draft, archive, { signal, keepDays, onRows });
      const erased = await withClient(draft, (client) => repeatErasures(client, erasures), signal);
      await beforeSwap();
      signal.throwIfAborted();
      await admin.query(`begin; alter database ${OWNER} rename to ${REPLACED};
        alter database ${DRAFT} rename to ${OWNER}; commit`);
      return erased;
    } catch (error) {
      await admin.query('rollback').catch(() => {});
      await dropDatabase(admin, DRAFT).catch(() => {});
      throw error;
    }
  });
}

/** Drops the replaced store, which takes a while. If that fails, the next restore drops it. */
export async function dropReplaced({ administratorUrl }: StoreUrls): Promise<void> {
  await withClient(administratorUrl, (admin) => dropDatabase(admin, REPLACED)).catch(() => {});
}

function dropDatabase(admin: pg.Client, name: string): Promise<unknown> {
  return admin.query(`drop database if exists ${name} with (force)`);
}

async function fill(
  url: string,
  archive: ArchiveReader,
  { signal, keepDays, onRows }: Omit<LoadOptions, 'beforeSwap'>,
): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => {});
  try {
    const then = new Set(archive.manifest.migrations.map(({ name }) => name));
    await applyMigrations(pool, undefined, { only: (name) => then.has(name), signal });
    // The rows of a backup from before the function go into the default partitions.
    if (then.has(KEEP_PARTITIONS))
      for (const table of PARTITIONED_TABLES)
        while ((await stepPartitions({ pool }, table, keepDays, { isBehind: true })).more)
          signal.throwIfAborted();
    await withClient(url, (client) => copyTables(client, archive, signal, onRows), signal);
    await applyMigrations(pool, undefined, { lenient: true, signal });
    await withClient(url, (client) => client.query('analyze'), signal);
  } finally {
    await pool.end();
  }
}

async function copyTables(
  client: pg.Client,
  archive: ArchiveReader,
  signal: AbortSignal,
  onRows: (rows: number) => void,
): Promise<void> {
  await client.query(SETTINGS);
  // Only the gateway's tables, because the archive is untrusted.
  const known = await tablesOf(client);
  const unknown = archive.manifest.tables.find(({ name }) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`${unknown.name} is no table of the gateway`);
  const { rows: lenient } = await client.query<{ lift: string; set: string }>(LIFTED_RULES);
  for (const { lift } of lenient) await client.query(lift);
  await client.query('begin; set constraints all deferred');
  for (const { name, columns } of archive.manifest.tables) {
    const list = columns.map(quoteName).join(', ');
    const into = client.query(copyFrom(`copy ${quoteName(name)} (${list}) from stdin`));
    await pipeline(countRows(archive.copy(name), onRows), into, { signal });
  }
  await archive.finish();
  for (const { name, value, called } of archive.manifest.sequences)
    await client.query('select setval($1::regclass, $2::bigint, $3)', [quoteName(name), value, called]);
  await client.query('commit');
  for (const { set } of lenient) await client.query(set);
}

/** Passes on the pieces of a copy. @param onRows called with the number of rows in each */
export async function* countRows(
  pieces: AsyncIterable<Buffer>,
  onRows: (rows: number) => void,
): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    onRows(rowCountOf(piece));
    yield piece;
  }
}

/** Counts the rows in a piece of a copy: each ends with a line feed. */
export function rowCountOf(piece: Buffer): number {
  let rows = 0;
  for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) rows++;
  return rows;
}

function databaseAt(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

/** @param signal aborting it cancels the running statement */
async function withClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
  signal = new AbortController().signal,
): Promise<T> {
  const config = { connectionString: url, application_name: 'funnel-gateway restore' };
  const client = new pg.Client(config);
  client.on('error', () => {});
  await client.connect();
  try {
    return await cancellingOn(signal, () => requestCancel(config, client), work(client));
  } finally {
    await client.end().catch(() => {});
  }
}
