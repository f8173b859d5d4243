// Combines many requests for single keys into batches.

interface Asked<Key, Answer> {
  readonly key: Key;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes a function that asks for one key. One batch is under way at a time, and calls made meanwhile share the next one. So each answer was
 * read after its call.
 * @param ask answers keys, which may repeat, in their order
 * @param maxKeys the maximum of keys in one batch
 */
export function together<Key, Answer>(
  ask: (keys: readonly Key[]) => Promise<readonly Answer[]>,
  maxKeys = 500,
): (key: Key) => Promise<Answer> {
  let waiting: Asked<Key, Answer>[] = [];
  let isUnderWay = false;

  async function run(): Promise<void> {
    isUnderWay = true;
    // Includes calls made in the same tick.
    await Promise.resolve();
    while (waiting.length > 0) {
      const asked = waiting.slice(0, maxKeys);
      waiting = waiting.slice(maxKeys);
      try {
        const answers = await ask(asked.map(({ key }) => key));
        for (const [index, { resolve }] of asked.entries()) resolve(answers[index] as Answer);
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    isUnderWay = false;
  }

  return (key) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    waiting.push({ key, resolve, reject });
    if (!isUnderWay) void run();
    return promise;
  };
}
