// Load shedding: decides which requests are started under overload. The number of requests in progress is limited, which bounds every
// later queue. The limit is lowered while the event loop is late and raised again while it is not. At the limit, addresses with less than
// their fair share in progress are still served.
import type { Logger } from '../output/log.ts';
import type { LoadReading } from '../telemetry/metrics.ts';

export interface LoadShedding {
  /** Whether a request of `key` may be started. If false, it is counted as shed. */
  admits(key: string): boolean;
  /** Counts a request as in progress. */
  begin(key: string): void;
  /**
   * To be called when a started request has its response, waits for its client, or has lost its connection. It still counts until the end
   * of this turn of the event loop, so that a turn starts no more requests than the limit, however fast they are.
   * @param tookMs milliseconds since its start; null: no response yet
   */
  release(key: string, tookMs: number | null): void;
  /** How many more requests would be admitted now. */
  readonly room: number;
  reading(): LoadReading;
  /** Checks the event loop once. @param lateMs how late its timer fired, in milliseconds. @returns the result of `onLook` */
  look(lateMs: number): boolean;
  close(): void;
}

interface Options {
  /** The upper bound for the limit of requests in progress. */
  readonly max: number;
  readonly log: Logger;
  /** Called at every check of the event loop. @returns whether checks must continue although nothing is in progress */
  readonly onLook?: () => boolean;
}

/** The initial and the lowest limit: enough to keep the processor and the database busy. */
const FIRST_LIMIT = 256;
const MIN_LIMIT = 32;
/** The lowest limit after one late check, which may be a stall of the machine that soon resolves. Two in a row are real overload. */
const MIN_LIMIT_AT_ONCE = 128;
/** The interval of checks, and the delay from which the event loop counts as late. */
const LOOK_MS = 20;
const LATE_MS = 80;
const DECREASE = 0.7;
const INCREASE = 1.05;
/** The limit is not raised while most responses take longer than this, since more concurrency would only slow them further. */
const SLOW_MS = 400;
/** The most requests in progress, as a multiple of the limit, when the fair share admits addresses above it. */
const SHARED_EXCESS = 2;
const LOOKS_PER_REPORT = 1_000 / LOOK_MS;

/** Checks the event loop only while there are requests. */
export function createLoadShedding({ max, log, onLook = () => false }: Options): LoadShedding {
  let limit = Math.min(FIRST_LIMIT, max);
  let underWay = 0;
  let shed = 0;
  let shedAtReport = 0;
  let lateMsAtMost = 0;
  let wasFull = false;
  let wasLate = false;
  /** How many of the latest responses were slow, and how many were not. */
  let slow = 0;
  let fast = 0;
  let looks = 0;
  let idleLooks = 0;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = 0;
  /** The keys of the requests that were released in this turn. */
  let released: string[] = [];
  /** Requests in progress by key; never more entries than requests. */
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
    // Halved, not reset: a slow process may produce no response between two checks.
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

  /** Whether a key has its fair share already. Half of the limit is divided equally among all keys with requests in progress. */
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
