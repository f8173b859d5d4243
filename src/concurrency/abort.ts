// Listens to an AbortSignal while some work runs.

/**
 * Awaits `work`, and calls `onAbort` if the signal is aborted before `work` ends. Leaves no listener on the signal.
 * @throws the errors of `work`
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
