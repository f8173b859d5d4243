import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFairQueue, type Release } from '../src/concurrency/fair-queue.ts';

/** Waits until the callbacks of settled promises have run. */
const nextTick = () => new Promise((resolve) => setImmediate(resolve));

const anyOptions = fc.record({
  concurrency: fc.integer({ min: 1, max: 4 }),
  concurrencyPerKey: fc.integer({ min: 1, max: 3 }),
  maxWaitingPerKey: fc.integer({ min: 0, max: 4 }),
  maxWaiting: fc.integer({ min: 0, max: 8 }),
});
const anySteps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('acquire' as const), key: fc.constantFrom('a', 'b', 'c', 'd') }),
    fc.record({ do: fc.constantFrom('release' as const, 'abort' as const), nth: fc.nat(20) }),
  ),
  { maxLength: 60 },
);

interface Request {
  readonly key: string;
  readonly abort: AbortController;
  state: 'waiting' | 'running' | 'done' | 'refused' | 'aborted';
  release: Release;
}

test('in any order of acquires, releases and aborts: limits hold, no waiter is left while a slot is free for it, each accepted one gets a slot, and no key stays in memory', async () => {
  await fc.assert(
    fc.asyncProperty(anyOptions, anySteps, async (options, steps) => {
      const queue = createFairQueue({ ...options, maxWaitMs: 60_000 });
      const all: Request[] = [];
      const having = (state: Request['state'], key?: string) =>
        all.filter((one) => one.state === state && (key === undefined || one.key === key));

      async function check(): Promise<void> {
        await nextTick();
        expect([queue.running, queue.waiting]).toEqual([having('running').length, having('waiting').length]);
        expect(queue.running).toBeLessThanOrEqual(options.concurrency);
        expect(queue.waiting).toBeLessThanOrEqual(options.maxWaiting);
        const busy = new Set([...having('running'), ...having('waiting')].map(({ key }) => key));
        expect(queue.keys).toBe(busy.size);
        for (const key of busy) {
          expect(having('running', key).length).toBeLessThanOrEqual(options.concurrencyPerKey);
          expect(having('waiting', key).length).toBeLessThanOrEqual(options.maxWaitingPerKey);
          const couldRun =
            queue.running < options.concurrency && having('running', key).length < options.concurrencyPerKey;
          if (couldRun) expect(having('waiting', key)).toEqual([]);
        }
      }
      function acquire(key: string): void {
        const request: Request = { key, abort: new AbortController(), state: 'waiting', release: () => {} };
        const full =
          having('waiting').length >= options.maxWaiting ||
          having('waiting', key).length >= options.maxWaitingPerKey;
        const free =
          queue.running < options.concurrency && having('running', key).length < options.concurrencyPerKey;
        all.push(request);
        queue.acquire(key, request.abort.signal).then(
          (release) => Object.assign(request, { state: 'running', release }),
          (error) => {
            request.state = request.abort.signal.aborted ? 'aborted' : 'refused';
            if (request.state === 'aborted') expect(error).toBe(request.abort.signal.reason);
            else {
              expect(error).toMatchObject({ code: 'too_many_requests', retryAfterSeconds: 1 });
              expect([full, free]).toEqual([true, false]);
            }
          },
        );
      }
      function end(request: Request | undefined): void {
        if (request === undefined) return;
        request.state = 'done';
        request.release();
        request.release();
      }

      for (const step of steps) {
        if (step.do === 'acquire') acquire(step.key);
        else if (step.do === 'release') end(having('running')[step.nth % Math.max(1, queue.running)]);
        else having('waiting')[step.nth % Math.max(1, queue.waiting)]?.abort.abort();
        await check();
      }
      while (having('running').length > 0) {
        end(having('running')[0]);
        await check();
      }
      expect(having('waiting')).toEqual([]);
      expect([queue.running, queue.waiting, queue.keys]).toEqual([0, 0, 0]);
    }),
    { numRuns: 200 },
  );
});

test('waiting keys are served round robin, and the waiters of a key in their order, however many one key has', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 }), async (arrivals) => {
      const queue = createFairQueue({
        concurrency: 1,
        concurrencyPerKey: 1,
        maxWaitingPerKey: 40,
        maxWaiting: 40,
        maxWaitMs: 60_000,
      });
      const first = await queue.acquire('first');
      const order: { key: string; index: number }[] = [];
      const all = arrivals.map((key, index) => queue.run(key, async () => void order.push({ key, index })));
      first();
      await Promise.all(all);
      const left = [...order];
      // Expected: in each round one waiter of every key that has some, keys in the order of their first arrival.
      const queues = new Map([...new Set(arrivals)].map((key) => [key, [] as number[]]));
      for (const [index, key] of arrivals.entries()) queues.get(key)?.push(index);
      while (left.length > 0) {
        for (const [key, waiting] of queues) {
          const index = waiting.shift();
          if (index !== undefined) expect(left.shift()).toEqual({ key, index });
        }
      }
      expect(order).toHaveLength(arrivals.length);
    }),
  );
});

test('work that throws releases its slot', async () => {
  const queue = createFairQueue({
    concurrency: 1,
    concurrencyPerKey: 1,
    maxWaitingPerKey: 1,
    maxWaiting: 1,
    maxWaitMs: 60_000,
  });
  await expect(queue.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(queue.run('a', async () => 1)).resolves.toBe(1);
  expect(queue.keys).toBe(0);
});

test('acquiring with an aborted signal rejects with its reason and takes no slot', async () => {
  const queue = createFairQueue({
    concurrency: 1,
    concurrencyPerKey: 1,
    maxWaitingPerKey: 1,
    maxWaiting: 1,
    maxWaitMs: 60_000,
  });
  await expect(queue.acquire('a', AbortSignal.abort('gone'))).rejects.toBe('gone');
  expect([queue.running, queue.waiting, queue.keys]).toEqual([0, 0, 0]);
});

test('a waiter that has waited too long is refused, and takes no slot afterwards', async () => {
  const queue = createFairQueue({
    concurrency: 1,
    concurrencyPerKey: 1,
    maxWaitingPerKey: 9,
    maxWaiting: 9,
    maxWaitMs: 20,
  });
  const release = await queue.acquire('a');
  await expect(queue.acquire('b')).rejects.toMatchObject({ code: 'too_many_requests' });
  expect(queue.waiting).toBe(0);
  release();
  expect([queue.running, queue.keys]).toEqual([0, 0]);
});
