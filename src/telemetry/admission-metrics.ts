// The metrics of refused requests: by rate limits, and by the limit on concurrent requests (load shedding).
import { Counter, Gauge, type Registry } from 'prom-client';
import type { LoadReading, Metrics } from './metrics.ts';

type Registers = Registry[];

export function createRateLimits(
  registers: Registers,
): Pick<Metrics, 'countRateLimited' | 'watchSharedRates'> {
  const refused = new Counter({
    name: 'gateway_rate_limited_total',
    help: 'Requests that a rate limit refused, by the limit.',
    labelNames: ['limit'],
    registers,
  });
  // Initialized, so that they exist before the first refusal.
  for (const limit of ['key', 'client', 'team', 'address']) refused.inc({ limit }, 0);
  let isUp: (() => boolean) | undefined;
  new Gauge({
    name: 'gateway_rate_limits_shared',
    help: 'Whether rate limits are counted in Redis (1), or by this process for itself although REDIS_URL is set (0).',
    registers,
    aggregator: 'min',
    collect() {
      if (isUp !== undefined) this.set(isUp() ? 1 : 0);
      // Without REDIS_URL there is no such server.
      else this.remove();
    },
  });
  return {
    countRateLimited: (limit) => refused.inc({ limit }),
    watchSharedRates(read) {
      isUp = read;
    },
  };
}

export function createLoadMetrics(registers: Registers): Metrics['watchLoad'] {
  let read: () => LoadReading = () => ({ underWay: 0, limit: 0, shed: 0 });
  for (const [name, help, pick] of [
    ['gateway_requests_under_way', 'Requests that are being answered.', ({ underWay }) => underWay],
    ['gateway_requests_limit', 'How many requests may be answered at the same time.', ({ limit }) => limit],
  ] satisfies [string, string, (reading: LoadReading) => number][])
    new Gauge({
      ...{ name, help, registers },
      collect() {
        this.set(pick(read()));
      },
    });
  new Counter({
    name: 'gateway_requests_shed_total',
    help: 'Requests that were refused before anything was done for them, since too many were under way.',
    registers,
    collect() {
      this.reset();
      this.inc(read().shed);
    },
  });
  return (replacement) => {
    read = replacement;
  };
}
