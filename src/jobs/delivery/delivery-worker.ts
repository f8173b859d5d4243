// A worker leases endpoints with due deliveries, runs an endpoint worker for each, and releases them. Any number of processes may run a
// worker; the leases decide which process has which endpoint.
import { randomUUID } from 'node:crypto';
import { batched } from '../../concurrency/batched.ts';
import { memoize } from '../../concurrency/memoize.ts';
import type { App } from '../../context.ts';
import { listenForChanges } from '../../store/changing/change-listener.ts';
import { loadOf } from '../../store/connections/pool.ts';
import { DELIVERIES_CHANNEL } from '../../store/queue/delivery-notices.ts';
import { areErased, type ContactEvent } from '../../store/webhooks/deliveries-due.ts';
import { sweepEndpoints } from '../../store/webhooks/delivery-sweep.ts';
import {
  LEASE_MS,
  leaseEndpoints,
  releaseEndpoint,
  renewLeases,
} from '../../store/webhooks/endpoint-leases.ts';
import { createWorkerStore } from '../../store/worker-store.ts';
import { type Background, type Repeated, repeat } from '../repeat.ts';
import type { DeliveryContext } from './deliver.ts';
import { type EndpointWorker, startEndpointWorker } from './endpoint-worker.ts';
import { createOutcomeWriter } from './outcome-writer.ts';
import { createSender, type Sender } from './sender.ts';
import { createShares } from './shares.ts';

/** Its `close` takes the configured time at most; the endpoints are then released. */
export type DeliveryWorker = Background;

interface WorkerOptions {
  /** The proxy for all deliveries. */
  readonly proxy?: string | undefined;
  readonly sender?: Sender;
  /** The maximum of endpoint workers at a time. */
  readonly maxEndpointWorkers?: number;
  /** Whether to listen for notifications; otherwise only the sweep finds due deliveries. */
  readonly listens?: boolean;
  /** How often leases are renewed. */
  readonly renewMs?: number;
}

const MAX_ENDPOINT_WORKERS = 200;
const LEASE_BATCH = 50;
/** The maximum of endpoints that wait for an endpoint worker in this process. The sweep finds the others again. */
const MAX_WAITING = 5_000;
/** When all endpoint workers are in use, each releases its endpoint after this time, so that others can be served. */
const TURN_MS = 20_000;
const RENEW_MS = 8_000;
/** Without a renewal for this long, a worker begins nothing more: another one may soon lease its endpoints. */
const SILENCE_MS = LEASE_MS - 5_000;
/** How often leased endpoints look for new deliveries while the worker receives no notifications. */
const POLL_MS = 1_000;
const SWEEP_MS = 500;
/** Only the sweep finds retries, so even a slow database must not delay it for longer than this. */
const MAX_SWEEP_WAIT_MS = 5_000;
/** How long to wait after an endpoint worker failed because of an internal error. */
const BROKEN_MS = 10_000;

