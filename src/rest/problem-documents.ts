// The only place where an error becomes a REST response: a problem document (RFC 9457).
import { STATUS_CODES } from 'node:http';
import { challenge } from '../auth/challenge.ts';
import type { Host } from '../auth/hosts.ts';
import type { App } from '../context.ts';
import { AppError, STATUS_OF, shownErrors } from '../errors.ts';
import { type Logger, limitLines } from '../output/log.ts';

const MAX_REASON_CHARS = 300;

/** What is needed from the request; the host is null if it was not resolved. */
export interface ErrorContext {
  readonly app: App;
  readonly requestId: string;
  readonly host: Host | null;
}

/** The response to a failed request. An unknown error is logged, and masked for the client. */
export function errorResponse(error: unknown, { app, requestId, host }: ErrorContext): Response {
  const known =
    error instanceof AppError ? error : new AppError('internal', 'Something went wrong on our side.');
  const status = STATUS_OF[known.code];
  if (known.code === 'unavailable') logUnavailable(app, known, requestId);
  else if (status >= 500) app.log.error({ err: known.cause ?? error, requestId }, known.message);
  const headers = new Headers({ 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' });
  if ((status === 401 || status === 403) && host !== null) {
    headers.set('WWW-Authenticate', challenge(app.config, host, known));
  }
  if (known.retryAfterSeconds !== undefined) headers.set('Retry-After', String(known.retryAfterSeconds));
  if (known.allow !== undefined) headers.set('Allow', known.allow.join(', '));
  const body = {
    type: 'about:blank',
    title: STATUS_CODES[status],
    status,
    detail: known.message,
    code: known.code,
    errors: shownErrors(known),
    request_id: requestId,
    // The one member that existing clients of this API read.
    error: known.message,
  };
  return new Response(JSON.stringify(body), { status, headers });
}

const UNAVAILABLE_PER_SECOND = 1;
const unavailableLines = new WeakMap<App['log'], Logger['info']>();

/** While the database is away or the process stops, every request fails for the same reason: a line a second says so, without a stack. */
function logUnavailable({ log, clock }: App, { code, message, cause }: AppError, requestId: string): void {
  const write = unavailableLines.get(log) ?? limitLines(log, UNAVAILABLE_PER_SECOND, clock, 'error');
  unavailableLines.set(log, write);
  const reason = cause instanceof Error ? cause.message : message;
  write({ requestId, code, reason: reason.slice(0, MAX_REASON_CHARS) }, message);
}
