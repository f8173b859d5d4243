// The counts of one limit in this process: for each key, the points of its current window. A window begins with the first request of its
// key. The memory is bounded, because an attacker can use millions of addresses.
import { LRUCache } from 'lru-cache';

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
