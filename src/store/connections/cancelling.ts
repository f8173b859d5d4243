// Stops work whose statements may be waiting for others. Cancels the statements, so that PostgreSQL answers each with its outcome: a commit
// that was sent completes, and no statement runs on after its caller has left.
import { setTimeout as sleep } from 'node:timers/promises';
import { withAbortListener } from '../../concurrency/abort.ts';

/**
 * PostgreSQL ignores a cancel request that arrives between two statements, so requests are repeated: the next one cancels the next
 * statement.
 */
const PAUSE_MS = 100;

/**
 * Awaits `work`. Once the signal is aborted, cancels whatever the work executes until it has ended.
 * @param cancel sends the cancel requests
 * @throws what `work` throws
 */
export async function cancellingOn<T>(
  signal: AbortSignal,
  cancel: () => Promise<void>,
  work: Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  let cancelling: Promise<void> | undefined;
  const repeat = async () => {
    while (!ended.signal.aborted) {
      await cancel();
      await sleep(PAUSE_MS, undefined, { signal: ended.signal }).catch(() => {});
    }
  };
  const begin = () => {
    cancelling = repeat();
  };
  if (signal.aborted) begin();
  try {
    return await withAbortListener(signal, begin, work);
  } finally {
    ended.abort();
    await cancelling;
  }
}
