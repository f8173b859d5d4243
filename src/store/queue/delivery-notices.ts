// Notifies workers that endpoints have due deliveries. This happens soon after the change has committed, in the background, and never in
// the change's own transaction: its commit would have to wait for other transactions that notify.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { batched } from '../../concurrency/batched.ts';
import type { Logger } from '../../output/log.ts';
import { toReason } from '../connections/failures.ts';
import type { Statement } from '../sql/statements.ts';

/** The channel of the notifications. A payload is the ids of endpoints, separated by commas. */
export const DELIVERIES_CHANNEL = 'funnel_gateway_deliveries';

export interface DeliveryNotices {
  /** Notifies workers, soon and in the background, that endpoints have due deliveries. The sweep finds notifications that were lost. */
  notify(endpointIds: readonly bigint[]): void;
  /** As `notify`, for an endpoint that may be paused because it fails: a client asks to try it now. */
  wake(endpointId: bigint): void;
  /** Sends the pending notifications. */
  close(): Promise<void>;
}

interface Notice {
  readonly id: bigint;
  readonly isUrgent: boolean;
}

/** The minimum time between two notifications: each costs PostgreSQL a millisecond, and an active worker looks for more without one. */
const INTERVAL_MS = 50;
/** The maximum number of pending notices. For more than these, the sweep is faster. */
const MAX_WAITING = 5_000;
const CLOSE_TIMEOUT_MS = 1_000;
/** The maximum number of endpoints in one notification, whose payload has at most 8,000 bytes. */
const BATCH = 350;

const NOTIFY: Statement = {
  name: 'webhook_leases.notify',
  text: `with hastened as (
      update webhook_leases set leased_until = current_timestamp
      where endpoint_id = any($3::bigint[]) and holder is null and leased_until > current_timestamp
    ) select pg_notify($1, $2)`,
};

/** Creates the notices, which use the pool of changes. */
export function createDeliveryNotices(pool: pg.Pool, log: Logger): DeliveryNotices {
  const closing = new AbortController();
  let waiting = 0;
  let last: Promise<unknown> | undefined;

  const notify = batched(async (notices: readonly Notice[]): Promise<undefined[]> => {
    const ids = new Set(notices.map(({ id }) => id));
    const hastened = notices.filter(({ isUrgent }) => isUrgent).map(({ id }) => id);
    await pool
      .query({ ...NOTIFY, values: [DELIVERIES_CHANNEL, [...ids].join(), hastened] })
      .catch((error) => log.warn({ reason: toReason(error) }, 'workers not told of deliveries'));
    await sleep(INTERVAL_MS, undefined, { signal: closing.signal, ref: false }).catch(() => {});
    return notices.map(() => undefined);
  }, BATCH);

  function add(notice: Notice): void {
    if (waiting >= MAX_WAITING) return;
    waiting++;
    last = notify(notice).finally(() => waiting--);
  }

  return {
    notify(endpointIds) {
      for (const id of endpointIds) add({ id, isUrgent: false });
    },
    wake: (id) => add({ id, isUrgent: true }),
    async close() {
      closing.abort();
      await Promise.race([last, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    },
  };
}
