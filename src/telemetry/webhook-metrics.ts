// The metrics of webhooks, for prometheus.ts.
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Metrics, WorkerReading } from './metrics.ts';
import { createWatch } from './scraped.ts';

/** Seconds: an attempt takes 20 s at most, connecting included. */
const DURATION_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

type WebhookMetrics = Pick<Metrics, 'countAttempt' | 'countDeactivation' | 'watchWorker'>;

/** Counts attempts, and reads a worker's state at each scrape; nothing without a worker. */
export function createWebhooks(registers: Registry[]): WebhookMetrics {
  const attempts = new Counter({
    name: 'gateway_webhook_attempts_total',
    help: 'Attempts to deliver webhooks: delivered, to be retried, or failed for good.',
    labelNames: ['outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'gateway_webhook_attempt_duration_seconds',
    help: 'Time from the start of an attempt until its answer was there, or it failed.',
    buckets: DURATION_BUCKETS,
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
  const endpoints = 'Endpoints that this process delivers to at the moment.';
  const due = 'Endpoints of all processes that have deliveries due.';
  const oldest =
    'How long the delivery that has been due longest has waited, of all processes; not where the endpoint fails.';
  return {
    countAttempt({ outcome, durationSeconds }) {
      attempts.inc({ outcome });
      durations.observe(durationSeconds);
    },
    countDeactivation: (reason) => deactivations.inc({ reason }),
    watchWorker: createWatch<WorkerReading>(
      registers,
      {
        gauges: [
          ['gateway_webhook_lanes', endpoints, (of) => of.endpoints],
          ['gateway_webhook_due_endpoints', due, (of) => of.dueEndpoints],
          ['gateway_webhook_oldest_due_seconds', oldest, (of) => of.oldestDueSeconds],
        ],
      },
      (reading) => [['', reading]],
    ),
  };
}
