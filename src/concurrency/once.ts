// What is found out or loaded once in the life of a process.

/** A function that does `work` at its first call and answers with that from then on. What fails is done again at the next call. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined;
      throw error;
    });
    return done;
  };
}
