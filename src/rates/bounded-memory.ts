// A limiter that counts in this process. It is bounded: the library keeps a record and a timer for each key, and anybody can come from
// millions of addresses. And a refusal changes nothing: what was asked for in vain is not counted.
import { LRUCache } from 'lru-cache';
import type { IRateLimiterOptions, RateLimiterRes } from 'rate-limiter-flexible';
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js';

/** The part of the library's storage that is used here, whose version is pinned. */
interface Storage {
  incrby(key: string, points: number, seconds: number): RateLimiterRes;
}

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

  /**
   * Counts points at once, unless they are more than what is left: then nothing is counted. The library's own way is to answer by a
   * promise, which at two limits a request would cost more than all the rest of them.
   * @returns what would be counted, and the rest of the window
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

  /** For another limiter of the library, which counts here while it cannot. */
  override async consume(key: string, points = 1): Promise<RateLimiterRes> {
    const { accepted, result } = this.take(key, points);
    if (!accepted) throw result;
    return result;
  }

  get #storage(): Storage {
    return (this as unknown as { readonly _memoryStorage: Storage })._memoryStorage;
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
