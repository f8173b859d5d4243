// Work in a queue: so much at once, so much waiting, in order.
import { expect, test } from 'vitest';
import { createQueue } from '../../src/services/queue.ts';

test('no more is under way at once, the rest waits in order, and what is too much is refused at once', async () => {
  const inQueue = createQueue({ atOnce: 2, waiting: 3 });
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (n: number) =>
    inQueue(() => {
      begun.push(n);
      return new Promise<number>((resolve) => ends.push(() => resolve(n)));
    });
  const all = [0, 1, 2, 3, 4].map(work);
  await expect(work(5)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
  expect(begun).toEqual([0, 1]);
  ends[1]?.();
  await all[1];
  expect(begun).toEqual([0, 1, 2]);
  const sixth = work(6);
  for (const at of [0, 2, 3, 4, 5]) {
    await expect.poll(() => ends.length).toBeGreaterThan(at);
    ends[at]?.();
  }
  expect(await Promise.all([...all, sixth])).toEqual([0, 1, 2, 3, 4, 6]);
});

test('work that fails makes room as well', async () => {
  const inQueue = createQueue({ atOnce: 1, waiting: 1 });
  const fails = () => Promise.reject(new Error('no'));
  for (let i = 0; i < 5; i++) await expect(inQueue(fails)).rejects.toThrow('no');
  expect(await inQueue(async () => 'done')).toBe('done');
});
