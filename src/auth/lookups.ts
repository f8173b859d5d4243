// A cache of API keys, access tokens and hosts, bounded in number, bytes and time. A change of one of them by any process clears it
// (store/changing/change-listener.ts), and it is not used while notifications of changes cannot arrive. Clients can cause changes as often
// as they like, for example by revoking their tokens: so it is cleared at once, but then not again for a short time.
import { setTimeout as sleep } from 'node:timers/promises';
import { serialize } from 'node:v8';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../output/log.ts';
import { type ApiKeyLogin, findApiKey } from '../store/accounts/api-keys.ts';
import { findCustomDomain, findSubdomain } from '../store/accounts/hosts.ts';
import { type ChangeListener, listenForChanges } from '../store/changing/change-listener.ts';
import type { Store } from '../store/store.ts';
import type { Metrics } from '../telemetry/metrics.ts';

const MAX_ENTRIES = 10_000;
const MAX_BYTES = 32 * 2 ** 20;
/** The minimum time between two clearings: a change takes effect after this time at the latest. */
const CLEAR_INTERVAL_MS = 250;

/** A key as authentication needs it. Storing a use also updates `lastUsedAt` here. */
type Login = Omit<ApiKeyLogin, 'scopes' | 'lastUsedAt'> & {
  readonly scopes: ReadonlySet<string>;
  lastUsedAt: Date | null;
};

export type Lookups = ReturnType<typeof createLookups>;

/**
 * Listens for changes from the first lookup on.
 * @param ttlMs the maximum age of an entry, in case a notification is lost; 0 caches nothing
 */
export function createLookups(store: Store, ttlMs: number, log: Logger, metrics: Metrics) {
  const memory =
    ttlMs === 0
      ? null
      : new LRUCache<string, object>({
          max: MAX_ENTRIES,
          ttl: ttlMs,
          maxSize: MAX_BYTES,
          sizeCalculation: sizeOf,
        });
  let changes: ChangeListener | undefined;
  let generation = 0;
  let hits = 0;
  let misses = 0;
  metrics.watch('cache', 'lookups', () => ({ hits, misses, size: memory?.size ?? 0, max: MAX_ENTRIES }));

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

  async function clearAndWait(): Promise<void> {
    if (memory === null) return;
    const waitMs = clearedAt + CLEAR_INTERVAL_MS - performance.now();
    if (next === null && waitMs <= 0) {
      clear();
      return;
    }
    next ??= clearAfter(waitMs);
    await next;
  }

  async function getOrLoad<T extends object>(key: string, load: () => Promise<T | null>): Promise<T | null> {
    if (memory === null) return load();
    changes ??= listenForChanges({
      store,
      log,
      onChange: () => void clearAndWait(),
      onInterruption() {
        clear();
        // Behind a pooler, this is the only sign that the database was restarted.
        store.highWaterMarks.forget();
      },
    });
    const cached = changes.live ? memory.get(key) : undefined;
    if (cached !== undefined) {
      hits += 1;
      return cached as T;
    }
    misses += 1;
    if (!changes.live) return load();
    const before = generation;
    const found = await load();
    // Absence is not cached, so that a new key or host works at once. Nor is a row that was read before a change that has arrived since.
    if (found !== null && generation === before) memory.set(key, found);
    return found;
  }

  return {
    /** The key with this SHA-256, revoked and expired ones included, or null. */
    login: (hash: Uint8Array) =>
      getOrLoad(`k${Buffer.from(hash).toString('latin1')}`, () => findLogin(store, hash)),
    subdomain: (name: string) => getOrLoad(`s${name}`, () => findSubdomain(store, name)),
    /** The same for a subdomain that is not assigned any more: its absence is cached too. */
    reservedSubdomain: async (name: string) =>
      (await getOrLoad(`r${name}`, async () => ({ owner: await findSubdomain(store, name) })))?.owner ?? null,
    customDomain: (host: string) => getOrLoad(`d${host}`, () => findCustomDomain(store, host)),
    /** The result of `load`, cached by name like the others. Null is not cached. */
    remember: <T extends object>(name: string, load: () => Promise<T | null>) => getOrLoad(`-${name}`, load),
    /** Clears the cache after a change by this process. Resolves when no older entry is used any more. */
    forget: clearAndWait,
    /** Resolves when a pending clearing is done: for a retried request whose change an earlier request has made already. */
    settle: async (): Promise<void> => void (await next),
    close: async () => changes?.close(),
  };
}

/** The approximate memory of an entry, in bytes: a token may name very many workspaces. */
function sizeOf(entry: object): number {
  return 1_000 + 4 * serialize(entry).length;
}

async function findLogin(store: Store, hash: Uint8Array): Promise<Login | null> {
  const key = await findApiKey(store, hash);
  return key && { ...key, scopes: new Set(key.scopes) };
}
