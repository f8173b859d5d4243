// Reports each request once it has a response: one log line, metrics, and the end of its spans. All values that a client chose are
// redacted and truncated here.
import type { Actor } from '../auth/actor.ts';
import { redactTokens } from '../auth/tokens.ts';
import type { App } from '../context.ts';
import { AppError, STATUS_OF } from '../errors.ts';
import { NO_ENDPOINT, type RequestFacts } from '../telemetry/request-facts.ts';
import type { Exchange } from './exchange.ts';

const MAX_REASON_CHARS = 300;
const MAX_NAME_CHARS = 100;
const MAX_PATH_CHARS = 300;
/** A host name has at most 253 characters, plus a port. */
const MAX_HOST_CHARS = 260;
const MAX_AGENT_CHARS = 200;

/** Reports an answered request. @param durationMs the time until the response was created */
export function reportRequest(exchange: Exchange, status: number, durationMs: number): void {
  const { app, request, requestId, url, actor, facts } = exchange;
  const { endpoint, span } = facts;
  const refusal = status >= 400 ? (facts.refusal ?? refusalOf(status)) : facts.refusal;
  const { route, operation } = endpoint;
  // In this order; docs/observability.md documents them.
  const line = {
    requestId,
    method: request.method,
    host: clean(url.host, MAX_HOST_CHARS),
    path: clean(url.pathname, MAX_PATH_CHARS),
    status,
    durationMs: Math.round(durationMs * 10) / 10,
    ...clientOf(exchange),
    ...(route !== 'unknown' && { route }),
    ...(operation !== '' && { operation }),
    ...(facts.operationName !== null && { operationName: clean(facts.operationName, MAX_NAME_CHARS) }),
    ...callerOf(actor, facts),
    ...(refusal !== null && { ...refusal, reason: clean(refusal.reason, MAX_REASON_CHARS) }),
    ...(facts.limit !== null && { limit: facts.limit }),
    ...(span !== null && { traceId: span.traceId }),
  };
  app.accessLog.info(line, 'request');
  const code = refusal?.code ?? null;
  app.metrics.countRequest({
    method: request.method,
    endpoint,
    status,
    durationSeconds: durationMs / 1_000,
    code,
  });
  if (span !== null) endSpans(exchange, line, code);
}

/** The part of the log line that spans contain too. */
interface SharedLogFields {
  readonly path: string;
  readonly status: number;
  readonly operation?: string;
  readonly operationName?: string;
}

function endSpans(exchange: Exchange, line: SharedLogFields, code: string | null): void {
  const { url, requestId } = exchange;
  const { path, status, operation = 'operation', operationName } = line;
  const { method } = exchange.request;
  const { route } = exchange.facts.endpoint;
  const refusal = code === null ? {} : { 'funnel_gateway.code': code };
  exchange.endSpans(
    {
      name: operation,
      attributes: {
        ...refusal,
        ...(operationName !== undefined && { 'graphql.operation.name': operationName }),
      },
      failure: code,
    },
    {
      name: `${method} ${route}`,
      attributes: {
        ...refusal,
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'url.scheme': url.protocol.slice(0, -1),
        'url.path': path,
        'server.address': clean(url.hostname, MAX_HOST_CHARS),
        'funnel_gateway.request_id': requestId,
      },
      // Client errors are not failures of the server span (OpenTelemetry's conventions for HTTP spans).
      failure: status >= 500 ? (code ?? String(status)) : null,
    },
  );
}

/** The code and reason of an error, for the log. */
export function toRefusal(error: unknown): { code: string; reason: string } {
  if (error instanceof AppError) return { code: error.code, reason: error.message };
  return { code: 'internal', reason: 'Something failed: see the line of level error with this request id.' };
}

/** Reports bytes that were not a valid request. @returns the fields of the log line */
export function reportRefusal(
  { metrics }: App,
  {
    error,
    address,
    requestId,
    status,
  }: { error: unknown; address?: string | undefined; requestId: string; status: number },
): object {
  const { code, reason } = toRefusal(error);
  metrics.countRequest({ method: '', endpoint: NO_ENDPOINT, status, durationSeconds: 0, code });
  return { requestId, address, status, code, reason: clean(reason, MAX_REASON_CHARS) };
}

/** A client's text in a form that is safe to log. Redacted before truncation, because part of a token would not be recognized as one. */
function clean(text: string, maxChars: number): string {
  const safe = redactTokens(text);
  return safe.length > maxChars ? `${safe.slice(0, maxChars)}…` : safe;
}

/** The address of the client, also behind a trusted proxy, and its user agent. */
function clientOf({ address, request }: Exchange) {
  const agent = request.headers.get('user-agent');
  return {
    ...(address !== 'unknown' && { address: clean(address, MAX_HOST_CHARS) }),
    ...(agent !== null && { userAgent: clean(agent, MAX_AGENT_CHARS) }),
  };
}

function callerOf(actor: Actor | null, { client }: RequestFacts) {
  if (actor?.kind === 'api_key') return { apiKey: actor.publicId };
  if (actor?.kind === 'oauth') return { client: actor.clientId, subject: actor.subject };
  return client === null ? {} : { client };
}

const CODE_OF = new Map<number, string>(Object.entries(STATUS_OF).map(([code, status]) => [status, code]));

/** The code and reason for a library's error response, from its status. */
function refusalOf(status: number): { code: string; reason: string } {
  return { code: CODE_OF.get(status) ?? 'refused', reason: `The answer was ${status}.` };
}
