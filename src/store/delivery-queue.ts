// Telling workers that endpoints have something due, after the change has committed: soon, in the background, and never in a change's
// own transaction, whose commit would wait for those of others that notify, too.
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from '../log.ts';
import { toReason } from './failures.ts';
import { createJobQueue } from './job-queue.ts';

export interface DeliveryQueue {
  /** Tells workers, soon and in the background, that endpoints have something due. What is lost on the way, the sweep finds. */
  announce(endpointIds: readonly bigint[]): void;
  /** Sends what is still to be told. */
  close(): Promise<void>;
}

/** What is announced within this time goes out together. */
const GATHER_MS = 5;
/** Endpoints that may wait to be told. Beyond them the sweep is faster. */
const MAX_WAITING = 5_000;
const CLOSE_TIMEOUT_MS = 1_000;
/** Endpoints of one statement. */
const BATCH = 500;

/** The queue, over the pool that changes use. */
export function createDeliveryQueue(pool: pg.Pool, log: Logger): DeliveryQueue {
  const jobs = createJobQueue(pool, log);
  const waiting = new Set<bigint>();
  let flushing: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, BATCH);
      for (const id of batch) waiting.delete(id);
      await jobs.add(batch);
    }
  }

  function flushSoon(): void {
    if (timer !== undefined || flushing !== null) return;
    timer = setTimeout(() => {
      timer = undefined;
      flushing = flush()
        .catch((error) => log.warn({ reason: toReason(error) }, 'workers not told of deliveries'))
        .finally(() => {
          flushing = null;
          if (waiting.size > 0) flushSoon();
        });
    }, GATHER_MS);
  }

  return {
    announce(endpointIds) {
      if (endpointIds.length === 0) return;
      for (const id of endpointIds) if (waiting.size < MAX_WAITING) waiting.add(id);
      flushSoon();
    },
    async close() {
      clearTimeout(timer);
      const last = (flushing ?? Promise.resolve()).then(flush).catch(() => {});
      await Promise.race([last, setTimeoutPromise(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
      await jobs.close();
    },
  };
}
