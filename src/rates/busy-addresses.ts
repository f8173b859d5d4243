// Remembers networks that have used up most of their limit for requests without valid credentials, and the credentials that have been
// valid from there since. So other users behind the same address can continue: credentials that were valid before the network reached the
// limit are still checked. The memory is bounded, and empty unless a network is misused, so it costs nothing otherwise.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const MAX_NETWORKS = 20_000;
const MAX_CREDENTIALS = 20_000;
/** The used share of the limit from which on credentials are remembered. */
const BUSY_SHARE = 0.5;

export interface BusyAddresses {
  /** Whether any network is remembered. */
  readonly any: boolean;
  /** Remembers a network, with the rest of its limit. */
  remember(network: string, reading: { limit: number; remaining: number; resetMs: number }): void;
  has(network: string): boolean;
  /** Remembers whether credentials (the value of `Authorization`) were valid from a network. */
  trust(network: string, credentials: string, isValid: boolean): void;
  isTrusted(network: string, credentials: string): boolean;
  /** Milliseconds until a network with nothing left may send again; 0: now. */
  waitMs(network: string): number;
}

/** @param windowMs the window of the limit */
export function createBusyAddresses(windowMs: number): BusyAddresses {
  /** The end of each network's window, and whether nothing is left in it. */
  const networks = new LRUCache<string, { readonly endsAt: number; readonly isEmpty: boolean }>({
    maxSize: MAX_NETWORKS,
    sizeCalculation: () => 1,
  });
  const trusted = new LRUCache<string, true>({ maxSize: MAX_CREDENTIALS, sizeCalculation: () => 1 });
  let lastEnd = 0;

  /** A hash: no credential is kept in memory. */
  const keyOf = (network: string, credentials: string) =>
    hash('sha256', `${network} ${credentials}`, 'base64url');

  return {
    get any() {
      if (networks.size > 0 && lastEnd <= performance.now()) {
        networks.clear();
        trusted.clear();
      }
      return networks.size > 0;
    },
    remember(network, { limit, remaining, resetMs }) {
      if (remaining > limit * (1 - BUSY_SHARE)) return;
      const now = performance.now();
      networks.set(network, { endsAt: now + resetMs, isEmpty: remaining === 0 });
      // Trust outlives the window: an attacker who floods in one window will do so in the next.
      lastEnd = Math.max(lastEnd, now + resetMs + windowMs);
    },
    has: (network) => networks.has(network),
    trust(network, credentials, isValid) {
      if (isValid) trusted.set(keyOf(network, credentials), true);
      else trusted.delete(keyOf(network, credentials));
    },
    isTrusted: (network, credentials) => trusted.has(keyOf(network, credentials)),
    waitMs(network) {
      const entry = networks.get(network);
      return entry?.isEmpty ? Math.max(0, entry.endsAt - performance.now()) : 0;
    },
  };
}
