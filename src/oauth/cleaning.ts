// What is over is deleted now and then, behind the back of the requests that make it.
import type { App } from '../context.ts';
import { deleteExpired } from '../store/oauth-cleaning.ts';

const INTERVAL_MS = 10 * 60_000;
/** While there is more than one cleaning may delete: rows must not come faster than they go. */
const SOON_MS = 5_000;
const BATCH = 1_000;
const MAX_BATCHES = 20;

/** A function to call with each request: it cleans at most once in a while, and keeps nobody waiting. */
export function createCleaner(app: App): () => void {
  let next = 0;
  return () => {
    const now = app.clock();
    if (now.getTime() < next) return;
    next = now.getTime() + INTERVAL_MS;
    clean(app, now).then(
      (isMore) => {
        if (isMore) next = now.getTime() + SOON_MS;
      },
      (error: unknown) => app.log.warn({ err: error }, 'expired OAuth rows not deleted'),
    );
  };
}

/** Deletes what was over at `now`, in small batches, and not without end. Returns whether there may be more. */
export async function clean(app: App, now: Date): Promise<boolean> {
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    if (!(await deleteExpired(app.store, now, BATCH))) return false;
  }
  return true;
}
