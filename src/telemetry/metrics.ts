// What parts of the gateway report. Requests and attempts are counted one by one; everything else is read at each scrape, so it costs
// nothing in between. Pure; prometheus.ts has the numbers.
import type { Endpoint } from './request-facts.ts';

/** An answered request. */
interface RequestSample {
  readonly method: string;
  readonly endpoint: Endpoint;
  readonly status: number;
  readonly durationSeconds: number;
  /** The error code; null when it was not refused. */
  readonly code: string | null;
}

/** Connections of one kind to the database. */
export interface ConnectionReading {
  readonly open: number;
  /** Open connections that are executing a statement or have a result pending. */
  readonly busy: number;
  /** Open connections that have been silent for too long. */
  readonly stalled: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
}

/** Requests of clients. */
export interface LoadReading {
  readonly underWay: number;
  /** How many may be under way. */
  readonly limit: number;
  /** Refused before anything was done for them, since the process started. */
  readonly shed: number;
}

/** What is read at each scrape, by kind. */
export interface Readings {
  readonly queue: { readonly running: number; readonly waiting: number };
  /** Counts since the process started; `size` and `max` in the cache's own unit. */
  readonly cache: {
    readonly hits: number;
    readonly misses: number;
    readonly size: number;
    readonly max: number;
  };
  readonly connections: ConnectionReading;
  /** GraphQL requests on the fast path, counted since the process started. */
  readonly fastPath: { readonly hits: number; readonly misses: number };
  /** Those that the fast path left to the full executor, for one reason. */
  readonly fallbacks: { readonly operations: number };
  /** Whether rate limits are counted on the shared server. */
  readonly sharedRates: { readonly isUp: boolean };
  readonly load: LoadReading;
  /** Reads that were refused because they returned rows that the caller does not own. */
  readonly foreignReads: { readonly refused: number };
  /** A webhook worker's view of deliveries. */
  readonly worker: {
    /** Endpoints that the worker delivers to at the moment. */
    readonly endpoints: number;
    /** Endpoints of all workers that have deliveries due, at the last look. */
    readonly dueEndpoints: number;
    /** How long the delivery that has been due longest has waited. */
    readonly oldestDueSeconds: number;
  };
  /** The transactions of one kind of holder that have delayed new rows in lists for long. */
  readonly lists: { readonly seconds: number; readonly rows: number };
  /** A replica of the store. */
  readonly replica: {
    readonly isUsed: boolean;
    readonly lagSeconds: number | null;
    readonly requests: number;
    readonly resent: number;
  };
  /** The time partitions of one table. */
  readonly partitions: {
    readonly aheadSeconds: number;
    /** Whether rows are stored outside of them. */
    readonly hasStray: boolean;
  };
}

/** An attempt to deliver a webhook. */
interface AttemptSample {
  readonly outcome: 'delivered' | 'retried' | 'failed';
  readonly durationSeconds: number;
}

/** The code fixes all names. */
export interface Metrics {
  countRequest(sample: RequestSample): void;
  /** A request was refused by the rate limit with this name. */
  countRateLimited(limit: string): void;
  countAttempt(sample: AttemptSample): void;
  /** An endpoint was deactivated; the reasons are a fixed list. */
  countDeactivation(reason: string): void;
  /**
   * Reads something at each scrape. Watching again under the same name replaces the earlier source.
   * @param name which one of its kind it is; empty for a kind that there is one of
   * @param read null where there is nothing to say now
   */
  watch<Kind extends keyof Readings>(kind: Kind, name: string, read: () => Readings[Kind] | null): void;
  /** All of it in Prometheus' text format. */
  render(): Promise<string>;
  /** All metrics as data for another process of the gateway, which renders the sum (metrics-sum.ts). */
  snapshot(): Promise<readonly unknown[]>;
}

/** Measures nothing. */
export const noMetrics: Metrics = {
  countRequest() {},
  countRateLimited() {},
  countAttempt() {},
  countDeactivation() {},
  watch() {},
  render: async () => '',
  snapshot: async () => [],
};
