// Batched calls (src/concurrency/batched.ts).
import { expect, test } from 'vitest';
import { batched } from '../src/concurrency/batched.ts';

test('a call during a batch is answered by a later batch, and all waiting calls by one', async () => {
  const batches: { keys: readonly number[]; answer: (answers: string[]) => void }[] = [];
  const ask = batched((keys: readonly number[]) => {
    const { promise, resolve } = Promise.withResolvers<string[]>();
    batches.push({ keys, answer: resolve });
    return promise;
  });
  const first = ask(1);
  await expect.poll(() => batches.length).toBe(1);
  const others = [ask(2), ask(3)];
  batches[0]?.answer(['one']);
  expect(await first).toBe('one');
  await expect.poll(() => batches.length).toBe(2);
  expect(batches.map(({ keys }) => keys)).toEqual([[1], [2, 3]]);
  batches[1]?.answer(['two', 'three']);
  expect(await Promise.all(others)).toEqual(['two', 'three']);
});

test('a failed batch fails its calls, and no later ones', async () => {
  let isAway = true;
  const ask = batched(async (keys: readonly number[]) => {
    if (isAway) throw new Error('away');
    return keys;
  });
  await expect(ask(1)).rejects.toThrow('away');
  isAway = false;
  expect(await ask(1)).toBe(1);
});
