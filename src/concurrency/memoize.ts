// Memoizes asynchronous work for the life of a process.

/** Memoizes `work`: the first call runs it, later calls get the same result. After a failure, the next call tries again. */
export function memoize<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined;
      throw error;
    });
    return done;
  };
}
