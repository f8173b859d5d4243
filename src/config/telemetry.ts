// Parses the variables of metrics and traces. Pure. The variables of OpenTelemetry have the standard names and meanings
// (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
import type { Check } from './variables.ts';

interface MetricsConfig {
  /** 0 chooses a free port. */
  readonly port: number;
  readonly host: string;
}

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export interface TracingConfig {
  /** The address for traces (OTLP/HTTP). */
  readonly url: string;
  readonly serviceName: string;
  /** Attributes of the resource: every span has them. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly sampler: { readonly name: (typeof SAMPLERS)[number]; readonly ratio: number };
}

export interface TelemetryConfig {
  /** null: no metrics are counted or served. */
  readonly metrics: MetricsConfig | null;
  /** null: nothing is traced. */
  readonly tracing: TracingConfig | null;
}

/** Parses the variables of metrics and traces; `check` reports problems. */
export function parseTelemetry(check: Check): TelemetryConfig {
  return { metrics: parseMetrics(check), tracing: parseTracing(check) };
}

function parseMetrics(check: Check): MetricsConfig | null {
  const port = check<number | null>(
    'METRICS_PORT',
    null,
    (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined),
    'a whole number from 0 to 65535',
  );
  const host = check('METRICS_HOST', '127.0.0.1', (text) => text, 'an address');
  return port === null ? null : { port, host };
}

function parseTracing(check: Check): TracingConfig | null {
  const url = check<string | null>(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    null,
    toTracesUrl,
    'an http or https address, without credentials',
  );
  const serviceName = check('OTEL_SERVICE_NAME', 'funnel-gateway', (text) => text, 'a name');
  const attributes = check('OTEL_RESOURCE_ATTRIBUTES', {}, parsePairs, PAIRS);
  const name = check(
    'OTEL_TRACES_SAMPLER',
    'parentbased_always_on',
    (text) => SAMPLERS.find((sampler) => sampler === text),
    SAMPLERS.join(', '),
  );
  const ratio = check('OTEL_TRACES_SAMPLER_ARG', 1, parseRatio, 'a number from 0 to 1');
  return url === null ? null : { url, serviceName, attributes, sampler: { name, ratio } };
}

/** Headers for the collector. They may contain a credential. */
export function parseTracingHeaders(check: Check): Readonly<Record<string, string>> {
  return check('OTEL_EXPORTER_OTLP_HEADERS', {}, parsePairs, PAIRS);
}

const PAIRS = 'name=value pairs, separated by commas, values percent-encoded';

function toTracesUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url.href;
}

function parseRatio(text: string): number | undefined {
  return /^(0?\.\d{1,12}|[01](\.0{1,12})?)$/.test(text) ? Number(text) : undefined;
}

/** The form of W3C Baggage without its properties. */
function parsePairs(text: string): Readonly<Record<string, string>> | undefined {
  const pairs = text
    .split(',')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
    .map((pair): [string, string] => {
      const at = pair.indexOf('=');
      return at < 0 ? ['', ''] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    });
  try {
    const decoded = pairs.map(([name, value]): [string, string] => [name, decodeURIComponent(value)]);
    return decoded.every(([name]) => /^[\w.-]+$/.test(name)) ? Object.fromEntries(decoded) : undefined;
  } catch {
    return undefined;
  }
}
