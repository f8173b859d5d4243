// The rate limits of a process, and what it remembers of addresses that are close to theirs.
import type { RateLimits } from '../config/rates.ts';
import type { Logger } from '../output/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type BusyAddresses, createBusyAddresses } from './busy-addresses.ts';
import { type Counter, type CounterOptions, createCounter } from './counter.ts';
import { createLeasedCounter, type LeasedCounter, type PointSource } from './leased-counter.ts';
import type { SharedCounts } from './shared-counts.ts';

/** null: there is no such limit. */
export interface Rates {
  /** By API key. */
  readonly key: Counter | null;
  /** By OAuth client and whom it acts for. */
  readonly client: Counter | null;
  readonly team: Counter | null;
  /** By the network of an address, of requests without valid credentials. */
  readonly address: Counter | null;
  readonly busy: BusyAddresses;
  /** Connects to where processes share their counts, if they do. */
  connect(): Promise<void>;
  close(): Promise<void>;
}

interface RatesOptions {
  readonly limits: RateLimits;
  /** Where processes share their counts; undefined: each counts by itself. */
  readonly redisUrl: string | undefined;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** What a key is called where it is shared. */
  readonly nameOf: (key: string) => string;
  /** Where the processes of one gateway lease points, unless `redisUrl` is set; undefined: there is one process. */
  readonly leases?: Leases | undefined;
}

/** The other side of a process's leases. */
export interface Leases extends PointSource {
  /** Has a process asked for the points that it has not spent. */
  onRecall(giveUp: (limit: string, key: string, window: number) => number): void;
}

/** Creates the limits. They count in memory until `connect` has succeeded, and whenever what it connects to does not answer. */
export function createRates({ limits, redisUrl, log, metrics, nameOf, leases }: RatesOptions): Rates {
  const { windowSeconds } = limits;
  const create = (name: 'key' | 'client' | 'team' | 'address') =>
    limits[name] === 0 ? null : count({ name, limit: limits[name], windowSeconds });
  const leased = new Map<string, LeasedCounter>();
  const count = (options: CounterOptions): Counter => {
    if (leases === undefined || redisUrl !== undefined) return createCounter(options);
    const counter = createLeasedCounter(options, leases);
    leased.set(options.name, counter);
    return counter;
  };
  leases?.onRecall((limit, key, window) => leased.get(limit)?.giveUp(key, window) ?? 0);
  const counters = {
    key: create('key'),
    client: create('client'),
    team: create('team'),
    address: create('address'),
  };
  let connecting: Promise<SharedCounts> | undefined;
  let isClosed = false;

  async function load(url: string): Promise<SharedCounts> {
    const { createSharedCounts } = await import('./shared-counts.ts');
    const shared = createSharedCounts({ url, log, nameOf });
    metrics.watchSharedRates(() => shared.isUp);
    for (const counter of Object.values(counters)) counter?.use(shared.limiter);
    return shared;
  }

  return {
    ...counters,
    busy: createBusyAddresses(windowSeconds * 1_000),
    async connect() {
      if (redisUrl === undefined || isClosed) return;
      connecting ??= load(redisUrl);
      await connecting;
    },
    async close() {
      isClosed = true;
      (await connecting)?.close();
    },
  };
}
