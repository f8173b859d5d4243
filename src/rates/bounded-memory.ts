// A limiter that counts in this process. It is bounded: the library keeps a record and a timer for each key, and anybody can come from
// millions of addresses. And a refusal changes nothing: what was asked for in vain is not counted.
import { LRUCache } from 'lru-cache';
import type { IRateLimiterOptions, RateLimiterRes } from 'rate-limiter-flexible';
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js';

/**
 * So many keys of a limit are counted at a time; of more, the least recently counted is forgotten. Each takes some hundreds of bytes.
 */
const MAX_KEYS = 20_000;

/** Nothing is given back so shortly before a window ends: in the next one it would be credit. */
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

  /** How many keys are kept. */
  get size(): number {
    return this.#keys.size;
  }

  override consume(key: string, points = 1): Promise<RateLimiterRes> {
    this.#touch(key);
    return super.consume(key, points).catch((refusal: RateLimiterRes) => {
      if (refusal.msBeforeNext > EDGE_MS) void this.reward(key, points);
      throw refusal;
    });
  }

  /** Takes over what was counted elsewhere. @param restMs how long its window still is */
  mirror(key: string, points: number, restMs: number): void {
    this.#touch(key);
    void this.set(key, points, restMs / 1_000);
  }

  #touch(key: string): void {
    if (this.#keys.get(key) === undefined) this.#keys.set(key, true);
  }
}
