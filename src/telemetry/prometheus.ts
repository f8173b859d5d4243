// The metrics in Prometheus' text format, over prom-client. Loaded only if METRICS_PORT is set. docs/observability.md documents every
// name; a test compares them.
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type {
  CacheReading,
  ConnectionReading,
  FastPathReading,
  HeldReading,
  LoadReading,
  Metrics,
  PartitionReading,
  QueueReading,
  ReplicaReading,
} from './metrics.ts';
import { createScraped, createWatch } from './scraped.ts';
import { createWebhooks } from './webhook-metrics.ts';

/** Seconds: a page takes about a millisecond, and the request deadline is 30 s by default. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The methods that have a label of their own (RFC 9110 §9.3, RFC 5789). */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Codes come from our own lists and from libraries; this bounds their number in any case. */
const MAX_CODES = 100;
const OTHER = 'other';

/** The registry for new metrics, in prom-client's form. */
type Registers = Registry[];

/** Creates metrics with a registry of their own. */
export function createPrometheus(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Removes gauges that are named like counters, which promtool rejects; those without `_total` have the same numbers by type.
  for (const kind of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  const registers = [registry];
  return {
    countRequest: createRequests(registers),
    countRateLimited: createRateLimited(registers),
    ...createReadings(registers),
    ...createWebhooks(registers),
    render: () => registry.metrics(),
    snapshot: () => registry.getMetricsAsJSON(),
  };
}

function createRequests(registers: Registers): Metrics['countRequest'] {
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Answered requests.',
    labelNames: ['method', 'route', 'operation', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request until its answer was made.',
    labelNames: ['method', 'route', 'operation'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const refusals = new Counter({
    name: 'gateway_refusals_total',
    help: 'Refused requests, GraphQL errors inside a 200 included, by the code of the first error.',
    labelNames: ['route', 'code'],
    registers,
  });
  const codes = new Set<string>();

  function toCode(code: string): string {
    if (codes.has(code)) return code;
    if (codes.size >= MAX_CODES) return OTHER;
    codes.add(code);
    return code;
  }

  return ({ method: sent, endpoint: { route, operation }, status, durationSeconds, code }) => {
    const method = METHODS.has(sent) ? sent : OTHER;
    requests.inc({ method, route, operation, status });
    durations.observe({ method, route, operation }, durationSeconds);
    if (code !== null) refusals.inc({ route, code: toCode(code) });
  };
}

function createRateLimited(registers: Registers): Metrics['countRateLimited'] {
  const refused = new Counter({
    name: 'gateway_rate_limited_total',
    help: 'Requests that a rate limit refused, by the limit.',
    labelNames: ['limit'],
    registers,
  });
  // Initialized, so that they exist before the first refusal.
  for (const limit of ['key', 'client', 'team', 'address']) refused.inc({ limit }, 0);
  return (limit) => refused.inc({ limit });
}

/** What is read at each scrape. */
function createReadings(registers: Registers) {
  const alone = <Reading>(reading: Reading) => [['', reading] as const];
  const shed = 'Requests that were refused before anything was done for them, since too many were under way.';
  const shared =
    'Whether rate limits are counted in Redis (1), or by this process for itself although REDIS_URL is set (0).';
  const watchSharedRates = createWatch<boolean | null>(
    registers,
    {
      aggregator: 'min',
      gauges: [['gateway_rate_limits_shared', shared, (isUp) => (isUp === null ? null : Number(isUp))]],
    },
    alone,
  );
  // Without REDIS_URL there is no such server.
  watchSharedRates(() => null);
  return {
    ...createNamedSources(registers),
    ...createFastPath(registers),
    watchSharedRates,
    watchLoad: createWatch<LoadReading>(
      registers,
      {
        gauges: [
          ['gateway_requests_under_way', 'Requests that are being answered.', ({ underWay }) => underWay],
          [
            'gateway_requests_limit',
            'How many requests may be answered at the same time.',
            ({ limit }) => limit,
          ],
        ],
        counters: [['gateway_requests_shed_total', shed, ({ shed }) => shed]],
      },
      alone,
    ),
    watchForeignReads: createWatch<number>(
      registers,
      {
        counters: [
          [
            'gateway_foreign_reads_total',
            'Reads that were refused because a statement returned rows of another tenant.',
            (count) => count,
          ],
        ],
      },
      alone,
    ),
    watchLists: createLists(registers),
    watchReplicas: createReplicas(registers),
    watchPartitions: createWatch<readonly PartitionReading[], PartitionReading>(
      registers,
      {
        label: 'table',
        gauges: [
          ['gateway_partitions_ahead_seconds', 'How far ahead partitions exist.', (of) => of.aheadSeconds],
          [
            'gateway_partitions_stray',
            '1 if the default partition has rows although there are partitions for earlier ones.',
            ({ hasStray }) => Number(hasStray),
          ],
        ],
      },
      (readings) => readings.map((reading) => [reading.table, reading]),
    ),
  };
}

/** Sources that a label names; each is registered by its name. */
function createNamedSources(registers: Registers) {
  function watch<Reading>(label: string, parts: Parameters<typeof createScraped<Reading>>[1]) {
    const sources = new Map<string, () => Reading>();
    createScraped(registers, { ...parts, label }, () =>
      [...sources].map(([name, read]) => [name, read()] as const),
    );
    return (name: string, read: () => Reading) => void sources.set(name, read);
  }
  const watchQueue = watch<QueueReading>('queue', {
    gauges: [
      ['gateway_queue_running', 'Slots of a queue that are in use.', ({ running }) => running],
      ['gateway_queue_waiting', 'Work that waits for a slot of a queue.', ({ waiting }) => waiting],
    ],
  });
  return {
    watchQueue: (name: string, queue: QueueReading) => watchQueue(name, () => queue),
    watchCache: watch<CacheReading>('cache', {
      counters: [
        ['gateway_cache_hits_total', 'Look-ups that a cache answered.', ({ hits }) => hits],
        ['gateway_cache_misses_total', 'Look-ups that a cache did not answer.', ({ misses }) => misses],
      ],
      gauges: [
        ['gateway_cache_size', 'Size of a cache, in its own unit.', ({ size }) => size],
        ['gateway_cache_max_size', 'Maximum size of a cache, in its own unit.', ({ max }) => max],
      ],
    }),
    watchConnections: watch<ConnectionReading>('kind', {
      gauges: [
        ['gateway_db_connections', 'Open connections to the database.', ({ open }) => open],
        ['gateway_db_connections_busy', 'Connections with work under way.', ({ busy }) => busy],
        ['gateway_db_connections_stalled', 'Connections without an answer for too long.', (of) => of.stalled],
        ['gateway_db_waiting', 'Statements that wait for a connection.', ({ waiting }) => waiting],
      ],
    }),
  };
}

function createFastPath(registers: Registers): Pick<Metrics, 'watchFastPath'> {
  const hits = 'Operations that the fast path answered.';
  const misses = 'Operations that had not been compiled yet, or cannot be.';
  const fallbacks = 'Compiled operations that the full executor had to answer.';
  const watchCounts = createWatch<FastPathReading>(
    registers,
    {
      counters: [
        ['gateway_graphql_fast_path_hits_total', hits, (of) => of.hits],
        ['gateway_graphql_fast_path_misses_total', misses, (of) => of.misses],
      ],
    },
    (reading) => [['', reading]],
  );
  const watchFallbacks = createWatch<FastPathReading, number>(
    registers,
    {
      label: 'reason',
      counters: [['gateway_graphql_fast_path_fallbacks_total', fallbacks, (count) => count]],
    },
    (reading) => Object.entries(reading.fallbacks),
  );
  return {
    watchFastPath(read) {
      watchCounts(read);
      watchFallbacks(read);
    },
  };
}

/** Transactions that delay new rows in lists; zeros in a process that does not watch lists. */
function createLists(registers: Registers): Metrics['watchLists'] {
  const seconds = 'Age of the oldest transaction that delays new rows in lists; 0 if none has run for long.';
  const rows =
    'Ids drawn since such a transaction drew its first one: at most as many rows are not listed yet.';
  const watch = createWatch<readonly HeldReading[], readonly HeldReading[]>(
    registers,
    {
      label: 'holder',
      aggregator: 'max',
      gauges: [
        ['gateway_lists_held_seconds', seconds, (held) => Math.max(0, ...held.map((one) => one.seconds))],
        ['gateway_lists_held_rows', rows, (held) => Math.max(0, ...held.map((one) => one.rows))],
      ],
    },
    (held) => [
      ['own', held.filter(({ isOwn }) => isOwn)],
      ['foreign', held.filter(({ isOwn }) => !isOwn)],
    ],
  );
  watch(() => []);
  return watch;
}

function createReplicas(registers: Registers): Metrics['watchReplicas'] {
  const used = '1 while a replica is read, 0 while it is left out.';
  const lag = 'How far a replica is behind the primary at most; absent where that is not known.';
  const requests = 'Requests whose reads a replica answered.';
  const resent = 'Reads of a replica that failed there, and were sent again to the primary.';
  const items = (readings: readonly ReplicaReading[]) => readings.map((one) => [one.replica, one] as const);
  const label = 'replica';
  const watchUse = createWatch(
    registers,
    { label, aggregator: 'min', gauges: [['gateway_replica_used', used, ({ isUsed }) => Number(isUsed)]] },
    items,
  );
  const watchRest = createWatch(
    registers,
    {
      ...{ label, aggregator: 'max' },
      gauges: [['gateway_replica_lag_seconds', lag, ({ lagSeconds }) => lagSeconds]],
      counters: [
        ['gateway_replica_requests_total', requests, (of) => of.requests],
        ['gateway_replica_resent_total', resent, (of) => of.resent],
      ],
    },
    items,
  );
  return (read) => {
    watchUse(read);
    watchRest(read);
  };
}
