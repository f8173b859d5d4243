// Checks before each attempt whether the event was erased after it was read. Checks made at the same time share one query.
import { type ContactEvent, findErased } from '../../store/webhooks/deliveries-due.ts';
import type { WorkerStore } from '../../store/worker-store.ts';

/** Reads the store after the call. @throws AppError `unavailable` */
export type IsErased = (event: ContactEvent) => Promise<boolean>;

interface Waiting {
  readonly event: ContactEvent;
  resolve(isErased: boolean): void;
  reject(error: unknown): void;
}

/** Shared by all endpoint workers of a worker. */
export function createErasedEvents(db: Pick<WorkerStore, 'pool'>, find = findErased): IsErased {
  let waiting: Waiting[] = [];
  let isAsking = false;

  async function askAll(): Promise<void> {
    isAsking = true;
    while (waiting.length > 0) {
      const asked = waiting;
      waiting = [];
      try {
        const erased = new Set(
          await find(
            db,
            asked.map(({ event }) => event),
          ),
        );
        for (const { event, resolve } of asked) resolve(erased.has(event));
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    isAsking = false;
  }

  return (event) => {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    waiting.push({ event, resolve, reject });
    if (!isAsking) void askAll();
    return promise;
  };
}
