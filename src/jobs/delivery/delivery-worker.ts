// A worker claims endpoints with due deliveries, runs an endpoint worker for each, and releases them. Any number of processes may run a
// worker; the queue decides which process has which endpoint.
import type { App } from '../../context.ts';
import { mayReceive } from '../../services/webhook-rights.ts';
import { listenForChanges } from '../../store/changing/change-listener.ts';
import { deleteOrphanedDeliveries } from '../../store/cleaning/delivery-cleaning.ts';
import { type Claim, JOBS_CHANNEL } from '../../store/queue/job-queue.ts';
import { sweepEndpoints } from '../../store/webhooks/delivery-sweep.ts';
import { createWorkerStore } from '../../store/worker-store.ts';
import { type Repeated, repeat } from '../repeat.ts';
import type { DeliveryContext } from './deliver.ts';
import { type EndpointWorker, startEndpointWorker } from './endpoint-worker.ts';
import { createErasedEvents } from './erased-events.ts';
import { createOutcomeWriter } from './outcome-writer.ts';
import { createSender, type Sender } from './sender.ts';
import { createShares } from './shares.ts';

export interface DeliveryWorker {
  /**
   * Starts nothing new. Resolves when everything under way has ended, after the configured time at the latest; the endpoints are then
   * released.
   */
  close(): Promise<void>;
}

interface WorkerOptions {
  /** The proxy for all deliveries. */
  readonly proxy?: string | undefined;
  readonly sender?: Sender;
  /** The maximum of endpoint workers at a time. */
  readonly maxLanes?: number;
  /** Whether to listen for new jobs; otherwise the sweep finds them. */
  readonly listens?: boolean;
}

const MAX_LANES = 200;
const CLAIM_BATCH = 50;
/** When all endpoint workers are in use, each gives up its endpoint after so long, so that others get their turn. */
const TURN_MS = 20_000;
/** A turn always ends before pg-boss would take its job for a hanging one (migration job_queue). */
const MAX_TURN_MS = 30 * 60_000;
/** pg-boss gives a job to another worker after 30 s without a heartbeat (migration job_queue). A worker stops before that. */
const HEARTBEAT_MS = 8_000;
const SILENCE_MS = 25_000;
/** Polling finds jobs whose notification was lost. */
const POLL_MS = 1_000;
const SWEEP_MS = 500;
/** Only the sweep finds retries, so even a slow database must not delay it for longer than this. */
const MAX_SWEEP_WAIT_MS = 5_000;
const SUPERVISE_MS = 10_000;
const CLEAN_MS = 10 * 60_000;
const CLEAN_SOON_MS = 1_000;
const CLEAN_BATCH = 1_000;
/** How long to wait after an endpoint worker failed because of an internal error. */
const BROKEN_MS = 10_000;

interface Taken {
  readonly claim: Claim;
  readonly endpointWorker: EndpointWorker;
}

