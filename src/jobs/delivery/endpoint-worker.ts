// Delivers to one endpoint while this process leases it: batch after batch until nothing is due. Endpoints never wait for each other.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DueDeliveries,
  type DueDelivery,
  findDueDeliveries,
  findDueEndpoint,
  findStillPending,
} from '../../store/webhooks/deliveries-due.ts';
import { openSecrets } from './attempt.ts';
import { cancelAll, type DeliveryContext, deliver, type Receiver } from './deliver.ts';

export interface EndpointWorker {
  /** Call it when a delivery has become due. */
  wake(): void;
  /** Call it when another worker may have leased the endpoint: this one then starts nothing new. */
  lose(): void;
  /** Resolves at the end with the milliseconds until the endpoint's deliveries must be checked again; null: when one becomes due. */
  readonly ended: Promise<number | null>;
}

const BATCH = 100;
/** How long read data counts as current. So deactivation, cancellation, erasure and new secrets take effect soon. */
const FRESH_MS = 1_000;
/**
 * The number of deliveries to query next. With large events fewer fit into a batch, and the database would decompress all queried ones.
 */
const nextLimit = ({ deliveries, hasMore }: DueDeliveries, limit: number) =>
  hasMore && deliveries.length < limit ? 2 * deliveries.length : BATCH;
/** A shorter pause does not release the endpoint. */
const SHORT_MS = 500;
/** The longest wait for a delivery that blocks a strict order: it may have been canceled by then, or the endpoint changed. */
const MAX_HOLD_MS = 15_000;
/** How long to wait when the endpoint's team uses its share of the endpoint workers. */
const CROWDED_MS = 2_000;
/** The maximum of deliveries without a recorded outcome, which is how many may be sent again after a crash. */
const MAX_UNWRITTEN = 100;
/** The maximum sizes in characters: of these deliveries' events, and of the unanswered ones, which are in memory three times each. */
const MAX_UNWRITTEN_SIZE = 1_048_576;
const MAX_UNANSWERED_SIZE = 524_288;
/** The wait until an erased event's delivery is canceled; then the deliveries behind it are checked again. */
const ERASING_MS = 5_000;
/** The minimum time between two queries for more deliveries while some are in progress. */
const REFILL_MS = 100;

