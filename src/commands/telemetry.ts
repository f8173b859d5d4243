// What the configuration asks to be measured and traced. The libraries are loaded only then.
import type { App } from '../context.ts';
import type { Logger } from '../log.ts';
import type { Shell } from './shell.ts';

/** The metrics and the tracer of the process; neither, where it does not ask for them. */
export async function createTelemetry(
  shell: Shell,
  log: Logger,
): Promise<Partial<Pick<App, 'metrics' | 'tracer'>>> {
  const { config, secrets } = shell.settings();
  const { tracing } = config;
  const [prometheus, opentelemetry] = await Promise.all([
    config.metrics && import('../telemetry/prometheus.ts'),
    tracing && import('../telemetry/opentelemetry.ts'),
  ]);
  return {
    ...(prometheus !== null && { metrics: prometheus.createPrometheus() }),
    ...(tracing !== null &&
      opentelemetry !== null && {
        tracer: opentelemetry.createTracer(tracing, secrets.tracingHeaders, shell.version, log),
      }),
  };
}
