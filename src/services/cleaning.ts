// Deletes expired rows of the authorization server and of idempotency keys from time to time. No request waits for it.
import type { App } from '../context.ts';
import { deleteExpired, notAhead } from '../store/cleaning/cleaning.ts';

const INTERVAL_MS = 10 * 60_000;
/** The pause before the next cleaning when expired rows are left: they must not be added faster than they are deleted. */
const SOON_MS = 5_000;
const BATCH = 1_000;
const MAX_BATCHES = 20;

/**
 * Returns a function to call with each request that may add such rows. It returns at once, and starts a cleaning when one is due; the
 * first one is due one interval after the first call.
 */
export function createCleaner(app: App): () => void {
  let next: number | undefined;
  return () => {
    const now = app.clock();
    // The clock may have been set back since.
    next = Math.min(next ?? Number.POSITIVE_INFINITY, now.getTime() + INTERVAL_MS);
    if (now.getTime() < next) return;
    next = now.getTime() + INTERVAL_MS;
    notAhead(app.store, now)
      .then((at) => clean(app, at))
      .then(
        (isMore) => {
          if (isMore) next = now.getTime() + SOON_MS;
        },
        (error: unknown) => app.log.warn({ err: error }, 'expired rows not deleted'),
      );
  };
}

/** Deletes rows that had expired at `now`, in a bounded number of small batches. Returns whether there may be more. */
export async function clean(app: App, now: Date): Promise<boolean> {
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    if (!(await deleteExpired(app.store, now, BATCH))) return false;
  }
  return true;
}
