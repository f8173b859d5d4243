// Questions for many at a time.

interface Asked<Key, Answer> {
  readonly key: Key;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** So many keys of one question. */
const MAX_KEYS = 500;

/**
 * A function that asks for one key. One question is under way at a time; those who come meanwhile share the next: each answer is from
 * after it was asked for.
 * @param ask answers keys, of which some may be the same, in their order
 */
export function together<Key, Answer>(
  ask: (keys: readonly Key[]) => Promise<readonly Answer[]>,
): (key: Key) => Promise<Answer> {
  let waiting: Asked<Key, Answer>[] = [];
  let isUnderWay = false;

  async function run(): Promise<void> {
    isUnderWay = true;
    // Whoever asks in the same moment is part of it.
    await Promise.resolve();
    while (waiting.length > 0) {
      const asked = waiting.slice(0, MAX_KEYS);
      waiting = waiting.slice(MAX_KEYS);
      try {
        const answers = await ask(asked.map(({ key }) => key));
        asked.forEach(({ resolve, reject }, index) => {
          if (index < answers.length) resolve(answers[index] as Answer);
          else reject(new Error('There are fewer answers than questions.'));
        });
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
