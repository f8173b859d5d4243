// A rate limit: so many points in a window of time for each key, over rate-limiter-flexible. A window begins with the first request of
// its key. Who pays how much is for services/rate-limits.ts to say.
import { hash } from 'node:crypto';
import type { RateLimiterLike, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateReading } from '../telemetry/request-facts.ts';
import { BoundedMemory, EDGE_MS } from './bounded-memory.ts';

/** A longer key is replaced by its hash, so that an outside issuer's long names take no memory. */
const MAX_KEY_CHARS = 100;

export interface CounterOptions {
  /** As it is called in headers, the log and the metrics. */
  readonly name: string;
  /** Points in a window. */
  readonly limit: number;
  readonly windowSeconds: number;
}

export interface Taken {
  readonly accepted: boolean;
  readonly reading: RateReading;
}

export interface Counter extends CounterOptions {
  /** Counts points, unless they are more than what is left: then nothing is counted. At once, where it counts in memory. */
  take(key: string, points: number): Taken | Promise<Taken>;
  /** Does not count points after all. @param resetMs how long the window that they were counted in still is */
  giveBack(key: string, points: number, resetMs: number): void;
  /** Counts with another limiter, which has this one's memory for when it cannot. */
  use(create: (options: CounterOptions, memory: BoundedMemory) => RateLimiterLike): void;
}

/** Creates a limit that is counted in memory. */
export function createCounter(options: CounterOptions, maxKeys?: number): Counter {
  const { name, limit, windowSeconds } = options;
  const windowMs = windowSeconds * 1_000;
  const memory = new BoundedMemory({ keyPrefix: '', points: limit, duration: windowSeconds }, maxKeys);
  /** null: it counts in memory. */
  let shared: RateLimiterLike | null = null;

  /** @param missing of the points that were counted, those that were not in truth */
  function taken(
    { consumedPoints, msBeforeNext }: RateLimiterRes,
    accepted: boolean,
    missing: number,
  ): Taken {
    // A clock that was set back must not make a window longer.
    const resetMs = Math.min(Math.max(msBeforeNext, 0), windowMs);
    const remaining = Math.max(0, limit - consumedPoints + missing);
    return { accepted, reading: { name, limit, windowSeconds, remaining, resetMs } };
  }

  return {
    ...options,
    take(given, points) {
      const key = toKey(given);
      if (shared === null) {
        const { accepted, result } = memory.take(key, points);
        return taken(result, accepted, accepted ? 0 : points);
      }
      return shared.consume(key, points).then(
        (result) => taken(result, true, 0),
        (refusal: RateLimiterRes) => {
          if (refusal instanceof Error) throw refusal;
          return taken(refusal, false, points);
        },
      );
    },
    giveBack(given, points, resetMs) {
      if (resetMs <= EDGE_MS) return;
      (shared ?? memory).reward(toKey(given), points).catch(() => {});
    },
    use(create) {
      shared = create(options, memory);
    },
  };
}

/** Counts points of what is done already: where less is left, all that is. The window then has nothing more for anybody. */
export function takeUpTo(counter: Counter, key: string, points: number): Taken | Promise<Taken> {
  const whatIsLeft = (taken: Taken) => (taken.accepted ? taken : counter.take(key, taken.reading.remaining));
  const taken = counter.take(key, Math.min(points, counter.limit));
  return taken instanceof Promise ? taken.then(whatIsLeft) : whatIsLeft(taken);
}

/** A key as it is kept. */
export function toKey(key: string): string {
  return key.length > MAX_KEY_CHARS ? hash('sha256', key, 'base64url') : key;
}
