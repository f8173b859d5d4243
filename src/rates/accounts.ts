// The accounts of one rate limit that several processes of a gateway share. Each process leases points of a key in small amounts and
// spends them without asking. When too few are left, the unspent points of the other processes are recalled first. So a window never
// spends more than the limit, and any process can spend all of it. Does not know how processes communicate.
import { LRUCache } from 'lru-cache';
import type { CounterOptions } from './counter.ts';

/** A process's request for points. */
export interface LeaseRequest {
  readonly limit: string;
  readonly key: string;
  /** The fewest points that help. */
  readonly need: number;
  /** The total points for which requests in the process are waiting. */
  readonly wanted: number;
  /** Unspent points of an earlier lease, which the process returns, and the window of that lease. */
  readonly returned: number;
  readonly window: number;
}

/** The answer to a request for points. */
export interface Lease {
  /** Leased points; 0 refuses the request, unless it needed 0. */
  readonly granted: number;
  /** Points that no process has leased. */
  readonly free: number;
  /** An upper bound of the points that other processes have leased and not spent. */
  readonly elsewhere: number;
  /** The key's current window, and the time until it ends. */
  readonly window: number;
  readonly restMs: number;
}

/** Asks a process to return its unspent points of a key and window; 0 when the process has ended. */
type Recall = (holder: number, limit: string, key: string, window: number) => Promise<number>;

export interface Accounts {
  /** Leases points to a process. */
  lease(holder: number, request: LeaseRequest): Promise<Lease>;
}

interface AccountsOptions extends CounterOptions {
  /** The number of processes that lease. */
  readonly holders: number;
  readonly recall: Recall;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
  readonly maxKeys?: number;
}

interface Account {
  readonly window: number;
  readonly endsAt: number;
  /** Points that are leased or spent. */
  leased: number;
  /** The last lease of each process in this window. A process holds no more unspent points than that, apart from points given back. */
  readonly lastLeases: Map<number, number>;
  /**
   * All points had to be recalled. From then on a lease covers only what is spent at once, so that no points lie in another process when
   * a recall ends.
   */
  isTight: boolean;
  /** The time of the last recall. */
  recalledAt: number;
  /** The running recall. */
  recall: Promise<void> | null;
}

/** Keys that are counted at a time; beyond that, the least recently used key is forgotten. */
const MAX_KEYS = 20_000;
/** A lease is one PARTS-th of each process's share of the remaining points. It bounds what is lost when a process is killed. */
const PARTS = 8;
/** A process that does not answer within this time keeps its points, and is not asked again before its next lease. */
const RECALL_MS = 1_000;
/** If nothing was leased since the last recall, there is no further recall for this long: only points given back could be found. */
const RECALL_PAUSE_MS = 100;

/** Creates the accounts of one limit. */
export function createAccounts(options: AccountsOptions): Accounts {
  const { name, limit, windowSeconds, holders, recall, now = () => performance.now() } = options;
  const accounts = new LRUCache<string, Account>({ max: options.maxKeys ?? MAX_KEYS });
  let windows = 0;

  /** The account of a key in its current window. A window begins with the first request of its key. */
  function open(key: string): Account {
    const known = accounts.get(key);
    if (known !== undefined && known.endsAt > now()) return known;
    windows += 1;
    const endsAt = now() + windowSeconds * 1_000;
    const account: Account = {
      ...{ window: windows, endsAt, leased: 0, lastLeases: new Map(), isTight: false },
      ...{ recalledAt: Number.NEGATIVE_INFINITY, recall: null },
    };
    accounts.set(key, account);
    return account;
  }

  /** Resolves when every other process has returned its unspent points, or the time is over. */
  async function recallFrom(account: Account, key: string, holder: number): Promise<void> {
    account.isTight = true;
    account.recalledAt = now();
    const others = [...account.lastLeases.keys()].filter((other) => other !== holder);
    const answered = new Set<number>();
    const returns = others.map(async (other) => {
      // Late answers count as well.
      const unspent = await recall(other, name, key, account.window);
      account.leased -= unspent;
      account.lastLeases.set(other, 0);
      answered.add(other);
    });
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, RECALL_MS);
    await Promise.race([Promise.all(returns), late]);
    clearTimeout(timer);
    for (const other of others) if (!answered.has(other)) account.lastLeases.delete(other);
  }

  function mayRecall({ lastLeases, recalledAt }: Account, holder: number): boolean {
    const isLongAgo = now() - recalledAt >= RECALL_PAUSE_MS;
    for (const [other, points] of lastLeases) if (other !== holder && (points > 0 || isLongAgo)) return true;
    return false;
  }

  /** One recall at a time: a caller that comes during a recall waits for it, and may then start another one. */
  async function recallOnce(account: Account, key: string, holder: number): Promise<void> {
    if (account.recall === null && mayRecall(account, holder))
      account.recall = recallFrom(account, key, holder).finally(() => {
        account.recall = null;
      });
    await account.recall;
  }

  return {
    async lease(holder, { key, need, wanted, returned, window }) {
      let account = open(key);
      if (window === account.window) account.leased -= returned;
      if (account.lastLeases.has(holder)) account.lastLeases.set(holder, 0);
      const isShort = () => limit - account.leased < need;
      const waits = account.recall === null ? 1 : 2;
      for (let wait = 0; wait < waits && isShort(); wait++) {
        await recallOnce(account, key, holder);
        account = open(key);
      }
      const free = limit - account.leased;
      const part = Math.ceil(free / (PARTS * holders));
      const most = account.isTight ? need : Math.max(need, wanted, part);
      const granted = isShort() ? 0 : Math.min(free, most);
      account.leased += granted;
      account.lastLeases.set(holder, granted);
      let elsewhere = 0;
      for (const [other, points] of account.lastLeases) if (other !== holder) elsewhere += points;
      const restMs = account.endsAt - now();
      return { granted, free: free - granted, elsewhere, window: account.window, restMs };
    },
  };
}
