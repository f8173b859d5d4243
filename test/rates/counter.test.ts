// A limit holds for any requests, with a bounded amount of memory.
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BoundedMemory, createCounter } from '../../src/rates/counter.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const options = (limit: number) => ({ name: 'key', limit, windowSeconds: 10 }) as const;

describe('in any order of requests', () => {
  const step = fc.record({
    key: fc.constantFrom('a', 'b', 'c'),
    points: fc.integer({ min: 1, max: 30 }),
    waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 4_000 })),
    giveBack: fc.boolean(),
  });

  test('no key gets more than the limit in one of its windows, and the remaining number is exact', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        async (steps, limit) => {
          const counter = createCounter(options(limit));
          const model = new Map<string, { used: number; endsAt: number }>();
          for (const { key, points, waitMs, giveBack } of steps) {
            await vi.advanceTimersByTimeAsync(waitMs);
            const known = model.get(key);
            const window =
              known && known.endsAt > Date.now() ? known : { used: 0, endsAt: Date.now() + 10_000 };
            const isEdge = window.endsAt - Date.now() <= 50;
            const { accepted, reading } = await counter.take(key, points);
            if (isEdge) return;
            expect(accepted).toBe(window.used + points <= limit);
            if (accepted) window.used += points;
            model.set(key, window);
            expect(window.used).toBeLessThanOrEqual(limit);
            expect(reading).toMatchObject({
              remaining: limit - window.used,
              resetMs: window.endsAt - Date.now(),
            });
            if (!accepted || !giveBack) continue;
            counter.giveBack(key, points, reading.resetMs);
            window.used -= points;
          }
        },
      ),
      { numRuns: 200, endOnFailure: true },
    );
  });

  test('of concurrent requests exactly as many are accepted as there are points', async () => {
    const counter = createCounter(options(7));
    const taken = await Promise.all(Array.from({ length: 50 }, () => counter.take('a', 1)));
    expect(taken.filter(({ accepted }) => accepted)).toHaveLength(7);
    expect((await counter.take('b', 7)).accepted).toBe(true);
  });
});

test('a clock that is set back makes no window longer', async () => {
  const counter = createCounter(options(1));
  await counter.take('a', 1);
  vi.setSystemTime(Date.now() - 86_400_000);
  expect((await counter.take('a', 1)).reading.resetMs).toBe(10_000);
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await counter.take('a', 1)).accepted).toBe(true);
});

describe('memory', () => {
  test('the number of keys is bounded, and an active key is not evicted for others', () => {
    const memory = new BoundedMemory(5_000, 60, 100);
    for (let i = 0; i < 5_000; i++) {
      memory.take('busy', 1);
      memory.take(`key ${i}`, 1);
    }
    expect(memory.size).toBe(100);
    expect(memory.take('busy', 1).accepted).toBe(false);
  });

  test('a long key is stored as its hash', async () => {
    const counter = createCounter(options(2));
    const long = 'x'.repeat(10_000);
    await counter.take(`${long}1`, 2);
    expect((await counter.take(`${long}1`, 1)).accepted).toBe(false);
    expect((await counter.take(`${long}2`, 1)).accepted).toBe(true);
  });
});
