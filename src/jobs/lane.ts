// The deliveries of one endpoint, as long as this process has it: batch after batch until nothing is due. It waits for no other endpoint.
import { setTimeout as sleep } from 'node:timers/promises';
import { type DueDelivery, findDueDeliveries, findDueEndpoint } from '../store/deliveries-due.ts';
import { openSecrets } from './attempt.ts';
import { deliver, type Receiver, type Works } from './deliver.ts';
import { CONCURRENCY, createSpacing, isEndpointFailure, pauseMs } from './pace.ts';
import { createRights } from './rights.ts';

export interface Lane {
  /** Something may have become due. */
  nudge(): void;
  /** Somebody else may have the endpoint: nothing is begun any more. */
  lose(): void;
  /** Ends with the milliseconds until the endpoint is to be looked at again; null: when it has something due. */
  readonly ended: Promise<number | null>;
}

const BATCH = 50;
/** A pause that is shorter is not worth giving the endpoint back for. */
const SHORT_MS = 500;
/** What holds a strict order may be canceled, or the endpoint changed: it is looked at again after so long. */
const MAX_HOLD_MS = 15_000;
/** Deliveries of which is not written yet what came of them: so many are sent again after a crash. */
const MAX_UNWRITTEN = 100;
/** While some are under way, others are looked for so often at most. */
const REFILL_MS = 100;

/** Begins to deliver to an endpoint. @param isTurnOver whether it is somebody else's turn */
export function openLane(shared: Works, endpointId: bigint, isTurnOver: () => boolean): Lane {
  const works = { ...shared, mayReceive: createRights(shared.mayReceive) };
  const { app, db, stopping } = works;
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

  /** Waits for the pace that the endpoint has chosen, and for what is left of a pause. */
  async function takePace({ endpoint }: Receiver, pause: number): Promise<void> {
    const waitMs = pause + spacing.next(endpoint.maxDeliveriesPerSecond, Date.now() + pause);
    if (waitMs > 0) await sleep(waitMs, undefined, { signal: stopping }).catch(() => {});
  }

  async function run(): Promise<number | null> {
    const first = await read();
    if (first === null) return null;
    const waitMs = await (first.endpoint.strictOrder ? inOrder(first) : atOnce(first));
    // What was not begun is somebody else's.
    return stopping.aborted ? 0 : waitMs;
  }

  /** One after the other. One that fails holds those behind it for a while. */
  async function inOrder(first: Receiver): Promise<number | null> {
    for (let now: Receiver | null = first; now !== null; now = await read()) {
      if (!now.endpoint.strictOrder) return 0;
      const { deliveries, isMore } = await findDueDeliveries(db, now.endpoint, [], BATCH);
      for (const delivery of deliveries) {
        if (delivery.waitMs > 0) return Math.min(delivery.waitMs, MAX_HOLD_MS);
        if (isTurnOver()) return 0;
        await takePace(now, 0);
        if (!mayBegin()) return null;
        const result = await deliver(works, now, delivery);
        if (result.kind === 'over') return null;
        if (result.kind === 'failed' && result.waitMs !== null && delivery.holds)
          return Math.min(result.waitMs, MAX_HOLD_MS);
      }
      if (!isMore) return null;
    }
    return null;
  }

  /** Several at a time. Of an endpoint that fails, one at a time and with pauses, until it does not. */
  async function atOnce(first: Receiver): Promise<number | null> {
    let now = first;
    let queue: DueDelivery[] = [];
    let isMore = true;
    let lookedAt = 0;
    let failingSince = now.endpoint.failingSince?.getTime() ?? null;
    let pause = 0;
    let failure: unknown;
    /** Those that are not written yet; of them, those that the receiver has not answered. */
    const underWay = new Set<bigint>();
    const unanswered = new Set<bigint>();

    function begin(delivery: DueDelivery): void {
      underWay.add(delivery.id);
      unanswered.add(delivery.id);
      const startedAt = Date.now();
      const onAnswered = () => {
        unanswered.delete(delivery.id);
        wake.resolve();
      };
      deliver(works, now, delivery, onAnswered)
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
          underWay.delete(delivery.id);
          onAnswered();
        });
    }

    async function refill(): Promise<boolean> {
      const isFirst = lookedAt === 0;
      isNudged = false;
      lookedAt = Date.now();
      const due = findDueDeliveries(db, now.endpoint, [...underWay], BATCH);
      const [{ deliveries, isMore: more }, again] = await Promise.all([due, isFirst ? now : read()]);
      if (again === null || again.endpoint.strictOrder) return false;
      now = again;
      queue = [...deliveries];
      isMore = more;
      failingSince = now.endpoint.failingSince?.getTime() ?? failingSince;
      return true;
    }

    let isTurn = true;
    while (mayBegin() && isTurn && pause < SHORT_MS) {
      const isLookedFor = isMore || (isNudged && Date.now() - lookedAt >= REFILL_MS);
      if (queue.length === 0 && isLookedFor && !(await refill())) break;
      const isRoom =
        failingSince === null
          ? unanswered.size < CONCURRENCY && underWay.size < MAX_UNWRITTEN
          : underWay.size === 0;
      const next = isRoom ? queue.shift() : undefined;
      if (next !== undefined) {
        const waited = pause;
        pause = 0;
        await takePace(now, waited);
        if (mayBegin()) begin(next);
      } else if (underWay.size > 0) await untilWoken();
      else if (!isMore) break;
      isTurn = !isTurnOver();
    }
    while (underWay.size > 0) await untilWoken();
    if (failure !== undefined) throw failure;
    if (isOver) return null;
    if (pause >= SHORT_MS) return pause;
    return isTurn && queue.length === 0 && !isMore ? null : 0;
  }

  async function untilWoken(): Promise<void> {
    await wake.promise;
    wake = Promise.withResolvers();
  }

  return {
    nudge() {
      isNudged = true;
      const timer = setTimeout(() => wake.resolve(), REFILL_MS);
      timer.unref();
    },
    lose() {
      isLost = true;
      wake.resolve();
    },
    ended: run(),
  };
}
