// Migrations that ended before they were done: by an error, by Ctrl-C, because the database was lost, or with their process. What they
// changed was one transaction with the record that they are applied, so that one whose record is not finished has left nothing behind: it
// is begun anew.
// An index that is built while others write takes no transaction: what is there of it is dropped before.
import pg from 'pg';
import { StartupError } from '../../errors.ts';
import { toStoreError } from '../connections/failures.ts';
import { splitStatements, withoutComments } from './split.ts';

/** To be executed with a migration: its record is finished when, and only when, the migration is applied. */
export const FINISH = `
;update _prisma_migrations set finished_at = now() where finished_at is null and rolled_back_at is null`;

const FORGET = 'delete from _prisma_migrations where finished_at is null and rolled_back_at is null';

/** PostgreSQL's word for each that it ended the session itself; without one the connection broke. */
const ENDED = /^(57P0[1-5]|08...)$/;

/** Whether a statement has no outcome of its own, but lost its session. */
export function isCutShort(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return ENDED.test(error.code ?? '');
  return toStoreError(error) !== error;
}

interface CutShort {
  readonly isInterrupted: boolean;
  /** What was applied before. */
  readonly before: readonly string[];
  /** Reads what is applied now. */
  readonly readApplied: () => Promise<readonly string[]>;
  readonly cause: unknown;
}

/** Forgets the migration that was cut short just now. @returns what is to be said of it */
export async function afterCutShort(
  db: pg.Pool,
  { isInterrupted, before, readApplied, cause }: CutShort,
): Promise<StartupError> {
  // A database that cannot be reached now is asked by the next start.
  const applied = await forgetUnfinished(db).then(readApplied, () => null);
  const done = applied?.filter((name) => !before.includes(name)) ?? [];
  const why = isInterrupted
    ? 'Interrupted'
    : 'The connection to the database was lost while migrations were applied';
  const were = done.length === 1 ? 'was' : 'were';
  const what =
    applied === null
      ? 'what was under way is applied whole, or not at all. Start again.'
      : done.length === 0
        ? `nothing was changed.${isInterrupted ? '' : ' Start again.'}`
        : `${done.join(', ')} ${were} applied, and what was under way left nothing behind. Start again for the rest.`;
  return new StartupError(`${why}: ${what}`, { cause });
}

/** Forgets one that failed, or that a process had begun which is gone. */
export async function forgetUnfinished(db: pg.Pool): Promise<void> {
  await db.query(FORGET);
}

/** The index that a statement builds while others write, and its table. */
const BUILDS =
  /^create\s+(?:unique\s+)?index\s+concurrently\s+(if\s+not\s+exists\s+)?("\w+"|\w+)\s+on\s+(?:only\s+)?("\w+"|\w+)/i;

/**
 * Drops what an earlier attempt has left of the indexes that a migration is to build while others write: half an index, or a whole one
 * where the end came before the record. What the migration itself passes over (`if not exists`) stays if it is whole.
 */
export async function dropUnrecorded(client: pg.ClientBase, script: string): Promise<void> {
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
