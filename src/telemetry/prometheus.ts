// The metrics in Prometheus' text format, over prom-client. Loaded only if METRICS_PORT is set. docs/observability.md documents every
// name; a test compares them.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { createLoadMetrics, createRateLimits } from './admission-metrics.ts';
import { createLists } from './list-metrics.ts';
import type { CacheReading, ConnectionReading, FastPathReading, Metrics } from './metrics.ts';
import { createPartitions } from './partition-metrics.ts';
import { createReplicaMetrics } from './replica-metrics.ts';
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
  const watchQueue = createQueues(registers);
  return {
    countRequest: createRequests(registers),
    watchQueue: (name, queue) => watchQueue(name, () => queue),
    watchCache: createCaches(registers),
    watchConnections: createConnections(registers),
    watchFastPath: createFastPath(registers),
    ...createRateLimits(registers),
    watchLoad: createLoadMetrics(registers),
    watchForeignReads: createForeignReads(registers),
    ...createWebhooks(registers),
    watchLists: createLists(registers),
    watchReplicas: createReplicaMetrics(registers),
    watchPartitions: createPartitions(registers),
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

/** Adds or replaces the source of readings with this name. */
type Watch<Reading> = (name: string, read: () => Reading) => void;

/** A metric of every source: its name, its help, and its value in a reading. */
type Part<Reading> = readonly [name: string, help: string, pick: (reading: Reading) => number];

/** Metrics that are read from every source at each scrape; the label names the source. */
function createSources<Reading>(
  registers: Registers,
  label: string,
  { gauges, counters = [] }: { gauges: readonly Part<Reading>[]; counters?: readonly Part<Reading>[] },
): Watch<Reading> {
  const reads = new Map<string, () => Reading>();
  for (const [name, help, pick] of gauges)
    new Gauge({
      ...{ name, help, labelNames: [label], registers },
      collect() {
        for (const [source, read] of reads) this.set({ [label]: source }, pick(read()));
      },
    });
  for (const [name, help, pick] of counters)
    new Counter({
      ...{ name, help, labelNames: [label], registers },
      collect() {
        this.reset();
        for (const [source, read] of reads) this.inc({ [label]: source }, pick(read()));
      },
    });
  return (name, read) => void reads.set(name, read);
}

function createQueues(registers: Registers): Watch<{ running: number; waiting: number }> {
  return createSources(registers, 'queue', {
    gauges: [
      ['gateway_queue_running', 'Slots of a queue that are in use.', ({ running }) => running],
      ['gateway_queue_waiting', 'Work that waits for a slot of a queue.', ({ waiting }) => waiting],
    ],
  });
}

function createCaches(registers: Registers): Watch<CacheReading> {
  return createSources(registers, 'cache', {
    counters: [
      ['gateway_cache_hits_total', 'Look-ups that a cache answered.', ({ hits }) => hits],
      ['gateway_cache_misses_total', 'Look-ups that a cache did not answer.', ({ misses }) => misses],
    ],
    gauges: [
      ['gateway_cache_size', 'Size of a cache, in its own unit.', ({ size }) => size],
      ['gateway_cache_max_size', 'Maximum size of a cache, in its own unit.', ({ max }) => max],
    ],
  });
}

function createConnections(registers: Registers): Watch<ConnectionReading> {
  return createSources(registers, 'kind', {
    gauges: [
      ['gateway_db_connections', 'Open connections to the database.', ({ open }) => open],
      ['gateway_db_connections_busy', 'Connections with work under way.', ({ busy }) => busy],
      [
        'gateway_db_connections_stalled',
        'Connections without an answer for too long.',
        ({ stalled }) => stalled,
      ],
      ['gateway_db_waiting', 'Statements that wait for a connection.', ({ waiting }) => waiting],
    ],
  });
}

function createForeignReads(registers: Registers): Metrics['watchForeignReads'] {
  let read = () => 0;
  new Counter({
    name: 'gateway_foreign_reads_total',
    help: 'Reads that were refused because a statement returned rows of another tenant.',
    registers,
    collect() {
      this.reset();
      this.inc(read());
    },
  });
  return (replacement) => {
    read = replacement;
  };
}

function createFastPath(registers: Registers): Metrics['watchFastPath'] {
  let read: () => FastPathReading = () => ({ hits: 0, misses: 0, fallbacks: {} });
  for (const [name, help, pick] of [
    ['gateway_graphql_fast_path_hits_total', 'Operations that the fast path answered.', ({ hits }) => hits],
    [
      'gateway_graphql_fast_path_misses_total',
      'Operations that had not been compiled yet, or cannot be.',
      ({ misses }) => misses,
    ],
  ] satisfies Part<FastPathReading>[])
    new Counter({
      ...{ name, help, registers },
      collect() {
        this.reset();
        this.inc(pick(read()));
      },
    });
  new Counter({
    name: 'gateway_graphql_fast_path_fallbacks_total',
    help: 'Compiled operations that the full executor had to answer.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(read().fallbacks)) this.inc({ reason }, count);
    },
  });
  return (replacement) => {
    read = replacement;
  };
}
