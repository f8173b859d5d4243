// Expired rows are deleted now and then, behind the back of the requests that make them.
import type { App } from '../../context.ts';
import { deleteExpired } from '../../store/oauth-cleaning.ts';

const INTERVAL_MS = 10 * 60_000;
const BATCH = 1_000;
const MAX_BATCHES = 20;

/** A function to call with each request: it cleans at most once in a while, and keeps nobody waiting. */
export function createCleaner(app: App): () => void {
  let next = 0;
  return () => {
    const now = app.clock();
    if (now.getTime() < next) return;
    next = now.getTime() + INTERVAL_MS;
    clean(app, now).catch((error: unknown) => app.log.warn({ err: error }, 'expired OAuth rows not deleted'));
  };
}

/** Deletes what had expired at `now`, in small batches, and not without end. */
export async function clean(app: App, now: Date): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    if (!(await deleteExpired(app.store, now, BATCH))) return;
  }
}
