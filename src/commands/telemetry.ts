// Creates the configured metrics and traces. Loads the libraries only if they are configured.
import type { App } from '../context.ts';
import { buildInfo } from '../output/build-info.ts';
import type { Logger } from '../output/log.ts';
import type { Shell } from './shell.ts';

/** The configured metrics and the configured tracer of the process. */
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
