// The deadline of a request: all that is awaited for it is given up then, or when its client disconnects.
import { AppError } from '../errors.ts';
import type { Exchange } from './exchange.ts';

/**
 * What `work` comes to, unless the request ends before.
 * @throws AppError `unavailable` (503) after REQUEST_TIMEOUT_MS, `request_timeout` (408) where it has not arrived by then,
 *   `bad_request` when the client has disconnected; what `work` throws
 */
export async function withinDeadline<T>(exchange: Exchange, work: Promise<T> | T): Promise<T> {
  const { promise: refusal, reject } = Promise.withResolvers<never>();
  exchange.onEnd(reject);
  const timer = setTimeout(
    () => exchange.end(deadlineError(exchange)),
    exchange.app.config.limits.requestTimeoutMs,
  );
  try {
    return await Promise.race([work, refusal]);
  } finally {
    clearTimeout(timer);
    exchange.onEnd(null);
  }
}

/** The error for a request whose deadline has passed. */
function deadlineError({ isComplete }: Exchange): AppError {
  return isComplete
    ? new AppError('unavailable', 'The request took too long.', { retryAfterSeconds: 5 })
    : new AppError('request_timeout', 'The request took too long to arrive.');
}
