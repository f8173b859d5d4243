// The metrics whose values are read at each scrape. Pure.

/**
 * A metric of every source of a kind: its name and its help. The name of a counter ends in `_total`.
 */
export type Metric = readonly [name: string, help: string];

/** The metrics of a kind of sources. `label` is the label whose value identifies a source; absent: the kind has one source. */
export type Kind = Readonly<Record<string, Metric | string>>;

/** The metrics read at each scrape, by kind: one for each member of a source's reading. */
export const KINDS = {
  /** Work with a concurrency limit. */
  queue: {
    label: 'queue',
    running: ['gateway_queue_running', 'Slots of a queue that are in use.'],
    waiting: ['gateway_queue_waiting', 'Work that waits for a slot of a queue.'],
  },
  /** Counts since the start of the process. */
  cache: {
    label: 'cache',
    hits: ['gateway_cache_hits_total', 'Look-ups that a cache answered.'],
    misses: ['gateway_cache_misses_total', 'Look-ups that a cache did not answer.'],
    size: ['gateway_cache_size', 'Size of a cache, in its own unit.'],
    max: ['gateway_cache_max_size', 'Maximum size of a cache, in its own unit.'],
  },
  /** Connections of one kind to the database. */
  connections: {
    label: 'kind',
    open: ['gateway_db_connections', 'Open connections to the database.'],
    busy: ['gateway_db_connections_busy', 'Connections with work under way.'],
    stalled: ['gateway_db_connections_stalled', 'Connections without an answer for too long.'],
    waiting: ['gateway_db_waiting', 'Statements that wait for a connection.'],
  },
  fastPath: {
    hits: ['gateway_graphql_fast_path_hits_total', 'Operations that the fast path answered.'],
    misses: [
      'gateway_graphql_fast_path_misses_total',
      'Operations that had not been compiled yet, or cannot be.',
    ],
  },
  /** One source for each reason. */
  fallbacks: {
    label: 'reason',
    operations: [
      'gateway_graphql_fast_path_fallbacks_total',
      'Compiled operations that the full executor had to answer.',
    ],
  },
  sharedRates: {
    isUp: [
      'gateway_rate_limits_shared',
      'Whether rate limits are counted in Redis (1), or by this process for itself although REDIS_URL is set (0).',
    ],
  },
  load: {
    underWay: ['gateway_requests_under_way', 'Requests that are being answered.'],
    limit: ['gateway_requests_limit', 'How many requests may be answered at the same time.'],
    shed: [
      'gateway_requests_shed_total',
      'Requests that were refused before anything was done for them, since too many were under way.',
    ],
  },
  foreignReads: {
    refused: [
      'gateway_foreign_reads_total',
      'Reads that were refused because a statement returned rows of another tenant.',
    ],
  },
  /** A webhook worker's view of deliveries, at its last look. */
  worker: {
    endpoints: ['gateway_webhook_lanes', 'Endpoints that this process delivers to at the moment.'],
    dueEndpoints: ['gateway_webhook_due_endpoints', 'Endpoints of all processes that have deliveries due.'],
    oldestDueSeconds: [
      'gateway_webhook_oldest_due_seconds',
      'How long the delivery that has been due longest has waited, of all processes; not where the endpoint fails.',
    ],
  },
  /** The transactions of one kind of holder. */
  lists: {
    label: 'holder',
    seconds: [
      'gateway_lists_held_seconds',
      'Age of the oldest transaction that delays new rows in lists; 0 if none has run for long.',
    ],
    rows: [
      'gateway_lists_held_rows',
      'Ids drawn since such a transaction drew its first one: at most as many rows are not listed yet.',
    ],
  },
  replica: {
    label: 'replica',
    isUsed: ['gateway_replica_used', '1 while a replica is read, 0 while it is left out.'],
    lagSeconds: [
      'gateway_replica_lag_seconds',
      'How far a replica is behind the primary at most; absent where that is not known.',
    ],
    requests: ['gateway_replica_requests_total', 'Requests whose reads a replica answered.'],
    resent: [
      'gateway_replica_resent_total',
      'Reads of a replica that failed there, and were sent again to the primary.',
    ],
  },
  /** The time partitions of one table. */
  partitions: {
    label: 'table',
    aheadSeconds: ['gateway_partitions_ahead_seconds', 'How far ahead partitions exist.'],
    hasStray: [
      'gateway_partitions_stray',
      '1 if the default partition has rows although there are partitions for earlier ones.',
    ],
  },
} as const satisfies Readonly<Record<string, Kind>>;

/** The reading of a source of each kind; null for a metric without a value. */
export type Readings = {
  readonly [Name in keyof typeof KINDS]: {
    readonly [Member in Exclude<keyof (typeof KINDS)[Name], 'label'>]: Member extends
      | `is${string}`
      | `has${string}`
      ? boolean
      : number | null;
  };
};
