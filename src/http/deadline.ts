// The deadline of a request: all that is awaited for it is given up then, or when its client disconnects.
import { AppError } from '../errors.ts';
import type { Exchange } from './exchange.ts';

/**
 * What `work` comes to, unless the request ends before.
 * @throws AppError `unavailable` (503) after REQUEST_TIMEOUT_MS, `request_timeout` (408) where it has not arrived by then,
 *   `bad_request` when the client has disconnected; what `work` throws
 */
export function withinDeadline<T>(exchange: Exchange, work: Promise<T>): Promise<T> {
  // One promise: Promise.race and what it needs would be six.
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => exchange.end(deadlineError(exchange)),
      exchange.app.config.limits.requestTimeoutMs,
    );
    let isOver = false;
    const finish = () => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      exchange.onEnd(null);
    };
    const fail = (error: unknown) => {
      finish();
      reject(error);
    };
    exchange.onEnd(fail);
    work.then((result) => {
      finish();
      resolve(result);
    }, fail);
  });
}

/** The error for a request whose deadline has passed. */
function deadlineError({ isComplete }: Exchange): AppError {
  return isComplete
    ? new AppError('unavailable', 'The request took too long.', { retryAfterSeconds: 5 })
    : new AppError('request_timeout', 'The request took too long to arrive.');
}
