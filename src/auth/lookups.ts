// Who a key or a token is and whose a host is, remembered for a moment: bounded in number and in time, dropped at once when any
// process changes one (store/changes.ts), and not used at all while such changes cannot be heard of.
import { LRUCache } from 'lru-cache';
import type { Logger } from '../log.ts';
import { type ApiKeyLogin, findApiKey } from '../store/api-keys.ts';
import { type Changes, listenForChanges } from '../store/changes.ts';
import { findCustomDomain, findSubdomain, type HostOwner } from '../store/hosts.ts';
import type { Store } from '../store/store.ts';

const MAX_ENTRIES = 10_000;

/** A key as it logs in; `lastUsedAt` is brought forward when a use is noted. */
type Login = Omit<ApiKeyLogin, 'scopes' | 'lastUsedAt'> & {
  readonly scopes: ReadonlySet<string>;
  lastUsedAt: Date | null;
};

export interface Lookups {
  /** The key with this SHA-256, revoked and expired ones included, or null. */
  login(tokenHash: Uint8Array): Promise<Login | null>;
  subdomain(name: string): Promise<HostOwner | null>;
  customDomain(host: string): Promise<HostOwner | null>;
  /** What `load` finds, kept under a name of its own as the others are: dropped whenever any process changes one. */
  remember<T extends object>(name: string, load: () => Promise<T | null>): Promise<T | null>;
  /** Forgets everything: this process has changed a key or a host. */
  forget(): void;
  close(): Promise<void>;
}

/**
 * Listens for changes from the first lookup on.
 * @param ttlMs how long a copy may be used at most, should a change go unheard; 0 keeps none
 */
export function createLookups(store: Store, ttlMs: number, log: Logger): Lookups {
  const memory = ttlMs === 0 ? null : new LRUCache<string, object>({ max: MAX_ENTRIES, ttl: ttlMs });
  let changes: Changes | undefined;
  let generation = 0;

  function forget(): void {
    generation += 1;
    memory?.clear();
  }

  async function remember<T extends object>(key: string, load: () => Promise<T | null>): Promise<T | null> {
    if (memory === null) return load();
    changes ??= listenForChanges({ store, log, onChange: forget });
    if (!changes.live) return load();
    const known = memory.get(key);
    if (known !== undefined) return known as T;
    const before = generation;
    const found = await load();
    // Absence is not remembered: what is made now works now. Nor is what a change has overtaken on its way here.
    if (found !== null && generation === before) memory.set(key, found);
    return found;
  }

  return {
    login: (hash) => remember(`k${Buffer.from(hash).toString('latin1')}`, () => findLogin(store, hash)),
    subdomain: (name) => remember(`s${name}`, () => findSubdomain(store, name)),
    customDomain: (host) => remember(`d${host}`, () => findCustomDomain(store, host)),
    remember: (name, load) => remember(`-${name}`, load),
    forget,
    close: async () => changes?.close(),
  };
}

async function findLogin(store: Store, hash: Uint8Array): Promise<Login | null> {
  const key = await findApiKey(store, hash);
  return key && { ...key, scopes: new Set(key.scopes) };
}
