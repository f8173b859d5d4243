// Notifies workers that endpoints have due deliveries. This happens soon after the change has committed, in the background, and never in
// the change's own transaction: its commit would have to wait for other transactions that notify.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from '../../output/log.ts';
import { toReason } from '../connections/failures.ts';
import { createJobQueue } from './job-queue.ts';

export interface DeliveryQueue {
  /** Notifies workers, soon and in the background, that endpoints have due deliveries. The sweep finds notifications that were lost. */
  announce(endpointIds: readonly bigint[]): void;
  /** As `announce`, for an endpoint that may be paused because it fails: a client asks to try it now. */
  hasten(endpointId: bigint): void;
  /** Sends the pending notifications. */
  close(): Promise<void>;
}

/** Notifications of so many milliseconds are sent together. */
const GATHER_MS = 5;
/** The minimum time between two notifications: each costs PostgreSQL a millisecond, and an active worker looks again by itself. */
const INTERVAL_MS = 50;
/** The maximum of pending endpoints. For more than these the sweep is faster. */
const MAX_WAITING = 5_000;
const CLOSE_TIMEOUT_MS = 1_000;
/** The maximum of endpoints in one statement. */
const BATCH = 500;

/** The queue, over the pool that changes use. */
export function createDeliveryQueue(pool: pg.Pool, log: Logger): DeliveryQueue {
  const jobs = createJobQueue(pool, log);
  const waiting = new Set<bigint>();
  const hasty = new Set<bigint>();
  let flushing: Promise<void> | null = null;
  let flushedAt = 0;
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    for (const id of hasty) {
      hasty.delete(id);
      await jobs.defer(id, 0);
    }
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, BATCH);
      for (const id of batch) waiting.delete(id);
      await jobs.add(batch);
    }
  }

  function flushSoon(): void {
    if (timer !== undefined || flushing !== null) return;
    const waitMs = Math.max(GATHER_MS, flushedAt + INTERVAL_MS - Date.now());
    timer = setTimeout(() => {
      timer = undefined;
      flushedAt = Date.now();
      flushing = flush()
        .catch((error) => log.warn({ reason: toReason(error) }, 'workers not told of deliveries'))
        .finally(() => {
          flushing = null;
          if (waiting.size + hasty.size > 0) flushSoon();
        });
    }, waitMs);
  }

  return {
    announce(endpointIds) {
      if (endpointIds.length === 0) return;
      for (const id of endpointIds) if (waiting.size < MAX_WAITING) waiting.add(id);
      flushSoon();
    },
    hasten(endpointId) {
      if (hasty.size < MAX_WAITING) hasty.add(endpointId);
      flushSoon();
    },
    async close() {
      clearTimeout(timer);
      const last = (flushing ?? Promise.resolve()).then(flush).catch(() => {});
      await Promise.race([last, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
      await jobs.close();
    },
  };
}
