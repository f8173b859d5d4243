// Applies one migration. Its SQL and the record that it was applied are one transaction, so a migration that fails or is interrupted
// leaves nothing behind and starts again. A single statement that cannot run in a transaction, such as `create index concurrently`, is
// executed alone, after its leftovers from an earlier attempt are dropped.

import type pg from 'pg';
import { endingSession } from '../connections/ending-session.ts';
import { transactionOn } from '../connections/executor.ts';
import { findPlacedTables } from '../shard-placement/state.ts';
import type { Migration } from './folder.ts';
import { yieldingLocks } from './giving-way.ts';
import { recordApplied } from './history.ts';
import { isOfSearch } from './search.ts';
import { splitStatements, withoutComments } from './split.ts';
import { isForPlaced } from './tenant-role.ts';

interface Options {
  /** Aborting it terminates the session that executes the migration. */
  readonly signal: AbortSignal;
}

/**
 * Applies a migration. A migration that waits for a lock blocks all later statements, so it gives up soon and tries again later. Creating
 * an index concurrently blocks nothing.
 * @throws the driver's error; StartupError if it was interrupted
 */
export async function applyMigration(
  pool: pg.Pool,
  migration: Migration,
  { signal }: Options,
): Promise<void> {
  const script = migration.sql;
  const statements = splitStatements(script);
  const isPatient =
    statements.length === 1 && /\bconcurrently\b/i.test(statements.map(withoutComments).join());
  const client = await pool.connect();
  const attempt = async () => {
    const startedAt = new Date();
    if (isPatient && isOfSearch(script) && (await findPlacedTables(client)).length > 0) {
      await recordApplied(client, migration, startedAt);
      return;
    }
    if (isPatient) {
      await dropUnrecorded(client, script);
      await client.query(script.replace(DROPS, '$& if exists'));
      await recordApplied(client, migration, startedAt);
      return;
    }
    const parts = partsFor(await findPlacedTables(client), script);
    await transactionOn(client, async () => {
      for (const part of parts) await client.query(part);
      await recordApplied(client, migration, startedAt);
    });
  };
  try {
    await endingSession({ client, pool, signal }, () =>
      yieldingLocks(client, signal, attempt, isPatient ? 0 : undefined),
    );
  } finally {
    await client.query('set lock_timeout = 0').catch(() => {});
    // Its termination may not be complete yet, so the connection must not be reused.
    client.release(signal.aborted);
  }
}

/** The parts to send: the complete script or, if tables are placed on several servers, each statement that these need. */
function partsFor(placed: readonly string[], script: string): readonly string[] {
  if (placed.length === 0) return [script];
  return splitStatements(script).filter(
    (statement) => isForPlaced(statement, placed) && !isOfSearch(statement),
  );
}

/** The index that a statement creates concurrently, and its table. */
const BUILDS =
  /^create\s+(?:unique\s+)?index\s+concurrently\s+(if\s+not\s+exists\s+)?("\w+"|\w+)\s+on\s+(?:only\s+)?("\w+"|\w+)/i;

/** A statement that drops an index concurrently: an attempt that ended before it was recorded may have dropped it. */
const DROPS = /\bdrop\s+index\s+concurrently\b(?!\s+if\s)/i;

/**
 * Drops the leftovers of an earlier attempt to create an index concurrently: an invalid index, or a valid one if the attempt ended before
 * it was recorded. With `if not exists`, a valid index is kept.
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
