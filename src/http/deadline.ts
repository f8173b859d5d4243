// The deadline of a request. All work for it is aborted then, or when its client disconnects.
import { AppError } from '../errors.ts';
import type { Exchange } from './exchange.ts';

/**
 * The result of `work`, unless the request ends first.
 * @throws AppError `unavailable` (503) after REQUEST_TIMEOUT_MS, `request_timeout` (408) if the request has not arrived completely by
 *   then, `bad_request` when the client has disconnected; what `work` throws
 */
export function withinDeadline<T>(exchange: Exchange, work: Promise<T>): Promise<T> {
  // Uses one promise; Promise.race would need six.
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
