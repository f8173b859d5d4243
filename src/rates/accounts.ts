// The accounts of one rate limit for several processes of a gateway. Each leases points of a key in small amounts, and spends them
// without asking; where too few are left, what the others have not spent is recalled first. So no more than the limit is ever spent in a
// window, and all of it can be spent by whoever asks. Knows nothing of how processes talk to each other.
import { LRUCache } from 'lru-cache';
import type { CounterOptions } from './counter.ts';

/** What a process asks for. */
export interface LeaseRequest {
  readonly limit: string;
  readonly key: string;
  /** Less is of no use. */
  readonly need: number;
  /** What those who wait in the process want together. */
  readonly wanted: number;
  /** What the process has not spent of an earlier lease, and the window that it is of. */
  readonly returned: number;
  readonly window: number;
}

/** What it gets. */
export interface Lease {
  /** Points; with 0 what was needed is refused, unless that was 0. */
  readonly granted: number;
  /** Points that nobody has leased. */
  readonly free: number;
  /** Points at most that other processes have leased and not spent. */
  readonly elsewhere: number;
  /** The window of the key that they are of, and how long it still is. */
  readonly window: number;
  readonly restMs: number;
}

/** Asks a process for the points of a key and window that it has not spent; 0 when it is gone. */
type Recall = (holder: number, limit: string, key: string, window: number) => Promise<number>;

export interface Accounts {
  /** Leases points to a process. */
  lease(holder: number, request: LeaseRequest): Promise<Lease>;
}

interface AccountsOptions extends CounterOptions {
  /** How many processes lease. */
  readonly holders: number;
  readonly recall: Recall;
  /** Milliseconds of a clock that is never set. */
  readonly now?: () => number;
  readonly maxKeys?: number;
}

interface Account {
  readonly window: number;
  readonly endsAt: number;
  /** Points that are leased, or spent. */
  leased: number;
  /** The processes that have leased in this window, and how much the last time: no more can be unspent there, but what was given back. */
  readonly lastLeases: Map<number, number>;
  /** Everything had to be recalled: what is leased from then on is spent at once, lest it lies elsewhere when a recall is over. */
  isTight: boolean;
  /** When the processes were last asked for what they have not spent. */
  recalledAt: number;
  /** While they are asked. */
  recall: Promise<void> | null;
}

/** So many keys are counted at a time; of more, the least recently asked for is forgotten. */
const MAX_KEYS = 20_000;
/** A lease is so small a part of what is left for each process: in the worst case that much is lost with a process that is killed. */
const PARTS = 8;
/** A process that does not answer so long keeps what it has, and is not asked again before its next lease. */
const RECALL_MS = 1_000;
/** Where nothing was leased since the processes were asked, they are not asked again so soon: at most points were given back. */
const RECALL_PAUSE_MS = 100;

/** Creates the accounts of one limit. */
export function createAccounts(options: AccountsOptions): Accounts {
  const { name, limit, windowSeconds, holders, recall, now = () => performance.now() } = options;
  const accounts = new LRUCache<string, Account>({ max: options.maxKeys ?? MAX_KEYS });
  let windows = 0;

  /** The account of a key in its window. A window begins with the first request of its key. */
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

  /** Until every other process has returned what it has not spent, or had time to. */
  async function recallFrom(account: Account, key: string, holder: number): Promise<void> {
    account.isTight = true;
    account.recalledAt = now();
    const others = [...account.lastLeases.keys()].filter((other) => other !== holder);
    const answered = new Set<number>();
    const returns = others.map(async (other) => {
      // What comes late counts as well.
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

  /** One recall at a time: who comes during one waits for it, and then for one that has begun later. */
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
