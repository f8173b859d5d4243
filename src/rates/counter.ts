// A rate limit: a number of points in a time window for each key. services/limits/rate-limits.ts decides what a request costs.
import { hash } from 'node:crypto';
import type { RateReading } from '../telemetry/request-facts.ts';
import { BoundedMemory, type Count } from './bounded-memory.ts';

/** Longer keys are replaced by their hash, so that long names from an outside issuer do not fill the memory. */
const MAX_KEY_CHARS = 100;
/** Points are not given back this shortly before a window ends: they would become credit in the next window. */
const EDGE_MS = 50;

/**
 * The limits, by their names in headers, the log and the metrics: by API key; by OAuth client and the person for whom it acts; by team; and
 * by network, for requests without valid credentials.
 */
const LIMITS = ['key', 'client', 'team', 'address'] as const;
export type LimitName = (typeof LIMITS)[number];
export type ByLimit<T> = Readonly<Record<LimitName, T>>;

/** An object with one value for each limit. */
export function ofLimits<T>(create: (name: LimitName) => T): ByLimit<T> {
  return Object.fromEntries(LIMITS.map((name) => [name, create(name)])) as ByLimit<T>;
}

export interface CounterOptions {
  readonly name: LimitName;
  /** Points in a window. */
  readonly limit: number;
  readonly windowSeconds: number;
}

export interface Taken {
  readonly accepted: boolean;
  readonly reading: RateReading;
}

export interface Counter extends CounterOptions {
  /** Counts points if that many are left; otherwise counts nothing. Synchronous while it counts in memory. */
  take(key: string, points: number): Taken | Promise<Taken>;
  /** Takes back counted points. @param resetMs the time until the end of the window that they were counted in */
  giveBack(key: string, points: number, resetMs: number): void;
  /** Counts on a shared server from now on. @param create gets this process's memory, for the times when the server does not answer */
  use(create: (options: CounterOptions, memory: BoundedMemory) => TakeElsewhere): void;
}

/** Counts points for several processes, as `BoundedMemory.take` does for one; negative points reduce the count. */
export type TakeElsewhere = (key: string, points: number) => Promise<Count & { readonly accepted: boolean }>;

/** Creates a limit that is counted in memory. */
export function createCounter(options: CounterOptions): Counter {
  const { name, limit, windowSeconds } = options;
  const memory = new BoundedMemory(limit, windowSeconds);
  /** null: counts in memory. */
  let shared: TakeElsewhere | null = null;

  function toResult({ accepted, points, restMs }: Count & { readonly accepted: boolean }): Taken {
    const remaining = Math.max(0, limit - points);
    return { accepted, reading: { name, limit, windowSeconds, remaining, resetMs: Math.max(0, restMs) } };
  }

  return {
    ...options,
    take(given, points) {
      const key = toKey(given);
      if (shared !== null) return shared(key, points).then(toResult);
      return toResult(memory.take(key, points));
    },
    giveBack(given, points, resetMs) {
      if (resetMs <= EDGE_MS) return;
      const key = toKey(given);
      if (shared !== null) return void shared(key, -points);
      memory.add(key, -points);
    },
    use(create) {
      shared = create(options, memory);
    },
  };
}

/** Counts points for work that is already done. If fewer are left, it counts the rest, so that the window has nothing left. */
export function takeUpTo(counter: Counter, key: string, points: number): Taken | Promise<Taken> {
  const takeRest = (taken: Taken) => (taken.accepted ? taken : counter.take(key, taken.reading.remaining));
  const taken = counter.take(key, Math.min(points, counter.limit));
  return taken instanceof Promise ? taken.then(takeRest) : takeRest(taken);
}

/** The stored form of a key. */
function toKey(key: string): string {
  return key.length > MAX_KEY_CHARS ? hash('sha256', key, 'base64url') : key;
}
