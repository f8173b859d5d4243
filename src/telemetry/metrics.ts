// What the parts of the gateway report to whoever measures it. Requests are counted one by one; all else is read when it is asked for,
// so that it costs nothing in between. Pure; prometheus.ts has the numbers.
import type { Endpoint } from './request-facts.ts';

/** An answered request. */
interface RequestSample {
  readonly method: string;
  readonly endpoint: Endpoint;
  readonly status: number;
  readonly durationSeconds: number;
  /** Why it was refused; null where it was not. */
  readonly code: string | null;
}

/** Counted since the process started; `size` and `max` in the cache's own unit. */
export interface CacheReading {
  readonly hits: number;
  readonly misses: number;
  readonly size: number;
  readonly max: number;
}

/** Of GraphQL requests that were looked up in the fast path, since the process started. */
export interface FastPathReading {
  readonly hits: number;
  readonly misses: number;
  /** By reason: the names are fixed. */
  readonly fallbacks: Readonly<Record<string, number>>;
}

/** Connections of one kind to the database. */
export interface ConnectionReading {
  readonly open: number;
  /** Of the open ones: executing something, or with a result pending. */
  readonly busy: number;
  /** Of the open ones: silent for too long. */
  readonly stalled: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
}

interface QueueReading {
  readonly running: number;
  readonly waiting: number;
}

/** Requests of clients. */
export interface LoadReading {
  readonly underWay: number;
  /** How many may be under way at the moment. */
  readonly limit: number;
  /** Refused before anything was done for them, since the process started. */
  readonly shed: number;
}

/** An attempt to deliver a webhook. */
interface AttemptSample {
  readonly outcome: 'delivered' | 'retried' | 'failed';
  readonly durationSeconds: number;
}

/** What a worker knows of deliveries. */
export interface WorkerReading {
  /** Endpoints that it delivers to at the moment. */
  readonly lanes: number;
  /** Endpoints that have something due, of all workers; as it was when it looked last. */
  readonly dueEndpoints: number;
  /** How long the delivery that has been due longest has waited. */
  readonly oldestDueSeconds: number;
}

/** A transaction that holds lists up for long. */
export interface HeldReading {
  /** A session of the gateway's own. */
  readonly isOwn: boolean;
  readonly seconds: number;
  readonly rows: number;
}

/** The partitions by time of one table. */
export interface PartitionReading {
  readonly table: string;
  readonly aheadSeconds: number;
  /** Whether rows stand beside them. */
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

/** Names are fixed by the code. A source that is registered again under its name replaces the earlier one. */
export interface Metrics {
  countRequest(sample: RequestSample): void;
  watchQueue(name: string, queue: QueueReading): void;
  watchCache(name: string, read: () => CacheReading): void;
  watchConnections(kind: string, read: () => ConnectionReading): void;
  watchFastPath(read: () => FastPathReading): void;
  /** A request was refused by the rate limit with this name. */
  countRateLimited(limit: string): void;
  /** Whether rate limits are counted where processes share them. */
  watchSharedRates(isUp: () => boolean): void;
  watchLoad(read: () => LoadReading): void;
  /** Reads that were refused because they had rows which were not the caller's. */
  watchForeignReads(read: () => number): void;
  countAttempt(sample: AttemptSample): void;
  /** An endpoint was deactivated, for one of a fixed list of reasons. */
  countDeactivation(reason: string): void;
  watchWorker(read: () => WorkerReading): void;
  watchLists(read: () => readonly HeldReading[]): void;
  watchReplicas(read: () => readonly ReplicaReading[]): void;
  watchPartitions(read: () => readonly PartitionReading[]): void;
  /** All of it in Prometheus' text format. */
  render(): Promise<string>;
  /** All of it as data that can be sent to another process of the gateway, which renders the sum (metrics-sum.ts). */
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
