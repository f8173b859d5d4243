// Spans over OpenTelemetry's SDK, sent as OTLP/HTTP in JSON. Loaded only if an endpoint is configured. It registers nothing globally, and
// no request waits for the collector: the queue is bounded, and further spans are dropped.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Context,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  type Tracer as SdkTracer,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TracingConfig } from '../config/telemetry.ts';
import type { Logger } from '../output/log.ts';
import type { Span, Tracer } from './tracing.ts';

/** Spans that wait to be sent; more are dropped. */
const MAX_QUEUED_SPANS = 2_048;
const EXPORT_TIMEOUT_MS = 5_000;
/** How long closing waits for the collector. */
const CLOSE_TIMEOUT_MS = 2_000;
const WARNING_INTERVAL_MS = 60_000;

/**
 * A tracer that sends to the configured endpoint.
 * @param headers sent with every export, for example a collector's credentials
 */
export function createTracer(
  { url, serviceName, attributes, sampler }: TracingConfig,
  headers: Readonly<Record<string, string>>,
  version: string,
  log: Logger,
): Tracer {
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: EXPORT_TIMEOUT_MS });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      ...attributes,
      'service.name': serviceName,
      'service.version': version,
    }),
    sampler: toSampler(sampler),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: warnOfFailures(exporter, log),
        maxQueueSize: MAX_QUEUED_SPANS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('funnel-gateway', version);
  return {
    startExchange(traceparent) {
      const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, parentOf(traceparent));
      return span.isRecording() ? toSpan(tracer, span) : null;
    },
    async close() {
      const late = sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false });
      await Promise.race([provider.shutdown().catch(() => {}), late]);
    },
  };
}

function toSpan(tracer: SdkTracer, span: SdkSpan): Span {
  let context: Context | undefined;
  return {
    traceId: span.spanContext().traceId,
    child(name, kind = 'internal', attributes = {}) {
      context ??= trace.setSpan(ROOT_CONTEXT, span);
      const options = { kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes };
      return toSpan(tracer, tracer.startSpan(name, options, context));
    },
    end({ name, attributes = {}, failure }) {
      if (name !== undefined) span.updateName(name);
      span.setAttributes(attributes);
      if (failure !== null) {
        span.setAttribute('error.type', failure);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

/** W3C Trace Context §3.2.2. Higher versions may have more after the flags (§3.2.4). */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?=$|-)/;

/** The context of the caller's span. For an invalid header it is empty, which starts a new trace. */
function parentOf(traceparent: string | null): Context {
  const [whole, version, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (whole === undefined || (version === '00' && whole.length !== traceparent?.length)) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  // The SDK rejects an id of zeros.
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function toSampler({ name, ratio }: TracingConfig['sampler']): Sampler {
  const root = name.endsWith('always_on')
    ? new AlwaysOnSampler()
    : name.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(ratio);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

/** The exporter, whose failures are logged at most once a minute. */
function warnOfFailures(exporter: SpanExporter, log: Logger): SpanExporter {
  let warnedAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const now = performance.now();
        if (result.error !== undefined && now - warnedAt >= WARNING_INTERVAL_MS) {
          warnedAt = now;
          log.warn(
            { reason: result.error.message, spans: spans.length },
            'traces were not taken by the collector',
          );
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}
