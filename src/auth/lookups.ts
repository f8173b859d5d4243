// A cache of API keys, access tokens and hosts. It is bounded in number and time, cleared when any process changes one of them
// (store/changing/change-listener.ts), and not used while the notifications of such changes cannot arrive. Clients can make such changes as often
// as they like, such as revoking their own tokens: so it is cleared at once, but then not again for a moment.
import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../output/log.ts';
import { type ApiKeyLogin, findApiKey } from '../store/accounts/api-keys.ts';
import { findCustomDomain, findSubdomain, type HostOwner } from '../store/accounts/hosts.ts';
import { type ChangeListener, listenForChanges } from '../store/changing/change-listener.ts';
import type { Store } from '../store/store.ts';
import type { Metrics } from '../telemetry/metrics.ts';

const MAX_ENTRIES = 10_000;
/** The least time between two clearings: a change is heeded after so long at most. */
const CLEAR_INTERVAL_MS = 250;

/** A key as authentication needs it; `lastUsedAt` is set here too when a use is written. */
type Login = Omit<ApiKeyLogin, 'scopes' | 'lastUsedAt'> & {
  readonly scopes: ReadonlySet<string>;
  lastUsedAt: Date | null;
};

export interface Lookups {
  /** The key with this SHA-256, revoked and expired ones included, or null. */
  login(tokenHash: Uint8Array): Promise<Login | null>;
  subdomain(name: string): Promise<HostOwner | null>;
  customDomain(host: string): Promise<HostOwner | null>;
  /** What `load` finds, cached by name as the others are. That there is nothing is not cached. */
  remember<T extends object>(name: string, load: () => Promise<T | null>): Promise<T | null>;
  /** Clears the cache: this process has changed something that is in it. Resolves when nothing of before is used any more. */
  forget(): Promise<void>;
  /** Resolves when nothing is used any more that was changed before: for a change that another one, which is not heeded yet, has made already. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Listens for changes from the first lookup on.
 * @param ttlMs how long an entry may be used at most, should a notification be lost; 0 caches nothing
 */
export function createLookups(store: Store, ttlMs: number, log: Logger, metrics: Metrics): Lookups {
  const memory = ttlMs === 0 ? null : new LRUCache<string, object>({ max: MAX_ENTRIES, ttl: ttlMs });
  let changes: ChangeListener | undefined;
  let generation = 0;
  let hits = 0;
  let misses = 0;
  metrics.watchCache('lookups', () => ({ hits, misses, size: memory?.size ?? 0, max: MAX_ENTRIES }));

  let clearedAt = Number.NEGATIVE_INFINITY;
  let next: Promise<void> | null = null;

  function clear(): void {
    generation += 1;
    memory?.clear();
    clearedAt = performance.now();
  }

  async function clearAfter(ms: number): Promise<void> {
    await sleep(ms);
    next = null;
    clear();
  }

  async function forget(): Promise<void> {
    if (memory === null) return;
    const waitMs = clearedAt + CLEAR_INTERVAL_MS - performance.now();
    if (next === null && waitMs <= 0) {
      clear();
      return;
    }
    next ??= clearAfter(waitMs);
    await next;
  }

  async function remember<T extends object>(key: string, load: () => Promise<T | null>): Promise<T | null> {
    if (memory === null) return load();
    changes ??= listenForChanges({
      store,
      log,
      onChange: () => void forget(),
      onInterruption() {
        clear();
        // Behind a pooler nothing else tells that the database was started anew.
        store.horizons.forget();
      },
    });
    const known = changes.live ? memory.get(key) : undefined;
    if (known !== undefined) {
      hits += 1;
      return known as T;
    }
    misses += 1;
    if (!changes.live) return load();
    const before = generation;
    const found = await load();
    // Absence is not cached: what is created now works now. Nor is what was read before a change that arrived meanwhile.
    if (found !== null && generation === before) memory.set(key, found);
    return found;
  }

  return {
    login: (hash) => remember(`k${Buffer.from(hash).toString('latin1')}`, () => findLogin(store, hash)),
    subdomain: (name) => remember(`s${name}`, () => findSubdomain(store, name)),
    customDomain: (host) => remember(`d${host}`, () => findCustomDomain(store, host)),
    remember: (name, load) => remember(`-${name}`, load),
    forget,
    settle: async () => void (await next),
    close: async () => changes?.close(),
  };
}

async function findLogin(store: Store, hash: Uint8Array): Promise<Login | null> {
  const key = await findApiKey(store, hash);
  return key && { ...key, scopes: new Set(key.scopes) };
}
