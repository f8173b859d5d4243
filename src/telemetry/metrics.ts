// The readings that parts of the gateway report. Requests are counted one by one; everything else is read at each scrape, so it costs
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

/** Counts since the process started; `size` and `max` in the cache's own unit. */
export interface CacheReading {
  readonly hits: number;
  readonly misses: number;
  readonly size: number;
  readonly max: number;
}

/** GraphQL requests on the fast path, counted since the process started. */
export interface FastPathReading {
  readonly hits: number;
  readonly misses: number;
  /** By reason: the names are fixed. */
  readonly fallbacks: Readonly<Record<string, number>>;
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

export interface QueueReading {
  readonly running: number;
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

/** An attempt to deliver a webhook. */
interface AttemptSample {
  readonly outcome: 'delivered' | 'retried' | 'failed';
  readonly durationSeconds: number;
}

/** A webhook worker's view of deliveries. */
export interface WorkerReading {
  /** Endpoints that the worker delivers to at the moment. */
  readonly endpoints: number;
  /** Endpoints of all workers that have deliveries due, at the last look. */
  readonly dueEndpoints: number;
  /** How long the delivery that has been due longest has waited. */
  readonly oldestDueSeconds: number;
}

/** A transaction that has delayed new rows in lists for long. */
export interface HeldReading {
  /** Whether the session is the gateway's own. */
  readonly isOwn: boolean;
  readonly seconds: number;
  readonly rows: number;
}

/** The time partitions of one table. */
export interface PartitionReading {
  readonly table: string;
  readonly aheadSeconds: number;
  /** Whether rows are stored outside of them. */
  readonly hasStray: boolean;
}

/** A replica of the store. */
export interface ReplicaReading {
  /** Host, port and database. */
  readonly replica: string;
  readonly isUsed: boolean;
  readonly lagSeconds: number | null;
  readonly requests: number;
  readonly resent: number;
}

/** The code fixes all names. Registering a source again under the same name replaces the earlier one. */
export interface Metrics {
  countRequest(sample: RequestSample): void;
  watchQueue(name: string, queue: QueueReading): void;
  watchCache(name: string, read: () => CacheReading): void;
  watchConnections(kind: string, read: () => ConnectionReading): void;
  watchFastPath(read: () => FastPathReading): void;
  /** A request was refused by the rate limit with this name. */
  countRateLimited(limit: string): void;
  /** Whether rate limits are counted on the shared server. */
  watchSharedRates(isUp: () => boolean): void;
  watchLoad(read: () => LoadReading): void;
  /** Reads that were refused because they returned rows that the caller does not own. */
  watchForeignReads(read: () => number): void;
  countAttempt(sample: AttemptSample): void;
  /** An endpoint was deactivated; the reasons are a fixed list. */
  countDeactivation(reason: string): void;
  watchWorker(read: () => WorkerReading): void;
  watchLists(read: () => readonly HeldReading[]): void;
  watchReplicas(read: () => readonly ReplicaReading[]): void;
  watchPartitions(read: () => readonly PartitionReading[]): void;
  /** All of it in Prometheus' text format. */
  render(): Promise<string>;
  /** All metrics as data for another process of the gateway, which renders the sum (metrics-sum.ts). */
  snapshot(): Promise<readonly unknown[]>;
}

/** Measures nothing. */
export const noMetrics: Metrics = {
  countRequest() {},
  watchQueue() {},
  watchCache() {},
  watchConnections() {},
  watchFastPath() {},
  countRateLimited() {},
  watchSharedRates() {},
  watchLoad() {},
  watchForeignReads() {},
  countAttempt() {},
  countDeactivation() {},
  watchWorker() {},
  watchLists() {},
  watchReplicas() {},
  watchPartitions() {},
  render: async () => '',
  snapshot: async () => [],
};
