// The only place where an error becomes a REST response: a problem document (RFC 9457).
import { STATUS_CODES } from 'node:http';
import { challenge } from '../auth/challenge.ts';
import type { Host } from '../auth/hosts.ts';
import type { App } from '../context.ts';
import { AppError, INTERNAL_MESSAGE, STATUS_OF, shownErrors } from '../errors.ts';
import { type Logger, limitLines } from '../output/log.ts';

const MAX_REASON_CHARS = 300;

/** The part of the request that an error response needs; the host is null if it was not resolved. */
export interface ErrorContext {
  readonly app: App;
  readonly requestId: string;
  readonly host: Host | null;
}

/** The response to a failed request. An unknown error is logged, and masked for the client. */
export function errorResponse(error: unknown, { app, requestId, host }: ErrorContext): Response {
  const appError = error instanceof AppError ? error : new AppError('internal', INTERNAL_MESSAGE);
  const status = STATUS_OF[appError.code];
  if (appError.code === 'unavailable') logUnavailable(app, appError, requestId);
  else if (status >= 500) app.log.error({ err: appError.cause ?? error, requestId }, appError.message);
  const headers = new Headers({ 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' });
  if ((status === 401 || status === 403) && host !== null) {
    headers.set('WWW-Authenticate', challenge(app.config, host, appError));
  }
  if (appError.retryAfterSeconds !== undefined)
    headers.set('Retry-After', String(appError.retryAfterSeconds));
  if (appError.allow !== undefined) headers.set('Allow', appError.allow.join(', '));
  const body = {
    type: 'about:blank',
    title: STATUS_CODES[status],
    status,
    detail: appError.message,
    code: appError.code,
    errors: shownErrors(appError),
    request_id: requestId,
    // Existing clients of this API read only this member.
    error: appError.message,
  };
  return new Response(JSON.stringify(body), { status, headers });
}

const UNAVAILABLE_PER_SECOND = 1;
const unavailableLines = new WeakMap<App['log'], Logger['info']>();

/** While the database is unavailable or the process stops, all requests fail for the same reason. Logs one line a second, without a stack. */
function logUnavailable({ log, clock }: App, { code, message, cause }: AppError, requestId: string): void {
  const write = unavailableLines.get(log) ?? limitLines(log, UNAVAILABLE_PER_SECOND, clock, 'error');
  unavailableLines.set(log, write);
  const reason = cause instanceof Error ? cause.message : message;
  write({ requestId, code, reason: reason.slice(0, MAX_REASON_CHARS) }, message);
}
