// The metrics in Prometheus' text format, over prom-client. Loaded only if METRICS_PORT is set. docs/observability.md documents every
// name; a test compares them.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { KINDS, type Readings } from './kinds.ts';
import type { Metrics } from './metrics.ts';
import { createScraped } from './scraped.ts';

/** Seconds: a page takes about a millisecond, and the request deadline is 30 s by default. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Seconds: an attempt to deliver a webhook takes 20 s at most, connecting included. */
const ATTEMPT_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/** The methods with a label value of their own (RFC 9110 §9.3, RFC 5789). */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The maximum number of error codes as label values. Codes come from our own lists and from libraries. */
const MAX_CODES = 100;
const OTHER = 'other';

/** The registry for new metrics, in prom-client's form. */
type Registers = Registry[];

/** Creates metrics with a registry of their own. */
export function createPrometheus({ version, commit } = { version: 'unknown', commit: '' }): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'gateway_build_info',
    help: 'The version and the commit of the gateway; always 1.',
    labelNames: ['version', 'commit'],
    aggregator: 'max',
    registers: [registry],
  }).set({ version, commit }, 1);
  // Removes gauges that are named like counters, which promtool rejects; those without `_total` have the same numbers by type.
  for (const kind of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  const registers = [registry];
  return {
    countRequest: createRequests(registers),
    countRateLimited: createRateLimited(registers),
    ...createWebhooks(registers),
    countUnhandled: createUnhandled(registers),
    watch: createWatch(registers),
    render: () => registry.metrics(),
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

function createUnhandled(registers: Registers): Metrics['countUnhandled'] {
  const unhandled = new Counter({
    name: 'gateway_unhandled_errors_total',
    help: 'Errors of the process that nothing has handled.',
    labelNames: ['kind'],
    registers,
  });
  // Initialized, so that they exist before the first error.
  for (const kind of ['rejection', 'exception']) unhandled.inc({ kind }, 0);
  return (kind) => unhandled.inc({ kind });
}

/** Counts attempts to deliver webhooks, and deactivations of endpoints. */
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
  // A process that does not watch lists reports 0.
  for (const holder of ['own', 'foreign']) watches.lists(holder, () => ({ seconds: 0, rows: 0 }));
  return (kind, name, read) => watches[kind](name, read);
}
