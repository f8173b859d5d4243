// Checks before each attempt whether the event was erased after it was read. Checks made at the same time share one query.
import { together } from '../../concurrency/together.ts';
import { type ContactEvent, findErased } from '../../store/webhooks/deliveries-due.ts';
import type { WorkerStore } from '../../store/worker-store.ts';

/** Reads the store after the call. @throws AppError `unavailable` */
export type IsErased = (event: ContactEvent) => Promise<boolean>;

/** Shared by all endpoint workers of a worker. */
export function createErasedEvents(db: Pick<WorkerStore, 'pool'>): IsErased {
  return together(async (events: readonly ContactEvent[]) => {
    const erased = new Set(await findErased(db, events));
    return events.map((event) => erased.has(event));
  });
}
