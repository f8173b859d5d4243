// The metrics in Prometheus' text format, over prom-client. Loaded only when METRICS_PORT is set. The guide docs/observability.md
// documents every name; a test compares them.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { CacheReading, ConnectionReading, FastPathReading, Metrics } from './metrics.ts';

/** Seconds: a page takes about a millisecond, and the request deadline is 30 s by default. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The methods that have a label of their own (RFC 9110 §9.3, RFC 5789). */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Codes come from our own lists and the libraries'; this bounds them whatever those do. */
const MAX_CODES = 100;
const OTHER = 'other';

type Labels = Record<string, string>;

/** Creates metrics with a registry of their own. */
export function createPrometheus(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  // Gauges named like counters, which promtool refuses; those without `_total` say the same by type.
  for (const kind of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${kind}_total`);

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

  /** The readings that every scrape asks for, by the name of their source. */
  function sources<Reading>() {
    const reads = new Map<string, () => Reading>();
    return {
      reads,
      gauge(name: string, help: string, labelName: string, pick: (reading: Reading) => number) {
        new Gauge({
          name,
          help,
          labelNames: [labelName],
          registers,
          collect() {
            for (const [source, read] of reads) this.set({ [labelName]: source }, pick(read()));
          },
        });
      },
      counter(name: string, help: string, labelName: string, pick: (reading: Reading) => number) {
        new Counter({
          name,
          help,
          labelNames: [labelName],
          registers,
          collect() {
            this.reset();
            for (const [source, read] of reads) this.inc({ [labelName]: source }, pick(read()));
          },
        });
      },
    };
  }

  const queues = sources<{ running: number; waiting: number }>();
  queues.gauge('gateway_queue_running', 'Slots of a queue that are in use.', 'queue', (of) => of.running);
  queues.gauge(
    'gateway_queue_waiting',
    'Work that waits for a slot of a queue.',
    'queue',
    (of) => of.waiting,
  );

  const caches = sources<CacheReading>();
  caches.counter('gateway_cache_hits_total', 'Look-ups that a cache answered.', 'cache', (of) => of.hits);
  caches.counter(
    'gateway_cache_misses_total',
    'Look-ups that a cache did not answer.',
    'cache',
    (of) => of.misses,
  );
  caches.gauge('gateway_cache_size', 'What is in a cache, in its own unit.', 'cache', (of) => of.size);
  caches.gauge('gateway_cache_max_size', 'What a cache may hold, in its own unit.', 'cache', (of) => of.max);

  const connections = sources<ConnectionReading>();
  connections.gauge('gateway_db_connections', 'Open connections to the database.', 'kind', (of) => of.open);
  connections.gauge(
    'gateway_db_connections_busy',
    'Connections with work under way.',
    'kind',
    (of) => of.busy,
  );
  connections.gauge(
    'gateway_db_connections_stalled',
    'Connections without an answer for too long.',
    'kind',
    (of) => of.stalled,
  );
  connections.gauge(
    'gateway_db_waiting',
    'Statements that wait for a connection.',
    'kind',
    (of) => of.waiting,
  );

  let fastPath: () => FastPathReading = () => ({ hits: 0, misses: 0, fallbacks: {} });
  const fromFastPath = (name: string, help: string, labelNames: string[], values: () => [Labels, number][]) =>
    new Counter({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const [labels, value] of values()) this.inc(labels, value);
      },
    });
  fromFastPath('gateway_graphql_fast_path_hits_total', 'Operations that the fast path answered.', [], () => [
    [{}, fastPath().hits],
  ]);
  fromFastPath(
    'gateway_graphql_fast_path_misses_total',
    'Operations that had not been compiled yet, or cannot be.',
    [],
    () => [[{}, fastPath().misses]],
  );
  fromFastPath(
    'gateway_graphql_fast_path_fallbacks_total',
    'Compiled operations that were left to the full executor.',
    ['reason'],
    () => Object.entries(fastPath().fallbacks).map(([reason, count]) => [{ reason }, count]),
  );

  return {
    countRequest({ method: sent, endpoint: { route, operation }, status, durationSeconds, code }) {
      const method = METHODS.has(sent) ? sent : OTHER;
      requests.inc({ method, route, operation, status });
      durations.observe({ method, route, operation }, durationSeconds);
      if (code !== null) refusals.inc({ route, code: toCode(code) });
    },
    watchQueue: (name, queue) => void queues.reads.set(name, () => queue),
    watchCache: (name, read) => void caches.reads.set(name, read),
    watchConnections: (kind, read) => void connections.reads.set(kind, read),
    watchFastPath(read) {
      fastPath = read;
    },
    render: () => registry.metrics(),
  };
}
