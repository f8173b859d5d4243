// A concurrency limit that is fair between keys (teams, networks): waiting keys get free slots round robin, and one key can neither take
// all slots nor fill the queue.
import { AppError } from '../errors.ts';

interface FairQueueOptions {
  /** The maximum weight in progress, of all keys together. Most work weighs 1, so it is the number of slots. */
  readonly concurrency: number;
  /** The maximum weight in progress of one key. Heavier work runs alone. */
  readonly concurrencyPerKey: number;
  readonly maxWaitingPerKey?: number;
  readonly maxWaiting?: number;
  /** The longest wait; then a waiter is refused. By default there is no limit. */
  readonly maxWaitMs?: number;
  /** The maximum weight that begins in one event loop tick, so that other work in the process need not wait longer; by default unlimited. */
  readonly perTick?: number;
  /**
   * Whether a key may exceed `concurrency`, up to twice as much in all, while it has less than its share in progress. The share is half of
   * `concurrency`, divided among the keys, and at least 1.
   */
  readonly hasShares?: boolean;
}

/** Releases a slot; a second call does nothing. */
export type Release = () => void;

export interface FairQueue {
  /** The weight in progress: usually the number of slots in use. */
  readonly running: number;
  /** The number of waiters. */
  readonly waiting: number;
  /** The number of keys that hold a slot or wait for one. Other keys take no memory. */
  readonly keys: number;
  /**
   * Takes a slot, at once if one is free. Waiters of one key get slots in their order, waiting keys round robin.
   * @throws AppError `too_many_requests` when too many wait already, or after `maxWaitMs`; the reason of `signal` when it is aborted first
   */
  acquire(key: string, signal?: AbortSignal, weight?: number): Release | Promise<Release>;
  /** Takes a slot without waiting, even if none is free, for work that has begun already. */
  enter(key: string): Release;
  /** Runs `work` with a slot of its key. @throws the errors of `acquire` and `work` */
  run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface Waiter {
  readonly weight: number;
  begin(): void;
}

/** The weight in progress of a key, and its waiters in their order. */
interface KeyState {
  running: number;
  readonly waiters: Set<Waiter>;
}

const RETRY_AFTER_SECONDS = 1;

function tooMany(): AppError {
  return new AppError('too_many_requests', 'Too many expensive requests at once. Try again shortly.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { concurrency, concurrencyPerKey, maxWaitMs, hasShares = false } = options;
  const { maxWaiting = Infinity, maxWaitingPerKey = Infinity, perTick = Infinity } = options;
  const states = new Map<string, KeyState>();
  /** Keys whose first waiter is within the key's own limit, in round-robin order. */
  const eligible = new Set<string>();
  let running = 0;
  let waiting = 0;
  /** The weight that has begun in this event loop tick, if `perTick` limits it. */
  let begunInTick = 0;

  function isBelowShare(state: KeyState): boolean {
    const share = Math.max(1, concurrency / (2 * states.size));
    return hasShares && state.running < share && running < 2 * concurrency;
  }

  const hasRoom = (state: KeyState, weight: number) => running + weight <= concurrency || isBelowShare(state);

  /** Updates whether a key is eligible for a slot. Deletes a key without slots and waiters. */
  function updateEligible(key: string, state: KeyState): void {
    const [first] = state.waiters;
    if (first !== undefined && state.running + first.weight <= concurrencyPerKey) eligible.add(key);
    else eligible.delete(key);
    if (first === undefined && state.running === 0) states.delete(key);
  }

  function takeSlot(key: string, state: KeyState, weight: number): Release {
    states.set(key, state);
    running += weight;
    state.running += weight;
    if (perTick !== Infinity) {
      if (begunInTick === 0) setImmediate(beginTick);
      begunInTick += weight;
    }
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      running -= weight;
      state.running -= weight;
      updateEligible(key, state);
      grantFreeSlots();
    };
  }

  function beginTick(): void {
    begunInTick = 0;
    grantFreeSlots();
  }

  /** Grants free slots to waiters. The next key waits until its work fits: no other key overtakes it. */
  function grantFreeSlots(): void {
    // The loop visits a key again after it was deleted and added again.
    for (const key of eligible) {
      if (begunInTick >= perTick) return;
      const state = states.get(key);
      const [first] = state?.waiters ?? [];
      if (state === undefined || first === undefined) continue;
      if (hasRoom(state, first.weight)) first.begin();
      else if (!hasShares || running >= 2 * concurrency) return;
    }
  }

  function acquire(key: string, signal?: AbortSignal, given = 1): Release | Promise<Release> {
    signal?.throwIfAborted();
    const weight = Math.min(given, concurrencyPerKey);
    const state = states.get(key) ?? { running: 0, waiters: new Set() };
    const isNext = state.waiters.size === 0 && (eligible.size === 0 || isBelowShare(state));
    if (
      isNext &&
      begunInTick < perTick &&
      state.running + weight <= concurrencyPerKey &&
      hasRoom(state, weight)
    )
      return takeSlot(key, state, weight);
    if (waiting >= maxWaiting || state.waiters.size >= maxWaitingPerKey) throw tooMany();
    states.set(key, state);
    const { promise, resolve, reject } = Promise.withResolvers<Release>();
    const leave = () => {
      state.waiters.delete(waiter);
      waiting -= 1;
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
    };
    const waiter: Waiter = {
      weight,
      begin() {
        leave();
        const release = takeSlot(key, state, weight);
        // Round robin: the key goes behind all other eligible keys.
        eligible.delete(key);
        updateEligible(key, state);
        resolve(release);
      },
    };
    const refuse = (reason: unknown) => {
      leave();
      updateEligible(key, state);
      reject(reason);
      // Waiters behind it may weigh less, and fit now.
      grantFreeSlots();
    };
    const aborted = () => refuse(signal?.reason);
    const timer =
      maxWaitMs === undefined ? undefined : setTimeout(() => refuse(tooMany()), maxWaitMs).unref();
    state.waiters.add(waiter);
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
    enter: (key) => takeSlot(key, states.get(key) ?? { running: 0, waiters: new Set() }, 1),
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