/** Starts a worker in the background. While the database is unavailable it keeps trying. */
export function startDeliveryWorker(app: App, options: WorkerOptions = {}): DeliveryWorker {
  const { log, config } = app;
  const { maxEndpointWorkers = MAX_ENDPOINT_WORKERS, listens = true, renewMs = RENEW_MS } = options;
  const { allowedNetworks } = config.webhooks;
  const holder = randomUUID();
  const db = createWorkerStore(app.store, log);
  const sender = options.sender ?? createSender({ allowedNetworks, proxy: options.proxy });
  const [stopping, halting] = [new AbortController(), new AbortController()];
  const context: DeliveryContext = {
    ...{ app, db, sender },
    writeOutcome: createOutcomeWriter(db, log, halting.signal),
    isErased: batched((events: readonly ContactEvent[]) => areErased(db, events)),
    shares: createShares(maxEndpointWorkers),
    stopping: stopping.signal,
    halt: halting.signal,
  };
  /** The leased endpoints; null while an endpoint is being released. */
  const leased = new Map<bigint, EndpointWorker | null>();
  /** Endpoints with due deliveries, in the order in which this worker learned of them. */
  const waiting = new Set<bigint>();
  const ending = new Set<Promise<void>>();
  let renewedAt = Date.now();
  let reading = { endpointCount: 0, oldestSeconds: 0 };
  app.metrics.watch('worker', '', () => ({
    endpoints: leased.size,
    dueEndpoints: reading.endpointCount,
    oldestDueSeconds: reading.oldestSeconds,
  }));
  app.metrics.watch('connections', 'worker', () => loadOf(db.pool));

  function start(id: bigint): void {
    const startedAt = Date.now();
    const isTurnOver = () => Date.now() - startedAt > TURN_MS && leased.size >= maxEndpointWorkers;
    const endpointWorker = startEndpointWorker(context, id, isTurnOver);
    leased.set(id, endpointWorker);
    const end = endpointWorker.ended
      .catch((error: unknown) => {
        log.error({ err: error, endpoint: String(id) }, 'webhook deliveries interrupted');
        return BROKEN_MS;
      })
      .then((waitMs) => release(id, waitMs))
      .finally(() => ending.delete(end));
    ending.add(end);
  }

  /** Releases an endpoint. @param waitMs how long to pause it; 0: it has due deliveries; null: it has none */
  async function release(id: bigint, waitMs: number | null): Promise<void> {
    leased.set(id, null);
    // If this fails, its lease expires.
    await releaseEndpoint(db, holder, id, waitMs ?? 0).catch(() => {});
    leased.delete(id);
    if (waitMs === 0) app.store.deliveries.notify([id]);
    leasing.soon();
  }

  function addWaiting(ids: readonly bigint[]): void {
    for (const id of ids) if (waiting.size < MAX_WAITING) waiting.add(id);
    leasing.soon();
  }

  function wakeAll(): void {
    for (const endpointWorker of leased.values()) endpointWorker?.wake();
  }

  const leasing = repeat(log, 'leasing endpoints', POLL_MS, async () => {
    if (listener?.live !== true) wakeAll();
    const free: bigint[] = [];
    for (const id of waiting) {
      const endpointWorker = leased.get(id);
      if (endpointWorker === undefined) free.push(id);
      else if (endpointWorker !== null) {
        endpointWorker.wake();
        waiting.delete(id);
      }
    }
    const batch = free.slice(0, Math.min(maxEndpointWorkers - leased.size, LEASE_BATCH));
    if (batch.length === 0) return undefined;
    for (const id of batch) waiting.delete(id);
    const ids = await leaseEndpoints(db, holder, batch);
    if (leased.size === 0) renewedAt = Date.now();
    for (const id of ids) start(id);
    return free.length > batch.length && leased.size < maxEndpointWorkers ? 0 : undefined;
  });

  const background: Repeated[] = [
    repeat(log, 'renewing leases', renewMs, async () => {
      const startedAt = Date.now();
      const held = [...leased];
      try {
        const kept = await renewLeases(db, holder, [...leased.keys()]);
        for (const [id, endpointWorker] of held) if (!kept.has(id)) endpointWorker?.lose();
        renewedAt = startedAt;
      } finally {
        if (Date.now() - renewedAt > SILENCE_MS)
          for (const endpointWorker of leased.values()) endpointWorker?.lose();
      }
      return undefined;
    }),
    repeat(log, 'looking for deliveries that are due', SWEEP_MS, async () => {
      const startedAt = Date.now();
      const sweep = await sweepEndpoints(db);
      const tookMs = Date.now() - startedAt;
      if (sweep === null) return undefined;
      reading = sweep;
      addWaiting(sweep.unleased);
      app.store.deliveries.notify(sweep.unleased);
      // The sweep uses at most a tenth of one connection's time, however many endpoints there are, up to the maximum wait.
      return Math.min(Math.max(SWEEP_MS, 10 * tookMs), MAX_SWEEP_WAIT_MS);
    }),
  ];
  const listener = listens
    ? listenForChanges({
        store: app.store,
        log,
        channel: DELIVERIES_CHANNEL,
        unheard: 'notifications of new deliveries are not received: they are looked for twice a second',
        onChange: (payload) => addWaiting((payload.match(/\d+/g) ?? []).map(BigInt)),
        onInterruption: wakeAll,
      })
    : null;

  async function close(): Promise<void> {
    stopping.abort();
    await leasing.close();
    const timer = setTimeout(() => halting.abort(), config.limits.shutdownTimeoutMs);
    await Promise.all(ending);
    clearTimeout(timer);
    await Promise.all([listener?.close(), ...background.map((work) => work.close())]);
    await sender.close();
    await db.close();
  }

  return { close: memoize(close) };
}
