// Work that has to hear of an AbortSignal while it is under way.

/** What `work` comes to. Calls `onAbort` when the signal is aborted before; leaves no listener on it. Throws what `work` throws. */
export async function whileListening<T>(
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