/** Starts to deliver to an endpoint. @param isTurnOver whether to release it for another endpoint */
export function startEndpointWorker(
  context: DeliveryContext,
  endpointId: bigint,
  isTurnOver: () => boolean,
): EndpointWorker {
  const { app, db, stopping } = context;
  const spacing = createSpacing();
  let isLost = false;
  let isOver = false;
  let isNotified = false;
  let wake = Promise.withResolvers<void>();

  const mayBegin = () => !isLost && !isOver && !stopping.aborted;

  async function read(): Promise<Receiver | null> {
    const endpoint = await findDueEndpoint(db, endpointId);
    if (endpoint === null) return null;
    if (!endpoint.hasEnded) return { endpoint, secrets: openSecrets(app, endpoint) };
    // Cancels deliveries of changes that read the subscription before its end, and were committed after it.
    await cancelAll(db, endpoint);
    return null;
  }

  /**
   * Reads the endpoint again, and which deliveries of a batch must still be sent; null if the endpoint has ended, or now has another kind of
   * order.
   */
  async function readAgain({ endpoint }: Receiver, batch: readonly DueDelivery[]) {
    const ids = batch.map(({ id }) => id);
    const [receiver, pending] = await Promise.all([read(), findStillPending(db, endpoint.workspaceId, ids)]);
    if (receiver === null || receiver.endpoint.strictOrder !== endpoint.strictOrder) return null;
    return { receiver, batch: batch.filter(({ id }) => pending.has(id)) };
  }

  /** Waits as the endpoint's rate limit requires, and for the rest of a pause. */
  async function waitForPace({ endpoint }: Receiver, pause: number): Promise<void> {
    const waitMs = pause + spacing.next(endpoint.maxDeliveriesPerSecond, Date.now() + pause);
    if (waitMs > 0) await sleep(waitMs, undefined, { signal: stopping }).catch(() => {});
  }

  async function run(): Promise<number | null> {
    const first = await read();
    if (first === null) return null;
    const leave = context.shares.take(first.endpoint.teamId);
    if (leave === null) return CROWDED_MS;
    try {
      const waitMs = await (first.endpoint.strictOrder ? deliverInOrder(first) : deliverConcurrently(first));
      // Waits for the rest of the interval, because the next endpoint worker does not have the time of the last delivery.
      if (!isLost) await sleep(spacing.rest(Date.now()), undefined, { signal: stopping }).catch(() => {});
      // 0 lets another worker send the deliveries that were not started.
      return stopping.aborted || (waitMs === null && isNotified) ? 0 : waitMs;
    } finally {
      leave();
    }
  }

  /** Delivers one after the other. A failing delivery blocks those behind it for a while. */
  async function deliverInOrder(first: Receiver): Promise<number | null> {
    let limit = BATCH;
    for (let now: Receiver | null = first; now !== null; now = await read()) {
      if (!now.endpoint.strictOrder) return 0;
      let readAt = Date.now();
      const due = await findDueDeliveries(db, now.endpoint, [], limit);
      limit = nextLimit(due, limit);
      let batch = due.deliveries.filter(({ isBeingErased }) => !isBeingErased);
      if (batch.length === 0 && due.deliveries.length > 0) return ERASING_MS;
      while (batch.length > 0) {
        if (isTurnOver()) return 0;
        await waitForPace(now, 0);
        if (!mayBegin()) return null;
        if (Date.now() - readAt >= FRESH_MS) {
          readAt = Date.now();
          const again = await readAgain(now, batch);
          if (again === null) return 0;
          ({ receiver: now, batch } = again);
        }
        const [delivery, ...others] = batch;
        if (delivery === undefined) break;
        if (delivery.waitMs > 0) return Math.min(delivery.waitMs, MAX_HOLD_MS);
        batch = others;
        const result = await deliver(context, now, delivery);
        if (result.kind === 'over') return null;
        if (result.kind === 'failed' && result.waitMs !== null && delivery.blocksOthers)
          return Math.min(result.waitMs, MAX_HOLD_MS);
      }
      if (!due.hasMore) return null;
    }
    return null;
  }

  /** Delivers several at a time. A failing endpoint gets one at a time, with pauses, until one succeeds. */
  async function deliverConcurrently(first: Receiver): Promise<number | null> {
    let now = first;
    let queue: DueDelivery[] = [];
    let isMore = true;
    let limit = BATCH;
    let refilledAt = 0;
    let readAt = 0;
    let failingSince = now.endpoint.failingSince?.getTime() ?? null;
    let pause = 0;
    let failure: unknown;
    /** The result when no other delivery is left: null, unless events are being erased. */
    let restMs: number | null = null;
    /** The sizes of deliveries without a recorded outcome; then of those that the receiver has not answered yet. */
    const unrecorded = createSizes();
    const unanswered = createSizes();

    function begin(delivery: DueDelivery): void {
      const size = sizeOf(delivery);
      unrecorded.add(delivery.id, size);
      unanswered.add(delivery.id, size);
      const startedAt = Date.now();
      const onAnswered = () => {
        unanswered.delete(delivery.id);
        wake.resolve();
      };
      deliver(context, now, delivery, onAnswered)
        .then((result) => {
          if (result.kind === 'delivered') {
            failingSince = null;
            pause = 0;
          } else if (result.kind === 'over') isOver = true;
          else if (result.kind === 'failed' && (failingSince !== null || isEndpointFailure(result.code))) {
            failingSince ??= startedAt;
            pause = pauseMs(Date.now() - failingSince, result.retryAfterMs);
          }
        })
        .catch((error: unknown) => {
          failure = error;
          isOver = true;
        })
        .finally(() => {
          unrecorded.delete(delivery.id);
          onAnswered();
        });
    }

    async function refill(): Promise<boolean> {
      const isFirst = refilledAt === 0;
      isNotified = false;
      refilledAt = Date.now();
      readAt = refilledAt;
      const finding = findDueDeliveries(db, now.endpoint, unrecorded.ids(), limit);
      const [due, again] = await Promise.all([finding, isFirst ? now : read()]);
      if (again === null || again.endpoint.strictOrder) return false;
      now = again;
      queue = due.deliveries.filter(({ isBeingErased }) => !isBeingErased);
      restMs = queue.length < due.deliveries.length ? ERASING_MS : null;
      isMore = due.hasMore && (restMs === null || queue.length > 0);
      limit = nextLimit(due, limit);
      failingSince = now.endpoint.failingSince?.getTime() ?? failingSince;
      return true;
    }

    async function refresh(): Promise<boolean> {
      readAt = Date.now();
      const again = await readAgain(now, queue);
      if (again === null) return false;
      now = again.receiver;
      queue = again.batch;
      return true;
    }

    let isTurn = true;
    while (mayBegin() && isTurn && pause < SHORT_MS) {
      const mustRefill = isMore || (isNotified && Date.now() - refilledAt >= REFILL_MS);
      if (queue.length === 0 && mustRefill && !(await refill())) break;
      const [next] = queue;
      const hasRoomFor = (size: number) =>
        failingSince === null
          ? unanswered.hasRoom(size, CONCURRENCY, MAX_UNANSWERED_SIZE) &&
            unrecorded.hasRoom(size, MAX_UNWRITTEN, MAX_UNWRITTEN_SIZE)
          : unrecorded.count === 0;
      if (next !== undefined && hasRoomFor(sizeOf(next))) {
        const waited = pause;
        pause = 0;
        await waitForPace(now, waited);
        if (Date.now() - readAt >= FRESH_MS && !(await refresh())) break;
        const delivery = queue.shift();
        if (delivery !== undefined && mayBegin()) begin(delivery);
      } else if (unrecorded.count > 0) await untilWoken();
      else if (!isMore) break;
      isTurn = !isTurnOver();
    }
    while (unrecorded.count > 0) await untilWoken();
    if (failure !== undefined) throw failure;
    if (isOver) return null;
    if (pause >= SHORT_MS) return pause;
    return isTurn && queue.length === 0 && !isMore ? restMs : 0;
  }

  async function untilWoken(): Promise<void> {
    await wake.promise;
    wake = Promise.withResolvers();
  }

  return {
    wake() {
      isNotified = true;
      setTimeout(() => wake.resolve(), REFILL_MS).unref();
    },
    lose() {
      isLost = true;
      wake.resolve();
    },
    ended: run(),
  };
}

