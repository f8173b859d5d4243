// The metrics in Prometheus' text format, over prom-client. Loaded only if METRICS_PORT is set. docs/observability.md documents every
// name; a test compares them.
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Metrics, Readings } from './metrics.ts';
import { createScraped, type Kind } from './scraped.ts';

/** Seconds: a page takes about a millisecond, and the request deadline is 30 s by default. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Seconds: an attempt to deliver a webhook takes 20 s at most, connecting included. */
const ATTEMPT_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

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
    ...createWebhooks(registers),
    watch: createWatch(registers),
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

/** Counts attempts to deliver webhooks, and what came of them for endpoints. */
function createWebhooks(registers: Registers): Pick<Metrics, 'countAttempt' | 'countDeactivation'> {
  const attempts = new Counter({
    name: 'gateway_webhook_attempts_total',
    help: 'Attempts to deliver webhooks: delivered, to be retried, or failed for good.',
    labelNames: ['outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'gateway_webhook_attempt_duration_seconds',
    help: 'Time from the start of an attempt until its answer was there, or it failed.',
    buckets: ATTEMPT_BUCKETS,
    registers,
  });
  const deactivations = new Counter({
    name: 'gateway_webhook_deactivations_total',
    help: 'Endpoints that were deactivated because of what came of their deliveries.',
    labelNames: ['reason'],
    registers,
  });
  // Initialized, so that they exist before the first event.
  for (const outcome of ['delivered', 'retried', 'failed']) attempts.inc({ outcome }, 0);
  for (const reason of ['failing', 'gone', 'unauthorized']) deactivations.inc({ reason }, 0);
  return {
    countAttempt({ outcome, durationSeconds }) {
      attempts.inc({ outcome });
      durations.observe(durationSeconds);
    },
    countDeactivation: (reason) => deactivations.inc({ reason }),
  };
}

function createWatch(registers: Registers): Metrics['watch'] {
  const watches = Object.fromEntries(
    Object.entries(KINDS).map(([kind, parts]) => [kind, createScraped(registers, parts)]),
  ) as { readonly [Name in keyof Readings]: ReturnType<typeof createScraped> };
  // Without REDIS_URL there is no such server.
  watches.sharedRates('', () => null);
  // A process that does not watch lists holds none up.
  for (const holder of ['own', 'foreign']) watches.lists(holder, () => ({ seconds: 0, rows: 0 }));
  return (kind, name, read) => watches[kind](name, read);
}

/** What is read at each scrape: a metric of each member of a reading. */
const KINDS: { readonly [Name in keyof Readings]: Kind<Readings[Name]> } = {
  queue: {
    label: 'queue',
    running: ['gateway_queue_running', 'Slots of a queue that are in use.'],
    waiting: ['gateway_queue_waiting', 'Work that waits for a slot of a queue.'],
  },
  cache: {
    label: 'cache',
    hits: ['gateway_cache_hits_total', 'Look-ups that a cache answered.'],
    misses: ['gateway_cache_misses_total', 'Look-ups that a cache did not answer.'],
    size: ['gateway_cache_size', 'Size of a cache, in its own unit.'],
    max: ['gateway_cache_max_size', 'Maximum size of a cache, in its own unit.'],
  },
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
      'min',
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
  worker: {
    endpoints: ['gateway_webhook_lanes', 'Endpoints that this process delivers to at the moment.'],
    dueEndpoints: ['gateway_webhook_due_endpoints', 'Endpoints of all processes that have deliveries due.'],
    oldestDueSeconds: [
      'gateway_webhook_oldest_due_seconds',
      'How long the delivery that has been due longest has waited, of all processes; not where the endpoint fails.',
    ],
  },
  lists: {
    label: 'holder',
    seconds: [
      'gateway_lists_held_seconds',
      'Age of the oldest transaction that delays new rows in lists; 0 if none has run for long.',
      'max',
    ],
    rows: [
      'gateway_lists_held_rows',
      'Ids drawn since such a transaction drew its first one: at most as many rows are not listed yet.',
      'max',
    ],
  },
  replica: {
    label: 'replica',
    isUsed: ['gateway_replica_used', '1 while a replica is read, 0 while it is left out.', 'min'],
    lagSeconds: [
      'gateway_replica_lag_seconds',
      'How far a replica is behind the primary at most; absent where that is not known.',
      'max',
    ],
    requests: ['gateway_replica_requests_total', 'Requests whose reads a replica answered.'],
    resent: [
      'gateway_replica_resent_total',
      'Reads of a replica that failed there, and were sent again to the primary.',
    ],
  },
  partitions: {
    label: 'table',
    aheadSeconds: ['gateway_partitions_ahead_seconds', 'How far ahead partitions exist.'],
    hasStray: [
      'gateway_partitions_stray',
      '1 if the default partition has rows although there are partitions for earlier ones.',
    ],
  },
};
