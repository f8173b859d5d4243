// Applies one migration: what it says and the record that it is applied are one transaction, so that one that fails, or is ended, leaves
// nothing behind and is begun anew. A single statement that takes no transaction, such as an index that is built while others write, is
// executed alone, and what an earlier attempt left of it is dropped before.
import type pg from 'pg';
import { endingSession } from '../connections/ending-session.ts';
import { readTables } from '../shard-placement/state.ts';
import type { Migration } from './folder.ts';
import { givingWay } from './giving-way.ts';
import { recordApplied } from './history.ts';
import { splitStatements, withoutComments } from './split.ts';

interface Options {
  /** When it is aborted, the session that executes the migration is ended. */
  readonly signal: AbortSignal;
  /** What of its SQL is executed. */
  readonly partOf: (script: string) => string;
}

/**
 * A migration that waits for a lock makes everybody wait who comes behind it, so it gives up soon and tries again later. Building an index
 * concurrently makes nobody wait.
 * @throws the driver's error; StartupError when it was interrupted
 */
export async function applyMigration(
  pool: pg.Pool,
  migration: Migration,
  { signal, partOf }: Options,
): Promise<void> {
  const script = partOf(migration.sql);
  const statements = splitStatements(script);
  const isPatient =
    statements.length === 1 && /\bconcurrently\b/i.test(statements.map(withoutComments).join());
  const client = await pool.connect();
  const attempt = async () => {
    const startedAt = new Date();
    if (isPatient) {
      await dropUnrecorded(client, script);
      await client.query(script);
      await recordApplied(client, migration, startedAt);
      return;
    }
    const parts = (await isDistributed(client)) ? statements : [script];
    await inTransaction(client, async () => {
      for (const part of parts) await client.query(part);
      await recordApplied(client, migration, startedAt);
    });
  };
  try {
    await endingSession({ client, pool, signal }, () =>
      givingWay(client, signal, attempt, isPatient ? 0 : undefined),
    );
  } finally {
    await client.query('set lock_timeout = 0').catch(() => {});
    // Its end may still be on the way: nobody is to be given it.
    client.release(signal.aborted);
  }
}

/** Whether Citus distributes the store: then each statement is sent alone (split.ts). */
async function isDistributed(client: pg.ClientBase): Promise<boolean> {
  return (await readTables(client)).some(({ actual }) => actual === 'distributed');
}

async function inTransaction(client: pg.ClientBase, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** The index that a statement builds while others write, and its table. */
const BUILDS =
  /^create\s+(?:unique\s+)?index\s+concurrently\s+(if\s+not\s+exists\s+)?("\w+"|\w+)\s+on\s+(?:only\s+)?("\w+"|\w+)/i;

/**
 * Drops what an earlier attempt has left of the index that a migration is to build while others write: half an index, or a whole one
 * where the end came before the record. What the migration itself passes over (`if not exists`) stays if it is whole.
 */
async function dropUnrecorded(client: pg.ClientBase, script: string): Promise<void> {
  for (const statement of splitStatements(script)) {
    const [, passesOver, index, table] = BUILDS.exec(withoutComments(statement)) ?? [];
    if (index === undefined) continue;
    const found = await client.query(
      `select from pg_index where indexrelid = to_regclass($1) and indrelid = to_regclass($2) and not (indisvalid and $3)`,
      [index, table, passesOver !== undefined],
    );
    if (found.rowCount === 1) await client.query(`drop index concurrently ${index}`);
  }
}
