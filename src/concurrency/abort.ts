// A listener on an AbortSignal for the time that some work takes.

/**
 * Awaits `work`, and calls `onAbort` when the signal is aborted meanwhile. Leaves no listener on the signal.
 * @throws what `work` throws
 */
export async function withAbortListener<T>(
  signal: AbortSignal,
  onAbort: () => void,
  work: Promise<T>,
): Promise<T> {
  signal.addEventListener('abort', onAbort);
  try {
    return await work;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
