// A rate limit in one of several processes of a gateway. It spends leased points (accounts.ts) at once, and requests more when they do
// not suffice.
import { LRUCache } from 'lru-cache';
import type { Lease, LeaseRequest } from './accounts.ts';
import { type Counter, type CounterOptions, type Taken, toKey } from './counter.ts';

/** The source of leases. */
export interface PointSource {
  lease(request: LeaseRequest): Promise<Lease>;
}

export interface LeasedCounter extends Counter {
  /** Returns the unspent points of a key and window. */
  giveUp(key: string, window: number): number;
}

interface Waiter {
  readonly points: number;
  resolve(taken: Taken): void;
  reject(error: unknown): void;
}

/** The process's state of a key. */
interface Entry {
  window: number;
  endsAt: number;
  /** Leased points that are not spent. */
  left: number;
  /** At the last lease: the points that no process had leased, and those that other processes had. */
  free: number;
  elsewhere: number;
  /** Until this time, requests for more than `left` plus `free` are refused without asking again. */
  refusesUntil: number;
  /** In order of arrival. */
  readonly waiters: Waiter[];
}

/** Stored keys; beyond that, the least recently used key is forgotten, and its leased points count as spent. */
const MAX_KEYS = 20_000;
/** A key that has used up its limit asks again at most this often, because another process may have given points back. */
const RECHECK_MS = 100;

/** Creates a limit that leases its points from `source`. @param now a monotonic clock, in milliseconds */
export function createLeasedCounter(
  options: CounterOptions,
  source: PointSource,
  now: () => number = () => performance.now(),
): LeasedCounter {
  const { name, limit, windowSeconds } = options;
  const entries = new LRUCache<string, Entry>({ max: MAX_KEYS });

  function open(key: string): Entry {
    const known = entries.get(key);
    if (known !== undefined) return known;
    const [endsAt, refusesUntil] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const entry = { window: 0, endsAt, left: 0, free: 0, elsewhere: 0, refusesUntil, waiters: [] };
    entries.set(key, entry);
    return entry;
  }

  function taken({ endsAt, left, free, elsewhere }: Entry, accepted: boolean): Taken {
    const remaining = Math.min(limit, left + free + (accepted ? elsewhere : 0));
    const resetMs = Math.max(0, endsAt - now());
    return { accepted, reading: { name, limit, windowSeconds, remaining, resetMs } };
  }

  /** Decides without asking, if possible; null: a lease is needed. */
  function decide(entry: Entry, points: number): Taken | null {
    const at = now();
    if (at >= entry.endsAt) return null;
    if (points <= entry.left) {
      entry.left -= points;
      return taken(entry, true);
    }
    return at < entry.refusesUntil && points > entry.left + entry.free ? taken(entry, false) : null;
  }

  function ask(key: string, entry: Entry): void {
    const askedAt = now();
    const need = entry.waiters[0]?.points ?? 0;
    const wanted = entry.waiters.reduce((sum, { points }) => sum + points, 0);
    const { left: returned, window } = entry;
    // All unspent points go back, so that two processes cannot wait for each other's partial savings.
    entry.left = 0;
    source.lease({ limit: name, key, need, wanted, returned, window }).then(
      (lease) => {
        // The lease was computed after the question was sent, so the window here ends no later than at the source.
        const endsAt = askedAt + lease.restMs;
        const isSame = lease.window === entry.window;
        if (!isSame) entry.left = 0;
        entry.endsAt = isSame ? Math.max(entry.endsAt, endsAt) : endsAt;
        entry.window = lease.window;
        entry.left += lease.granted;
        entry.free = lease.free;
        entry.elsewhere = lease.elsewhere;
        if (lease.granted < need) entry.refusesUntil = now() + RECHECK_MS;
        settle(key, entry);
      },
      (error: unknown) => {
        for (const { reject } of entry.waiters.splice(0)) reject(error);
      },
    );
  }

  function settle(key: string, entry: Entry): void {
    for (let first = entry.waiters[0]; first !== undefined; first = entry.waiters[0]) {
      const answer = decide(entry, first.points);
      if (answer === null) {
        ask(key, entry);
        return;
      }
      entry.waiters.shift();
      first.resolve(answer);
    }
  }

  return {
    ...options,
    take(given, points) {
      const key = toKey(given);
      const entry = open(key);
      // In order of arrival: no request overtakes a waiting one.
      const answer = entry.waiters.length === 0 ? decide(entry, points) : null;
      if (answer !== null) return answer;
      const { promise, resolve, reject } = Promise.withResolvers<Taken>();
      entry.waiters.push({ points, resolve, reject });
      if (entry.waiters.length === 1) ask(key, entry);
      return promise;
    },
    giveBack(given, points, resetMs) {
      const entry = entries.get(toKey(given));
      if (entry === undefined) return;
      const restMs = entry.endsAt - now();
      // A window with more time left than the points' window is a later one.
      if (restMs > 0 && restMs <= resetMs) entry.left += points;
    },
    giveUp(key, window) {
      const entry = entries.peek(key);
      if (entry === undefined || entry.window !== window) return 0;
      const { left } = entry;
      entry.left = 0;
      return left;
    },
    use() {
      throw new Error('What is leased is not counted elsewhere.');
    },
  };
}
