// Reads a consistent snapshot of the complete store while it is in use: one repeatable-read transaction, with COPY for each table.
// Migrations wait until it is done.
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { StartupError } from '../../errors.ts';
import { requestCancel } from '../connections/cancel.ts';
import { cancellingOn } from '../connections/cancelling.ts';
import { protocolConnectionOf } from '../connections/rows-query.ts';
import { shareMigrationLock } from '../migrations/lock.ts';
import type { Manifest, TableManifest } from './manifest.ts';

/** The content of the store. */
export interface Snapshot extends Pick<Manifest, 'migrations' | 'tables' | 'sequences'> {
  /** The rows of a table, in the text format of COPY. Only one table at a time. */
  copy(table: string): AsyncIterable<Buffer>;
}

const SETTINGS = `set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0;
  set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set bytea_output = 'hex'`;

/** The gateway's own tables, with their columns that are not generated. */
export const DUMPED_TABLES = `select c.relname::text as name, array(
    select a.attname::text from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns
  from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relpersistence = 'p' and c.relname <> '_prisma_migrations'
    and not exists (select from pg_depend
      where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
  order by 1`;

const REFERENCES = `select distinct conrelid::regclass::text as "from", confrelid::regclass::text as "to"
  from pg_constraint where contype = 'f' and conrelid <> confrelid and not condeferrable`;

/**
 * The sequences, with the arguments of `setval` that restore them. An unused sequence has no last value, and neither has one that the user
 * may not read.
 */
const SEQUENCES = `select sequencename::text as name, coalesce(last_value, start_value)::text as value, last_value is not null as called,
    has_sequence_privilege(format('%I.%I', schemaname, sequencename), 'select, usage') as readable
  from pg_sequences where schemaname = current_schema() order by 1`;

const MIGRATIONS = `select migration_name as name, checksum from _prisma_migrations
  where finished_at is not null and rolled_back_at is null order by started_at, migration_name`;

/** Runs `work` on a snapshot of the store. @throws what `work` throws; after an abort PostgreSQL's error, or the signal's reason */
export async function withSnapshot<T>(
  url: string,
  signal: AbortSignal,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const config = { connectionString: url, application_name: 'funnel-gateway backup' };
  const client = new pg.Client(config);
  client.on('error', () => {});
  await client.connect();
  return cancellingOn(signal, () => requestCancel(config, client), readIn(client, signal, work));
}

async function readIn<T>(
  client: pg.Client,
  signal: AbortSignal,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  try {
    signal.throwIfAborted();
    await client.query(SETTINGS);
    await shareMigrationLock(client, signal);
    await client.query('begin isolation level repeatable read, read only');
    const tables = inOrder(
      await rowsOf<Omit<TableManifest, 'rows'>>(client, DUMPED_TABLES),
      await rowsOf<Reference>(client, REFERENCES),
    );
    const counted: TableManifest[] = [];
    for (const table of tables) {
      const [row] = await rowsOf<{ count: string }>(client, `select count(*) from ${quoteName(table.name)}`);
      counted.push({ ...table, rows: Number(row?.count ?? 0) });
    }
    const columnsOf = new Map(tables.map(({ name, columns }) => [name, columns]));
    return await work({
      tables: counted,
      migrations: await rowsOf(client, MIGRATIONS),
      // Read after the snapshot, so that it covers all ids in the snapshot.
      sequences: await readSequences(client),
      copy: (name) => {
        const columns = (columnsOf.get(name) ?? []).map(quoteName).join(', ');
        return client.query(copyTo(`copy (select ${columns} from ${quoteName(name)}) to stdout`));
      },
    });
  } finally {
    // Ends the transaction with any statement that still runs in it.
    protocolConnectionOf(client).stream.destroy();
  }
}

/**
 * Reads the sequences. @throws StartupError for a sequence that the user may not read: after a restore it would start again, and assign
 * existing ids
 */
async function readSequences(client: pg.Client): Promise<Manifest['sequences']> {
  const all = await rowsOf<Manifest['sequences'][number] & { readable: boolean }>(client, SEQUENCES);
  const hidden = all.filter(({ readable }) => !readable).map(({ name }) => name);
  if (hidden.length > 0)
    throw new StartupError(
      `The database user may not read the sequences ${hidden.join(', ')}: no backup was written. Let their owner grant select on them.`,
    );
  return all.map(({ readable: _, ...sequence }) => sequence);
}

interface Reference {
  readonly from: string;
  readonly to: string;
}

/**
 * Sorts the tables so that each follows those to which its rows refer. Deferrable foreign keys do not count. @throws Error if the tables
 * refer to each other in a circle
 */
function inOrder<T extends { readonly name: string }>(
  tables: readonly T[],
  references: readonly Reference[],
): T[] {
  const ordered: T[] = [];
  const waiting = new Set(tables);
  while (waiting.size > 0) {
    const names = new Set([...waiting].map(({ name }) => name));
    const free = [...waiting].filter(
      (table) => !references.some(({ from, to }) => from === table.name && names.has(to)),
    );
    if (free.length === 0)
      throw new Error(`Tables refer to each other in a circle: ${[...names].join(', ')}.`);
    for (const table of free) waiting.delete(table);
    ordered.push(...free);
  }
  return ordered;
}

async function rowsOf<T extends pg.QueryResultRow>(client: pg.Client, sql: string): Promise<T[]> {
  return (await client.query<T>(sql)).rows;
}

/** Quotes a name for SQL. */
export function quoteName(name: string): string {
  return pg.escapeIdentifier(name);
}
