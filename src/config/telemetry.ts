// Parses the variables of metrics and traces. Pure. The variables of OpenTelemetry have the standard names and meanings
// (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
import { anyText, form, oneOf, unencodedIn, wholeNumber } from './values.ts';
import type { Read } from './variables.ts';

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

/** Parses the variables of metrics and traces. */
export function parseTelemetry(read: Read) {
  return {
    /** null: no metrics are counted or served. */
    metrics: parseMetrics(read),
    /** null: nothing is traced. */
    tracing: parseTracing(read),
  };
}

function parseMetrics({ value, optional }: Read) {
  // 0 chooses a free port.
  const port = optional('METRICS_PORT', wholeNumber(0, 65_535), null);
  const host = value('METRICS_HOST', anyText);
  return port === null ? null : { port, host };
}

function parseTracing({ value, optional }: Read): TracingConfig | null {
  const url = optional('OTEL_EXPORTER_OTLP_ENDPOINT', tracesUrl, null);
  const serviceName = value('OTEL_SERVICE_NAME', anyText);
  const attributes = optional('OTEL_RESOURCE_ATTRIBUTES', pairs, {});
  const name = value('OTEL_TRACES_SAMPLER', oneOf(SAMPLERS));
  const ratio = value('OTEL_TRACES_SAMPLER_ARG', ratioForm);
  return url === null ? null : { url, serviceName, attributes, sampler: { name, ratio } };
}

const tracesUrl = form('an http or https address, without credentials', (text) => {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const hasLogin = url.username !== '' || url.password !== '' || unencodedIn(text) !== '';
  if (!/^https?:$/.test(url.protocol) || hasLogin) return undefined;
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url.href;
});

const ratioForm = form('a number from 0 to 1', (text) =>
  /^(0?\.\d{1,12}|[01](\.0{1,12})?)$/.test(text) ? Number(text) : undefined,
);

/** Names with values: the form of W3C Baggage without its properties. Headers for the collector may contain a credential. */
export const pairs = form('name=value pairs, separated by commas, values percent-encoded', parsePairs);

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
