// Runs work that waits for table locks. Such a wait blocks all later statements, so the work gives up soon and tries again later.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const LOCK_NOT_AVAILABLE = '55P03';
/** How long to wait for a lock before giving up, and how many times to try, for about ten minutes. */
const LOCK_TIMEOUT_MS = 1_000;
const RETRY_MS = 1_000;
const MAX_ATTEMPTS = 300;

/** Runs `work`, one transaction on the client, until it has its locks. @throws what `work` throws; AbortError at the signal */
export async function yieldingLocks<T>(
  client: pg.ClientBase,
  signal: AbortSignal,
  work: () => Promise<T>,
  lockTimeoutMs = LOCK_TIMEOUT_MS,
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      await client.query(`set lock_timeout = ${lockTimeoutMs}`);
      return await work();
    } catch (error) {
      const isBusy = error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE;
      if (!isBusy || attempts === MAX_ATTEMPTS) throw error;
      await sleep(RETRY_MS, undefined, { signal });
    }
  }
}
