// Messages for migrations that were interrupted, by Ctrl-C or by a lost connection. The interrupted migration leaves nothing behind
// (apply.ts).
import pg from 'pg';
import { StartupError } from '../../errors.ts';
import { toStoreError } from '../connections/failures.ts';

/** PostgreSQL's codes for a session that it terminated. Without a code, the connection broke. */
const ENDED = /^(57P0[1-5]|08...)$/;

/** Whether a statement failed because it lost its session. */
export function wasInterrupted(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return ENDED.test(error.code ?? '');
  return toStoreError(error) !== error;
}

interface Interrupted {
  readonly isInterrupted: boolean;
  /** The migrations applied before. */
  readonly before: readonly string[];
  /** Reads the migrations applied now. */
  readonly readApplied: () => Promise<readonly string[]>;
  readonly cause: unknown;
}

/** The message about migrations that were just interrupted. */
export async function interruptedMessage({
  isInterrupted,
  before,
  readApplied,
  cause,
}: Interrupted): Promise<StartupError> {
  // If the database cannot be reached now, the next start will check.
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
