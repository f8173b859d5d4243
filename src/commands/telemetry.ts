// The configured metrics and traces. The libraries are loaded only if they are configured.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import type { App } from '../context.ts';
import { buildInfo } from '../output/build-info.ts';
import type { Logger } from '../output/log.ts';
import type { OfWorker } from './serve/calls.ts';
import type { Channel } from './serve/channel.ts';
import type { Shell } from './shell.ts';

/** The metrics and the tracer of the process, as far as they are configured. */
export async function createTelemetry(
  shell: Shell,
  log: Logger,
): Promise<Partial<Pick<App, 'metrics' | 'tracer'>>> {
  const { config, secrets } = shell.settings();
  const { tracing } = config;
  const prometheus = config.metrics && (await import('../telemetry/prometheus.ts'));
  const opentelemetry = tracing && (await import('../telemetry/opentelemetry.ts'));
  const tracer = tracing && opentelemetry?.createTracer(tracing, secrets.tracingHeaders, shell.version, log);
  return {
    ...(prometheus && { metrics: prometheus.createPrometheus(buildInfo()) }),
    ...(tracer && { tracer }),
  };
}

/** The metrics of several processes, added up. */
interface SummedMetrics {
  render(): Promise<string>;
  /** A process has ended. */
  ended(id: number): void;
}

/** A process that takes longer is included with its previous metrics. */
const SNAPSHOT_MS = 2_000;

/** Asks each process for its metrics before rendering. @param channels the workers that can be called, by id */
export async function createSummedMetrics(
  { metrics }: Config,
  channels: () => Map<number, Channel<OfWorker>>,
): Promise<SummedMetrics> {
  if (metrics === null) return { render: async () => '', ended() {} };
  const { createMetricsSum } = await import('../telemetry/metrics-sum.ts');
  const sum = createMetricsSum();

  async function update(id: number, channel: Channel<OfWorker>): Promise<void> {
    const late = sleep(SNAPSHOT_MS, null, { ref: false });
    const snapshot = await Promise.race([channel.ask('snapshot').catch(() => null), late]);
    if (snapshot !== null && channels().has(id)) sum.update(id, snapshot);
  }

  return {
    async render() {
      await Promise.all([...channels()].map(([id, channel]) => update(id, channel)));
      return sum.render();
    },
    ended: sum.ended,
  };
}
