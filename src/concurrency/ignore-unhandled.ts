// Promises that are awaited later than they may be rejected.

/**
 * Keeps a promise that may be rejected before anybody awaits it from being reported as unhandled. Of several that fail together, the caller
 * awaits at least one.
 * @returns the promise
 */
export function ignoreUnhandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
