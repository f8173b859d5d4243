// Runs work in a session that can be interrupted: Ctrl-C must end a statement that takes hours, or waits for others.
import type pg from 'pg';
import { withAbortListener } from '../../concurrency/abort.ts';
import { StartupError } from '../../errors.ts';

interface Session {
  readonly client: pg.ClientBase;
  /** The pool whose other connections can terminate the session. */
  readonly pool: pg.Pool;
  readonly signal: AbortSignal;
}

/**
 * Runs `work` until the signal is aborted. Then terminates the session, and with it its statement and transaction.
 * @throws StartupError when the signal was aborted; what `work` throws
 */
export async function endingSession<T>(
  { client, pool, signal }: Session,
  work: () => Promise<T>,
): Promise<T> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const end = () => {
    // The cast selects PostgreSQL's own function: an extension may have one of this name that takes a bigint.
    pool.query('select pg_terminate_backend($1::int)', [rows[0]?.pid]).catch(() => {});
  };
  try {
    signal.throwIfAborted();
    const done = await withAbortListener(signal, end, work());
    signal.throwIfAborted();
    return done;
  } catch (error) {
    if (signal.aborted) throw new StartupError('Interrupted: the store is as it was.', { cause: error });
    throw error;
  }
}
