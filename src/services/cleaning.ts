// Deletes what nobody needs any more: expired rows, and deliveries of deleted endpoints.
import type { App } from '../context.ts';
import { deleteExpired, deleteOrphanedDeliveries } from '../store/cleaning/cleaning.ts';

const BATCH = 1_000;
const MAX_BATCHES = 20;

/** Deletes what had expired at `now`, in a bounded number of small batches. @returns whether there may be more */
export async function clean({ store }: App, now: Date): Promise<boolean> {
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const more = [await deleteExpired(store, now, BATCH), await deleteOrphanedDeliveries(store, BATCH)];
    if (!more.includes(true)) return false;
  }
  return true;
}
