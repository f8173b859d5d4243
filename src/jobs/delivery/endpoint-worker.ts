// The deliveries of one endpoint, as long as this process has it: batch after batch until nothing is due. It waits for no other endpoint.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Due,
  type DueDelivery,
  findDueDeliveries,
  findDueEndpoint,
  findStillPending,
} from '../../store/webhooks/deliveries-due.ts';
import { openSecrets } from './attempt.ts';
import { type DeliveryContext, deliver, type Receiver } from './deliver.ts';
import { createRights } from './rights.ts';

export interface EndpointWorker {
  /** Something has become due. */
  wake(): void;
  /** Somebody else may have the endpoint: nothing is begun any more. */
  lose(): void;
  /** Ends with the milliseconds until the endpoint is to be looked at again; null: when it has something due. */
  readonly ended: Promise<number | null>;
}

const BATCH = 50;
/** What was read is believed for so long: what is deactivated, canceled or erased, or loses its secret, is heard of that soon. */
const FRESH_MS = 1_000;
/** How many to ask for next: of big events no more than fit, for the database unpacks all that it is asked for. */
const nextLimit = ({ deliveries, isMore }: Due, limit: number) =>
  isMore && deliveries.length < limit ? 2 * deliveries.length : BATCH;
/** A pause that is shorter is not worth giving the endpoint back for. */
const SHORT_MS = 500;
/** What holds a strict order may be canceled, or the endpoint changed: it is looked at again after so long. */
const MAX_HOLD_MS = 15_000;
/** An endpoint whose team has its share of the lanes is looked at again after so long. */
const CROWDED_MS = 2_000;
/** Deliveries of which is not written yet what came of them: so many are sent again after a crash. */
const MAX_UNWRITTEN = 100;
/** Characters of the events of those, and of those that are not answered, each of which is in memory three times. */
const MAX_UNWRITTEN_SIZE = 1_048_576;
const MAX_UNANSWERED_SIZE = 524_288;
/** What is erased is canceled meanwhile, and what is behind it looked at again. */
const ERASING_MS = 5_000;
/** While some are under way, others are looked for so often at most. */
const REFILL_MS = 100;

