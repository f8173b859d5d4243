// Combines look-ups of single keys into batches.

interface PendingKey<Key, Answer> {
  readonly key: Key;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes a function that looks up one key. One batch runs at a time; calls in the meantime share the next batch. So every answer was read
 * after its call.
 * @param ask looks up keys, which may repeat, and returns the answers in their order
 * @param maxKeys the maximum number of keys in one batch
 */
export function batched<Key, Answer>(
  ask: (keys: readonly Key[]) => Promise<readonly Answer[]>,
  maxKeys = 500,
): (key: Key) => Promise<Answer> {
  let waiting: PendingKey<Key, Answer>[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    // Includes calls made in the same tick.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxKeys);
      waiting = waiting.slice(maxKeys);
      try {
        const answers = await ask(batch.map(({ key }) => key));
        for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    isRunning = false;
  }

  return (key) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    waiting.push({ key, resolve, reject });
    if (!isRunning) void run();
    return promise;
  };
}
