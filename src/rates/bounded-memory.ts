// A limiter that counts in this process. Its memory is bounded: the library keeps a record and a timer for each key, and an attacker can
// use millions of addresses. A refused request changes nothing: its points are not counted.
import { LRUCache } from 'lru-cache';
import type { IRateLimiterOptions, RateLimiterRes } from 'rate-limiter-flexible';
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js';

/** The part of the library's storage that is used here; the library's version is pinned. */
interface Storage {
  incrby(key: string, points: number, seconds: number): RateLimiterRes;
}

/**
 * Keys that a limit counts at a time; beyond that, the least recently counted key is forgotten. Each key takes some hundreds of bytes.
 */
const MAX_KEYS = 20_000;

/** Points are not given back this shortly before a window ends: in the next window they would be credit. */
export const EDGE_MS = 50;

export class BoundedMemory extends RateLimiterMemory {
  readonly #keys: LRUCache<string, true>;

  constructor(options: IRateLimiterOptions, maxKeys: number = MAX_KEYS) {
    super(options);
    this.#keys = new LRUCache({
      max: maxKeys,
      dispose: (_value, key, reason) => {
        if (reason === 'evict') void this.delete(key);
      },
    });
  }

  /** The number of stored keys. */
  get size(): number {
    return this.#keys.size;
  }

  /**
   * Counts points synchronously, unless fewer are left: then nothing is counted. The library's own method returns a promise; with two
   * limits per request, that would cost more than the rest of the counting.
   * @returns the total after counting, and the rest of the window
   */
  take(key: string, points: number): { readonly accepted: boolean; readonly result: RateLimiterRes } {
    this.#touch(key);
    const storage = this.#storage;
    const whole = this.getKey(key);
    const result = storage.incrby(whole, points, this.duration);
    const accepted = result.consumedPoints <= this.points;
    if (!accepted && result.msBeforeNext > EDGE_MS) storage.incrby(whole, -points, this.duration);
    return { accepted, result };
  }

  /** Called by another limiter of the library, which counts here while it cannot count itself. */
  override async consume(key: string, points = 1): Promise<RateLimiterRes> {
    const { accepted, result } = this.take(key, points);
    if (!accepted) throw result;
    return result;
  }

  get #storage(): Storage {
    return (this as unknown as { readonly _memoryStorage: Storage })._memoryStorage;
  }

  /** Counts points that were taken elsewhere, however many are left; negative ones were given back. */
  add(key: string, points: number): RateLimiterRes {
    this.#touch(key);
    return this.#storage.incrby(this.getKey(key), points, this.duration);
  }

  /** Copies a count from elsewhere. @param restMs the time until its window ends */
  mirror(key: string, points: number, restMs: number): void {
    this.#touch(key);
    // Without any time left, the library would keep it for good.
    void this.set(key, points, Math.max(1, restMs) / 1_000);
  }

  #touch(key: string): void {
    if (this.#keys.get(key) === undefined) this.#keys.set(key, true);
  }
}
