// Notifies workers that endpoints have due deliveries. This happens soon after the change has committed, in the background, and never in
// the change's own transaction: its commit would have to wait for other transactions that notify.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from '../../output/log.ts';
import { toReason } from '../connections/failures.ts';
import type { Statement } from '../sql/statements.ts';

/** The channel of the notifications. A payload is the ids of endpoints, separated by commas. */
export const DELIVERIES_CHANNEL = 'funnel_gateway_deliveries';

export interface DeliveryNotices {
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
/** The maximum of endpoints in one notification, whose payload has at most 8,000 bytes. */
const BATCH = 350;

const NOTIFY: Statement = {
  name: 'webhook_leases.notify',
  text: `with hastened as (
      update webhook_leases set leased_until = current_timestamp
      where endpoint_id = any($3::bigint[]) and holder is null and leased_until > current_timestamp
    ) select pg_notify($1, $2)`,
};

/** The notices, over the pool that changes use. */
export function createDeliveryNotices(pool: pg.Pool, log: Logger): DeliveryNotices {
  /** The endpoints, and whether their pauses end. */
  const waiting = new Map<bigint, boolean>();
  let flushing: Promise<void> | null = null;
  let flushedAt = 0;
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, BATCH);
      for (const [id] of batch) waiting.delete(id);
      const hastened = batch.filter(([, isHasty]) => isHasty).map(([id]) => id);
      const ids = batch.map(([id]) => id).join();
      await pool.query({ ...NOTIFY, values: [DELIVERIES_CHANNEL, ids, hastened] });
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
          if (waiting.size > 0) flushSoon();
        });
    }, waitMs);
  }

  return {
    announce(endpointIds) {
      for (const id of endpointIds)
        if (waiting.size < MAX_WAITING && !waiting.has(id)) waiting.set(id, false);
      if (waiting.size > 0) flushSoon();
    },
    hasten(endpointId) {
      if (waiting.size < MAX_WAITING) waiting.set(endpointId, true);
      flushSoon();
    },
    async close() {
      clearTimeout(timer);
      const last = (flushing ?? Promise.resolve()).then(flush).catch(() => {});
      await Promise.race([last, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}
