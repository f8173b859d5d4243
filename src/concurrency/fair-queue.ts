// A concurrency limit that is fair between keys (teams): free slots go to waiting keys round robin, and one key can neither take
// all slots nor fill the queue.
import { AppError } from '../errors.ts';

interface FairQueueOptions {
  /** The number of slots, for all keys together. */
  readonly concurrency: number;
  readonly concurrencyPerKey: number;
  readonly maxWaitingPerKey: number;
  readonly maxWaiting: number;
  /** A waiter is refused after so long. */
  readonly maxWaitMs: number;
}

/** Releases a slot; a second call does nothing. */
export type Release = () => void;

export interface FairQueue {
  /** The number of slots in use. */
  readonly running: number;
  /** The number of waiters. */
  readonly waiting: number;
  /** The number of keys that hold a slot or wait for one: no other key takes memory. */
  readonly keys: number;
  /**
   * Waits for a slot. Waiters of one key are served in their order, waiting keys round robin.
   * @throws AppError `too_many_requests` when too many wait already, or after `maxWaitMs`; the reason of `signal` when it is aborted first
   */
  acquire(key: string, signal?: AbortSignal): Promise<Release>;
  /** Runs `work` with a slot of its key. Throws what `acquire` and `work` throw. */
  run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** The slots in use of a key, and its waiters in their order, each a function that grants it a slot. */
interface KeyState {
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
  const states = new Map<string, KeyState>();
  /** Keys with a waiter that are below their own limit, in round-robin order. */
  const eligible = new Set<string>();
  let running = 0;
  let waiting = 0;

  /** Updates whether a key is eligible for a slot. Deletes a key without slots and waiters. */
  function updateEligible(key: string, state: KeyState): void {
    if (state.waiters.size === 0 || state.running >= concurrencyPerKey) eligible.delete(key);
    else eligible.add(key);
    if (state.waiters.size === 0 && state.running === 0) states.delete(key);
  }

  function takeSlot(key: string, state: KeyState): Release {
    running += 1;
    state.running += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      running -= 1;
      state.running -= 1;
      updateEligible(key, state);
      grantFreeSlots();
    };
  }

  /** Grants free slots to waiters until no slot is free or no key is eligible. */
  function grantFreeSlots(): void {
    while (running < concurrency) {
      const [key] = eligible;
      const state = key === undefined ? undefined : states.get(key);
      const [grant] = state?.waiters ?? [];
      if (grant === undefined) return;
      grant();
    }
  }

  async function acquire(key: string, signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted();
    const state = states.get(key) ?? { running: 0, waiters: new Set() };
    if (running < concurrency && state.running < concurrencyPerKey) {
      states.set(key, state);
      return takeSlot(key, state);
    }
    if (waiting >= maxWaiting || state.waiters.size >= maxWaitingPerKey) throw tooMany();
    states.set(key, state);
    const { promise, resolve, reject } = Promise.withResolvers<Release>();
    const leave = () => {
      state.waiters.delete(granted);
      waiting -= 1;
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
    };
    const granted = () => {
      leave();
      const release = takeSlot(key, state);
      // Round robin: the key goes behind all other eligible keys.
      eligible.delete(key);
      updateEligible(key, state);
      resolve(release);
    };
    const refuse = (reason: unknown) => {
      leave();
      updateEligible(key, state);
      reject(reason);
    };
    const aborted = () => refuse(signal?.reason);
    const timer = setTimeout(() => refuse(tooMany()), maxWaitMs).unref();
    state.waiters.add(granted);
    waiting += 1;
    signal?.addEventListener('abort', aborted);
    updateEligible(key, state);
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
      return states.size;
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
