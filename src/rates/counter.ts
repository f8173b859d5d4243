// A rate limit: a number of points in a time window for each key, and its counts in this process. services/limits/rate-limits.ts decides what a
// request costs.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { RateReading } from '../telemetry/request-facts.ts';

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

export interface TakeResult {
  readonly accepted: boolean;
  readonly reading: RateReading;
}

export interface Counter extends CounterOptions {
  /** Counts points if that many are left; otherwise counts nothing. Synchronous while it counts in memory. */
  take(key: string, points: number): TakeResult | Promise<TakeResult>;
  /** Takes back counted points. @param resetMs the time until the end of the window that they were counted in */
  giveBack(key: string, points: number, resetMs: number): void;
  /** Counts on a shared server from now on. @param create gets this process's memory, for the times when the server does not answer */
  use(create: (options: CounterOptions, memory: BoundedMemory) => TakeShared): void;
}

/** Counts points for several processes, as `BoundedMemory.take` does for one; negative points reduce the count. */
export type TakeShared = (key: string, points: number) => Promise<Count & { readonly accepted: boolean }>;

/** Creates a limit that is counted in memory. */
export function createCounter(options: CounterOptions): Counter {
  const { name, limit, windowSeconds } = options;
  const memory = new BoundedMemory(limit, windowSeconds);
  /** null: counts in memory. */
  let shared: TakeShared | null = null;

  function toResult({ accepted, points, restMs }: Count & { readonly accepted: boolean }): TakeResult {
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
export function takeUpTo(counter: Counter, key: string, points: number): TakeResult | Promise<TakeResult> {
  const takeRest = (taken: TakeResult) =>
    taken.accepted ? taken : counter.take(key, taken.reading.remaining);
  const taken = counter.take(key, Math.min(points, counter.limit));
  return taken instanceof Promise ? taken.then(takeRest) : takeRest(taken);
}

/** The stored form of a key. */
function toKey(key: string): string {
  return key.length > MAX_KEY_CHARS ? hash('sha256', key, 'base64url') : key;
}

/** The maximum number of keys of a limit. With more, the least recently counted key is forgotten. */
const MAX_KEYS = 20_000;

/** The points of a key's window, and the milliseconds until it ends. */
export interface Count {
  readonly points: number;
  readonly restMs: number;
}

interface Window {
  points: number;
  readonly endsAt: number;
}

/**
 * The counts of one limit in this process: for each key, the points of its current window. A window begins with the first request of its key.
 * The memory is bounded, because an attacker can use millions of addresses.
 */
export class BoundedMemory {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #windows: LRUCache<string, Window>;

  constructor(limit: number, windowSeconds: number, maxKeys: number = MAX_KEYS) {
    this.#limit = limit;
    this.#windowMs = windowSeconds * 1_000;
    // `max` would allocate memory for all keys at once.
    this.#windows = new LRUCache({ maxSize: maxKeys, sizeCalculation: () => 1 });
  }

  /** The number of keys. */
  get size(): number {
    return this.#windows.size;
  }

  /** Counts points if that many are left; otherwise counts nothing. */
  take(key: string, points: number): Count & { readonly accepted: boolean } {
    const window = this.#open(key);
    const accepted = window.points + points <= this.#limit;
    if (accepted) window.points += points;
    return { accepted, points: window.points, restMs: window.endsAt - performance.now() };
  }

  /** Counts points, however many are left. Negative points reduce the count. */
  add(key: string, points: number): Count {
    const window = this.#open(key);
    window.points = Math.max(0, window.points + points);
    return { points: window.points, restMs: window.endsAt - performance.now() };
  }

  /** Copies a count from the shared server. */
  mirror(key: string, { points, restMs }: Count): void {
    // Another machine's clock must not prolong a window.
    const endsAt = performance.now() + Math.min(restMs, this.#windowMs);
    this.#windows.set(key, { points: Math.max(0, points), endsAt });
  }

  #open(key: string): Window {
    const now = performance.now();
    const known = this.#windows.get(key);
    if (known !== undefined && known.endsAt > now) return known;
    const window = { points: 0, endsAt: now + this.#windowMs };
    this.#windows.set(key, window);
    return window;
  }
}
