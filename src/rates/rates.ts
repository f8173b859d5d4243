// The rate limits of a process, and the addresses that are close to their limit.
import type { RateLimits } from '../config/rates.ts';
import type { Logger } from '../output/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type BusyAddresses, createBusyAddresses } from './busy-addresses.ts';
import { type ByLimit, type Counter, createCounter, ofLimits } from './counter.ts';
import type { SharedCounts } from './shared-counts.ts';

/** The limits; null: not configured. */
export interface Rates extends ByLimit<Counter | null> {
  readonly busy: BusyAddresses;
  /** Connects to the shared counts, if configured. */
  connect(): Promise<void>;
  close(): Promise<void>;
}

interface RatesOptions {
  readonly limits: RateLimits;
  /** The server for shared counts; undefined: each process counts by itself. */
  readonly redisUrl: string | undefined;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** The name of a key on the shared server. */
  readonly nameOf: (key: string) => string;
}

/** Creates the limits. They count in memory until `connect` has succeeded, and while the shared server does not answer. */
export function createRates({ limits, redisUrl, log, metrics, nameOf }: RatesOptions): Rates {
  const { windowSeconds } = limits;
  const counters = ofLimits((name) =>
    limits[name] === 0 ? null : createCounter({ name, limit: limits[name], windowSeconds }),
  );
  let connecting: Promise<SharedCounts> | undefined;

  async function load(url: string): Promise<SharedCounts> {
    const { createSharedCounts } = await import('./shared-counts.ts');
    const shared = createSharedCounts({ url, log, nameOf });
    metrics.watch('sharedRates', '', () => shared);
    for (const counter of Object.values(counters)) counter?.use(shared.limit);
    return shared;
  }

  return {
    ...counters,
    busy: createBusyAddresses(windowSeconds * 1_000),
    async connect() {
      if (redisUrl === undefined) return;
      connecting ??= load(redisUrl);
      await connecting;
    },
    close: async () => (await connecting)?.close(),
  };
}