/** Starts a worker in the background. While the database is unavailable it keeps trying. */
export function startDeliveryWorker(app: App, options: WorkerOptions = {}): DeliveryWorker {
  const { log, config } = app;
  const { maxLanes = MAX_LANES, listens = true } = options;
  const { allowedNetworks } = config.webhooks;
  const db = createWorkerStore(app.store, log);
  const sender = options.sender ?? createSender({ allowedNetworks, proxy: options.proxy });
  const outcomes = createOutcomeWriter(db, log);
  const [stopping, halting] = [new AbortController(), new AbortController()];
  const context: DeliveryContext = {
    ...{ app, db, sender, outcomes, mayReceive },
    isErased: createErasedEvents(db),
    shares: createShares(maxLanes),
    stopping: stopping.signal,
    halt: halting.signal,
  };
  const taken = new Map<string, Taken>();
  const ending = new Set<Promise<void>>();
  let keptAt = Date.now();
  let reading = { endpointCount: 0, oldestSeconds: 0 };
  app.metrics.watchWorker(() => ({
    lanes: taken.size,
    dueEndpoints: reading.endpointCount,
    oldestDueSeconds: reading.oldestSeconds,
  }));
  app.metrics.watchConnections('worker', () => ({
    open: db.pool.totalCount,
    busy: db.pool.totalCount - db.pool.idleCount,
    stalled: 0,
    waiting: db.pool.waitingCount,
  }));

  function take(claim: Claim): void {
    const startedAt = Date.now();
    const isTurnOver = () => {
      const ms = Date.now() - startedAt;
      return ms > MAX_TURN_MS || (ms > TURN_MS && taken.size >= maxLanes);
    };
    const endpointWorker = startEndpointWorker(context, claim.endpointId, isTurnOver);
    taken.set(claim.job.id, { claim, endpointWorker });
    const end = endpointWorker.ended
      .catch((error: unknown) => {
        log.error({ err: error, endpoint: String(claim.endpointId) }, 'webhook deliveries interrupted');
        return BROKEN_MS;
      })
      .then((waitMs) => giveBack(claim, waitMs))
      .finally(() => ending.delete(end));
    ending.add(end);
  }

  async function giveBack({ endpointId, job }: Claim, waitMs: number | null): Promise<void> {
    try {
      if (waitMs !== null && waitMs > 0) await db.jobs.defer(endpointId, waitMs / 1_000);
      else if (waitMs === 0) await db.jobs.add([endpointId]);
      await db.jobs.release([{ endpointId, job }]);
    } catch {
      // Its heartbeat ends, so the queue gives the endpoint to another worker.
    }
    taken.delete(job.id);
    claiming.soon();
  }

  async function clean(): Promise<number | undefined> {
    return (await deleteOrphanedDeliveries(db, CLEAN_BATCH)) ? CLEAN_SOON_MS : undefined;
  }

  const claiming = repeat(log, 'claiming endpoints', POLL_MS, async () => {
    const held = [...taken.values()];
    const waiting = await db.jobs.takeWaiting(held.map(({ claim }) => claim));
    for (const { claim, endpointWorker } of held) if (waiting.has(claim.endpointId)) endpointWorker.wake();
    const free = Math.min(maxLanes - taken.size, CLAIM_BATCH);
    if (free <= 0) return undefined;
    const claims = await db.jobs.claim(free);
    if (taken.size === 0) keptAt = Date.now();
    for (const claim of claims) take(claim);
    return claims.length === free ? 0 : undefined;
  });

  const background: Repeated[] = [
    claiming,
    repeat(log, 'keeping endpoints', HEARTBEAT_MS, async () => {
      try {
        const held = [...taken.values()];
        const kept = new Set((await db.jobs.keep(held.map(({ claim }) => claim))).map(({ job }) => job.id));
        for (const { claim, endpointWorker } of held) if (!kept.has(claim.job.id)) endpointWorker.lose();
        keptAt = Date.now();
      } finally {
        if (Date.now() - keptAt > SILENCE_MS)
          for (const { endpointWorker } of taken.values()) endpointWorker.lose();
      }
      return undefined;
    }),
    repeat(log, 'looking for deliveries that are due', SWEEP_MS, async () => {
      const startedAt = Date.now();
      const sweep = await sweepEndpoints(db);
      const tookMs = Date.now() - startedAt;
      if (sweep === null) return undefined;
      reading = sweep;
      if (sweep.forgotten.length > 0) {
        await db.jobs.add(sweep.forgotten);
        claiming.soon();
      }
      // The sweep uses at most a tenth of one connection's time, however many endpoints there are, up to the maximum wait.
      return Math.min(Math.max(SWEEP_MS, 10 * tookMs), MAX_SWEEP_WAIT_MS);
    }),
    repeat(log, 'looking after the queue', SUPERVISE_MS, async () => {
      await db.jobs.supervise();
      return undefined;
    }),
    repeat(log, 'deleting deliveries of endpoints that are gone', CLEAN_MS, clean, CLEAN_MS),
  ];
  const listener = listens
    ? listenForChanges({
        store: app.store,
        log,
        channel: JOBS_CHANNEL,
        unheard: 'notifications of new deliveries are not received: they are looked for twice a second',
        onChange: () => claiming.soon(),
      })
    : null;

  async function close(): Promise<void> {
    stopping.abort();
    const [, ...others] = background;
    await claiming.stop();
    const timer = setTimeout(() => halting.abort(), config.limits.shutdownTimeoutMs);
    await Promise.all(ending);
    clearTimeout(timer);
    outcomes.close();
    await Promise.all([listener?.close(), ...others.map((work) => work.stop())]);
    await sender.close();
    await db.close();
  }

  let closed: Promise<void> | undefined;
  return {
    close() {
      closed ??= close();
      return closed;
    },
  };
}
