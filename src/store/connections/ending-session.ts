// Work in a session that may be told to stop: Ctrl-C has to end a statement that takes hours, or waits for others.
import type pg from 'pg';
import { withAbortListener } from '../../concurrency/abort.ts';
import { StartupError } from '../../errors.ts';

interface Session {
  readonly client: pg.ClientBase;
  /** Over another connection of it the session is ended. */
  readonly pool: pg.Pool;
  readonly signal: AbortSignal;
}

/**
 * Works until the signal is aborted: then the session is ended, whatever it does, and with it the transaction that it is in.
 * @throws StartupError when it was aborted; what `work` throws
 */
export async function endingSession<T>(
  { client, pool, signal }: Session,
  work: () => Promise<T>,
): Promise<T> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const end = () => {
    // Citus has a function of that name too, of a bigint, which asks other nodes.
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