function sizeOf({ event }: DueDelivery): number {
  return event?.data.length ?? 0;
}

/** Deliveries by their ids, and the sum of their sizes. */
function createSizes() {
  const sizes = new Map<bigint, number>();
  let total = 0;
  return {
    get count() {
      return sizes.size;
    },
    ids: () => [...sizes.keys()],
    add(id: bigint, size: number): void {
      sizes.set(id, size);
      total += size;
    },
    /** Does nothing for an unknown id. */
    delete(id: bigint): void {
      total -= sizes.get(id) ?? 0;
      sizes.delete(id);
    },
    /** Whether another delivery of this size may be added. If there is none, it may have any size. */
    hasRoom: (size: number, maxCount: number, maxSize: number) =>
      sizes.size === 0 || (sizes.size < maxCount && total + size <= maxSize),
  };
}

/** The maximum of concurrent deliveries to one endpoint. */
const CONCURRENCY = 10;

/** The longest pause between attempts at a failing endpoint, whatever the waits of its deliveries. */
const MAX_PAUSE_MS = 60_000;
/** The length of a pause, as a share of the time since the endpoint began to fail. */
const PAUSE_SHARE = 0.1;

/** Status codes about the receiver, not about the single delivery. */
const OVERLOADED: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Whether the next delivery will probably fail too: there was no response, or one that says that the receiver is overloaded. */
function isEndpointFailure(code: number | null): boolean {
  return code === null || OVERLOADED.has(code);
}

/**
 * Milliseconds until the next attempt at a failing endpoint: a tenth of the time since it began to fail, or the longer time that it asked
 * for. The waits of a single delivery are longer. This pause limits how fast a backlog uses up its attempts.
 */
function pauseMs(failingForMs: number, retryAfterMs: number | null): number {
  return Math.min(Math.max(failingForMs * PAUSE_SHARE, retryAfterMs ?? 0, 0), MAX_PAUSE_MS);
}

/**
 * Spaces deliveries evenly. `next` reserves a time and returns the milliseconds until it; `rest` returns the milliseconds until the next
 * free time.
 */
function createSpacing(): {
  next(perSecond: number | null, nowMs: number): number;
  rest(nowMs: number): number;
} {
  let freeAt = 0;
  return {
    next(perSecond, nowMs) {
      if (perSecond === null) return 0;
      const at = Math.max(freeAt, nowMs);
      freeAt = at + 1_000 / perSecond;
      return at - nowMs;
    },
    rest: (nowMs) => Math.max(0, freeAt - nowMs),
  };
}
