// Migrations that were ended before they were done: by Ctrl-C, or because the database was lost. The one that was under way has left
// nothing behind (apply.ts).
import pg from 'pg';
import { StartupError } from '../../errors.ts';
import { toStoreError } from '../connections/failures.ts';

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

/** What is to be said of migrations that were cut short just now. */
export async function afterCutShort({
  isInterrupted,
  before,
  readApplied,
  cause,
}: CutShort): Promise<StartupError> {
  // A database that cannot be reached now is asked by the next start.
  const applied = await readApplied().catch(() => null);
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
