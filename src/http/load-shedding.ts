// Which requests are begun when more come than can be answered. The number that is under way is limited, which bounds every queue behind
// it, and the limit is lowered while the event loop is late and raised again while it is not (additive increase, multiplicative
// decrease). At the limit an address that has less than its share under way is still served.
import type { Logger } from '../output/log.ts';
import type { LoadReading } from '../telemetry/metrics.ts';

export interface LoadShedding {
  /** Whether a request of `key` may be begun. False: it is counted as shed. */
  admits(key: string): boolean;
  /** Counts a request as under way. */
  begin(key: string): void;
  /**
   * A request that was begun has its answer, waits for its client, or its connection is gone. It counts until the end of this turn of the event loop: a
   * turn begins no more than the limit, however fast they are.
   * @param tookMs since it was begun; null: it has no answer yet
   */
  release(key: string, tookMs: number | null): void;
  /** How many more are admitted at the moment. */
  readonly room: number;
  reading(): LoadReading;
  /** One look at the event loop. @param lateMs how much later than asked for it came to a timer. @returns what `onLook` does */
  look(lateMs: number): boolean;
  close(): void;
}

interface Options {
  /** The most requests that may be under way. */
  readonly max: number;
  readonly log: Logger;
  /** Called at every look at the event loop. @returns whether looks have to go on though nothing is under way */
  readonly onLook?: () => boolean;
}

/** Where the limit begins, and how far it is lowered: enough to keep the processor and the database busy. */
const FIRST_LIMIT = 256;
const MIN_LIMIT = 32;
/** Once late may be a stall of the machine: what it held up is soon done, if it is let in. Twice running is more than can be answered. */
const MIN_LIMIT_AT_ONCE = 128;
/** The interval of looks, and from when on the event loop counts as late. */
const LOOK_MS = 20;
const LATE_MS = 80;
const DECREASE = 0.7;
const INCREASE = 1.05;
/** The limit is not raised while most answers take longer: more at the same time would only take longer still. */
const SLOW_MS = 400;
/** While the fair share lets addresses in, at most so many times the limit may be under way. */
const SHARED_EXCESS = 2;
const LOOKS_PER_REPORT = 1_000 / LOOK_MS;

/** Sheds nothing until the first limit is reached. Looks at the event loop only while there are requests. */
export function createLoadShedding({ max, log, onLook = () => false }: Options): LoadShedding {
  let limit = Math.min(FIRST_LIMIT, max);
  let underWay = 0;
  let shed = 0;
  let shedAtReport = 0;
  let lateMsAtMost = 0;
  let wasFull = false;
  let wasLate = false;
  /** Of the last answers those that were slow, and the others. */
  let slow = 0;
  let fast = 0;
  let looks = 0;
  let idleLooks = 0;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = 0;
  /** The keys of those that were released in this turn. */
  let released: string[] = [];
  /** Requests under way by key; as many entries as there are requests, at most. */
  const counts = new Map<string, number>();

  function start(): void {
    dueAt = performance.now() + LOOK_MS;
    idleLooks = 0;
    timer = setInterval(() => {
      const now = performance.now();
      const isWaitedFor = look(now - dueAt);
      dueAt = now + LOOK_MS;
      idleLooks = underWay === 0 && !isWaitedFor ? idleLooks + 1 : 0;
      if (idleLooks > LOOKS_PER_REPORT) stop();
    }, LOOK_MS).unref();
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  function look(lateMs: number): boolean {
    lateMsAtMost = Math.max(lateMsAtMost, lateMs);
    const isLate = lateMs > LATE_MS;
    if (isLate) {
      const least = wasLate ? MIN_LIMIT : Math.min(limit, MIN_LIMIT_AT_ONCE);
      limit = Math.max(least, Math.floor(Math.min(limit, underWay) * DECREASE));
    } else if (limit < FIRST_LIMIT || (wasFull && slow <= fast)) limit = Math.ceil(limit * INCREASE);
    limit = Math.min(limit, max);
    wasFull = false;
    wasLate = isLate;
    // Halved, not forgotten: of a slow process there may be no answer between two looks.
    slow /= 2;
    fast /= 2;
    if (++looks % LOOKS_PER_REPORT === 0) report();
    return onLook();
  }

  function report(): void {
    const requests = shed - shedAtReport;
    if (requests > 0)
      log.warn({ requests, underWay, limit, lateMs: Math.round(lateMsAtMost) }, 'overloaded: requests shed');
    shedAtReport = shed;
    lateMsAtMost = 0;
  }

  function settle(): void {
    underWay -= released.length;
    for (const key of released) {
      const left = (counts.get(key) ?? 1) - 1;
      if (left === 0) counts.delete(key);
      else counts.set(key, left);
    }
    released = [];
  }

  /** Whether a key has its share of the limit already: half of it is divided among those who have something under way. */
  function isAboveShare(own: number): boolean {
    return own >= Math.max(1, limit / (2 * counts.size));
  }

  return {
    admits(key) {
      if (underWay >= limit) {
        wasFull = true;
        if (isAboveShare(counts.get(key) ?? 0) || underWay >= limit * SHARED_EXCESS) {
          shed += 1;
          return false;
        }
      }
      return true;
    },
    begin(key) {
      if (timer === undefined) start();
      underWay += 1;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    },
    release(key, tookMs) {
      if (tookMs !== null && tookMs > SLOW_MS) slow += 1;
      else if (tookMs !== null) fast += 1;
      if (released.length === 0) setImmediate(settle);
      released.push(key);
    },
    get room() {
      return Math.max(0, limit - underWay);
    },
    reading: () => ({ underWay, limit, shed }),
    look,
    close: stop,
  };
}