/** Begins to deliver to an endpoint. @param isTurnOver whether it is somebody else's turn */
export function startEndpointWorker(
  shared: DeliveryContext,
  endpointId: bigint,
  isTurnOver: () => boolean,
): EndpointWorker {
  const context = { ...shared, mayReceive: createRights(shared.mayReceive) };
  const { app, db, stopping } = context;
  const spacing = createSpacing();
  let isLost = false;
  let isOver = false;
  let isNudged = false;
  let wake = Promise.withResolvers<void>();

  const mayBegin = () => !isLost && !isOver && !stopping.aborted;

  async function read(): Promise<Receiver | null> {
    const endpoint = await findDueEndpoint(db, endpointId);
    return endpoint && { endpoint, secrets: openSecrets(app, endpoint) };
  }

  /** What of a batch is to be sent still, and to whom now; null where nothing is, or in another way. */
  async function readAgain({ endpoint }: Receiver, batch: readonly DueDelivery[]) {
    const ids = batch.map(({ id }) => id);
    const [receiver, pending] = await Promise.all([read(), findStillPending(db, endpoint.workspaceId, ids)]);
    if (receiver === null || receiver.endpoint.strictOrder !== endpoint.strictOrder) return null;
    return { receiver, batch: batch.filter(({ id }) => pending.has(id)) };
  }

  /** Waits for the pace that the endpoint has chosen, and for what is left of a pause. */
  async function takePace({ endpoint }: Receiver, pause: number): Promise<void> {
    const waitMs = pause + spacing.next(endpoint.maxDeliveriesPerSecond, Date.now() + pause);
    if (waitMs > 0) await sleep(waitMs, undefined, { signal: stopping }).catch(() => {});
  }

  async function run(): Promise<number | null> {
    const first = await read();
    if (first === null) return null;
    const leave = context.shares.take(first.endpoint.teamId);
    if (leave === null) return CROWDED_MS;
    try {
      const waitMs = await (first.endpoint.strictOrder ? inOrder(first) : atOnce(first));
      // The next endpoint worker knows nothing of this one's pace.
      if (!isLost) await sleep(spacing.rest(Date.now()), undefined, { signal: stopping }).catch(() => {});
      // What was not begun is somebody else's.
      return stopping.aborted || (waitMs === null && isNudged) ? 0 : waitMs;
    } finally {
      leave();
    }
  }

  /** One after the other. One that fails holds those behind it for a while. */
  async function inOrder(first: Receiver): Promise<number | null> {
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
        await takePace(now, 0);
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
        if (result.kind === 'failed' && result.waitMs !== null && delivery.holds)
          return Math.min(result.waitMs, MAX_HOLD_MS);
      }
      if (!due.isMore) return null;
    }
    return null;
  }

  /** Several at a time. Of an endpoint that fails, one at a time and with pauses, until it does not. */
  async function atOnce(first: Receiver): Promise<number | null> {
    let now = first;
    let queue: DueDelivery[] = [];
    let isMore = true;
    let limit = BATCH;
    let lookedAt = 0;
    let readAt = 0;
    let failingSince = now.endpoint.failingSince?.getTime() ?? null;
    let pause = 0;
    let failure: unknown;
    /** When nothing else is left: null, unless some are being erased. */
    let restMs: number | null = null;
    /** Those that are not written yet; of them, those that the receiver has not answered. */
    const underWay = createUnderWay(MAX_UNWRITTEN, MAX_UNWRITTEN_SIZE);
    const unanswered = createUnderWay(CONCURRENCY, MAX_UNANSWERED_SIZE);

    function begin(delivery: DueDelivery): void {
      const size = sizeOf(delivery);
      underWay.add(delivery.id, size);
      unanswered.add(delivery.id, size);
      const startedAt = Date.now();
      const onAnswered = () => {
        unanswered.remove(delivery.id);
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
          underWay.remove(delivery.id);
          onAnswered();
        });
    }

    async function refill(): Promise<boolean> {
      const isFirst = lookedAt === 0;
      isNudged = false;
      lookedAt = Date.now();
      readAt = lookedAt;
      const finding = findDueDeliveries(db, now.endpoint, underWay.ids(), limit);
      const [due, again] = await Promise.all([finding, isFirst ? now : read()]);
      if (again === null || again.endpoint.strictOrder) return false;
      now = again;
      queue = due.deliveries.filter(({ isBeingErased }) => !isBeingErased);
      restMs = queue.length < due.deliveries.length ? ERASING_MS : null;
      isMore = due.isMore && (restMs === null || queue.length > 0);
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
      const isLookedFor = isMore || (isNudged && Date.now() - lookedAt >= REFILL_MS);
      if (queue.length === 0 && isLookedFor && !(await refill())) break;
      const [next] = queue;
      const isRoom = (size: number) =>
        failingSince === null ? unanswered.hasRoom(size) && underWay.hasRoom(size) : underWay.count === 0;
      if (next !== undefined && isRoom(sizeOf(next))) {
        const waited = pause;
        pause = 0;
        await takePace(now, waited);
        if (Date.now() - readAt >= FRESH_MS && !(await refresh())) break;
        const delivery = queue.shift();
        if (delivery !== undefined && mayBegin()) begin(delivery);
      } else if (underWay.count > 0) await untilWoken();
      else if (!isMore) break;
      isTurn = !isTurnOver();
    }
    while (underWay.count > 0) await untilWoken();
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
      isNudged = true;
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

interface Load {
  readonly count: number;
  ids(): bigint[];
  /** Whether another one may be added. One alone may be of any size. */
  hasRoom(size: number): boolean;
  add(id: bigint, size: number): void;
  remove(id: bigint): void;
}

function createUnderWay(maxCount: number, maxSize: number): Load {
  const sizes = new Map<bigint, number>();
  let total = 0;
  return {
    get count() {
      return sizes.size;
    },
    ids: () => [...sizes.keys()],
    hasRoom: (size) => sizes.size === 0 || (sizes.size < maxCount && total + size <= maxSize),
    add(id, size) {
      sizes.set(id, size);
      total += size;
    },
    remove(id) {
      total -= sizes.get(id) ?? 0;
      sizes.delete(id);
    },
  };
}

/** Deliveries of one endpoint that are under way at a time. */
const CONCURRENCY = 10;

/** The longest pause between attempts at an endpoint that fails, whatever its deliveries wait for. */
const MAX_PAUSE_MS = 60_000;
/** The share of the time that it has failed for. */
const PAUSE_SHARE = 0.1;

/** Answers that say something of the receiver as a whole, not of the one delivery. */
const OVERLOADED: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Whether the next delivery is likely to fail, too: there was no answer, or one from somebody who is overloaded. */
function isEndpointFailure(code: number | null): boolean {
  return code === null || OVERLOADED.has(code);
}

/**
 * Milliseconds until the next attempt at an endpoint that fails: a tenth of the time that it has failed for, or what it asked for. A
 * single delivery's own waits are longer than that; what this bounds is how fast a backlog uses up its attempts.
 */
function pauseMs(failingForMs: number, retryAfterMs: number | null): number {
  return Math.min(Math.max(failingForMs * PAUSE_SHARE, retryAfterMs ?? 0, 0), MAX_PAUSE_MS);
}

/** Spaces deliveries: `next` is how many milliseconds the next one has to wait, `rest` how many one would have to that came now. */
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
