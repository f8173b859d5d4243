// A limit on how much runs at once that is fair between keys (teams): keys that wait take turns, and one key can neither
// take every place nor fill the queue. It knows nothing of what runs.
import { AppError } from './errors.ts';

interface FairQueueOptions {
  /** How many run at once, of all keys together. */
  readonly concurrency: number;
  readonly concurrencyPerKey: number;
  readonly maxWaitingPerKey: number;
  readonly maxWaiting: number;
  /** Whoever has waited for so long is refused. */
  readonly maxWaitMs: number;
}

/** Gives a place back; a second call does nothing. */
export type Release = () => void;

export interface FairQueue {
  /** How many have a place. */
  readonly running: number;
  /** How many wait for one. */
  readonly waiting: number;
  /** How many keys run or wait: no other key is remembered. */
  readonly keys: number;
  /**
   * Waits for a place. Who waits longest of a key is first; keys that wait take turns.
   * @throws AppError `too_many_requests` when too many wait already, or after `maxWaitMs`; the reason of `signal` when it is aborted first
   */
  acquire(key: string, signal?: AbortSignal): Promise<Release>;
  /** Runs `work` in a place of its key. Throws what `acquire` and `work` throw. */
  run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** A key with something under way, and whom to tell of a place, in their order. */
interface Share {
  running: number;
  readonly waiters: Set<() => void>;
}

const RETRY_AFTER_SECONDS = 1;

function tooMany(): AppError {
  return new AppError('too_many_requests', 'Too many expensive requests at once. Try again shortly.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { concurrency, concurrencyPerKey, maxWaitingPerKey, maxWaiting, maxWaitMs } = options;
  const shares = new Map<string, Share>();
  /** Keys that wait and may have another place, in the order of their turns. */
  const turns = new Set<string>();
  let running = 0;
  let waiting = 0;

  /** Puts a key among those that have a turn, or out, by what it has under way; forgets one that has nothing. */
  function updateTurn(key: string, share: Share): void {
    if (share.waiters.size === 0 || share.running >= concurrencyPerKey) turns.delete(key);
    else turns.add(key);
    if (share.waiters.size === 0 && share.running === 0) shares.delete(key);
  }

  function take(key: string, share: Share): Release {
    running += 1;
    share.running += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      running -= 1;
      share.running -= 1;
      updateTurn(key, share);
      admit();
    };
  }

  /** Gives every free place to a waiter. Afterwards nobody waits who could run. */
  function admit(): void {
    while (running < concurrency) {
      const [key] = turns;
      const share = key === undefined ? undefined : shares.get(key);
      const [waiter] = share?.waiters ?? [];
      if (waiter === undefined) return;
      waiter();
    }
  }

  async function acquire(key: string, signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted();
    const share = shares.get(key) ?? { running: 0, waiters: new Set() };
    if (running < concurrency && share.running < concurrencyPerKey) {
      shares.set(key, share);
      return take(key, share);
    }
    if (waiting >= maxWaiting || share.waiters.size >= maxWaitingPerKey) throw tooMany();
    shares.set(key, share);
    const { promise, resolve, reject } = Promise.withResolvers<Release>();
    const leave = () => {
      share.waiters.delete(admitted);
      waiting -= 1;
      clearTimeout(tooLong);
      signal?.removeEventListener('abort', aborted);
    };
    const admitted = () => {
      leave();
      const release = take(key, share);
      // The key's next turn comes after everybody else's.
      turns.delete(key);
      updateTurn(key, share);
      resolve(release);
    };
    const giveUp = (reason: unknown) => {
      leave();
      updateTurn(key, share);
      reject(reason);
    };
    const aborted = () => giveUp(signal?.reason);
    const tooLong = setTimeout(() => giveUp(tooMany()), maxWaitMs).unref();
    share.waiters.add(admitted);
    waiting += 1;
    signal?.addEventListener('abort', aborted);
    updateTurn(key, share);
    return promise;
  }

  return {
    get running() {
      return running;
    },
    get waiting() {
      return waiting;
    },
    get keys() {
      return shares.size;
    },
    acquire,
    async run(key, work, signal) {
      const release = await acquire(key, signal);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
