// Deletes unneeded data: expired rows, deliveries of deleted endpoints, and visitors of deleted pages.
import type { App } from '../context.ts';
import { deleteExpired, deleteOrphanedDeliveries } from '../store/cleaning/cleaning.ts';
import { deleteVisitors } from '../store/cleaning/page-visitors.ts';

const BATCH = 1_000;
const VISITOR_BATCH = 5_000;
const MAX_BATCHES = 20;
const DAY_MS = 86_400_000;

/** Deletes what had expired at `now`, in a bounded number of small batches. @returns whether there may be more */
export async function clean({ store, config }: App, now: Date): Promise<boolean> {
  const visitsFrom = new Date(now.getTime() - config.visitsKeepDays * DAY_MS);
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const more = [
      await deleteExpired(store, now, visitsFrom, BATCH),
      await deleteOrphanedDeliveries(store, BATCH),
      await deleteVisitors(store, VISITOR_BATCH),
    ];
    if (!more.includes(true)) return false;
  }
  return true;
}
