import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFairQueue, type Release } from '../src/concurrency/fair-queue.ts';

/** Waits until the callbacks of settled promises have run. */
const nextTick = () => new Promise((resolve) => setImmediate(resolve));

const anyOptions = fc.record({
  concurrency: fc.integer({ min: 1, max: 8 }),
  concurrencyPerKey: fc.integer({ min: 1, max: 6 }),
  maxWaitingPerKey: fc.integer({ min: 0, max: 4 }),
  maxWaiting: fc.integer({ min: 0, max: 8 }),
  perTurn: fc.constantFrom(1, 3, Infinity),
  hasShares: fc.boolean(),
});
const anySteps = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant('acquire' as const),
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      weight: fc.integer({ min: 1, max: 9 }),
    }),
    fc.record({ do: fc.constantFrom('release' as const, 'abort' as const), nth: fc.nat(20) }),
  ),
  { maxLength: 60 },
);

interface Request {
  readonly key: string;
  readonly weight: number;
  readonly abort: AbortController;
  state: 'waiting' | 'running' | 'done' | 'refused' | 'aborted';
  release: Release;
}

test('any order of acquires, releases and aborts keeps the limits, idles no free slot, serves each key in order and leaves no key in memory', async () => {
  await fc.assert(
    fc.asyncProperty(anyOptions, anySteps, async (given, steps) => {
      const options = { ...given, concurrencyPerKey: Math.min(given.concurrencyPerKey, given.concurrency) };
      const queue = createFairQueue({ ...options, maxWaitMs: 60_000 });
      const all: Request[] = [];
      const having = (state: Request['state'], key?: string) =>
        all.filter((one) => one.state === state && (key === undefined || one.key === key));
      const sum = (some: Request[]) => some.reduce((total, { weight }) => total + weight, 0);

      async function check(): Promise<void> {
        // As many turns as it may take to begin all.
        for (let turns = 0; turns < (options.perTurn === Infinity ? 1 : 10); turns++) await nextTick();
        const running = sum(having('running'));
        expect([queue.running, queue.waiting]).toEqual([running, having('waiting').length]);
        expect(running).toBeLessThanOrEqual(options.concurrency * (options.hasShares ? 2 : 1));
        expect(queue.waiting).toBeLessThanOrEqual(options.maxWaiting);
        const busy = new Set([...having('running'), ...having('waiting')].map(({ key }) => key));
        expect(queue.keys).toBe(busy.size);
        let couldRun = false;
        for (const key of busy) {
          const own = sum(having('running', key));
          const [first, ...more] = having('waiting', key);
          expect(own).toBeLessThanOrEqual(options.concurrencyPerKey);
          expect(more.length).toBeLessThan(Math.max(1, options.maxWaitingPerKey));
          if (first === undefined) continue;
          // A key with nothing in progress waits only while there is twice as much as there should be.
          if (options.hasShares && own === 0) expect(running).toBeGreaterThanOrEqual(2 * options.concurrency);
          if (own + first.weight <= options.concurrencyPerKey)
            couldRun ||= having('waiting').every(({ weight }) => running + weight <= options.concurrency);
        }
        expect(couldRun).toBe(false);
      }
      function began(request: Request, release: Release): void {
        const earlier = all.slice(0, all.indexOf(request)).filter(({ key }) => key === request.key);
        expect(earlier.filter(({ state }) => state === 'waiting')).toEqual([]);
        Object.assign(request, { state: 'running', release });
      }
      function acquire(key: string, weight: number): void {
        const request: Request = {
          key,
          weight: Math.min(weight, options.concurrencyPerKey),
          abort: new AbortController(),
          state: 'waiting',
          release: () => {},
        };
        const full =
          having('waiting').length >= options.maxWaiting ||
          having('waiting', key).length >= options.maxWaitingPerKey;
        all.push(request);
        try {
          const slot = queue.acquire(key, request.abort.signal, weight);
          if (typeof slot === 'function') began(request, slot);
          else
            slot.then(
              (release) => began(request, release),
              (error) => {
                request.state = 'aborted';
                expect(error).toBe(request.abort.signal.reason);
              },
            );
        } catch (error) {
          request.state = 'refused';
          expect(error).toMatchObject({ code: 'too_many_requests', retryAfterSeconds: 1 });
          expect(full).toBe(true);
        }
      }
      function end(request: Request | undefined): void {
        if (request === undefined) return;
        request.state = 'done';
        request.release();
        request.release();
      }

      for (const step of steps) {
        // Shares are for work that weighs the same.
        if (step.do === 'acquire') acquire(step.key, options.hasShares ? 1 : step.weight);
        else {
          const some = having(step.do === 'release' ? 'running' : 'waiting');
          const one = some[step.nth % Math.max(1, some.length)];
          if (step.do === 'release') end(one);
          else one?.abort.abort();
        }
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

test('waiting keys are served round robin, and the waiters of each key in order, however many one key has', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 }), async (arrivals) => {
      const queue = createFairQueue({ concurrency: 1, concurrencyPerKey: 1 });
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
  const queue = createFairQueue({ concurrency: 1, concurrencyPerKey: 1 });
  await expect(queue.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(queue.run('a', async () => 1)).resolves.toBe(1);
  expect(queue.keys).toBe(0);
});

test('acquiring with an aborted signal throws its reason and takes no slot', () => {
  const queue = createFairQueue({ concurrency: 1, concurrencyPerKey: 1 });
  expect(() => queue.acquire('a', AbortSignal.abort(new Error('gone')))).toThrow('gone');
  expect([queue.running, queue.waiting, queue.keys]).toEqual([0, 0, 0]);
});

test('an event loop tick starts no more work than its limit, however fast it ends, and alternates between keys', async () => {
  const queue = createFairQueue({ concurrency: 100, concurrencyPerKey: 100, perTick: 10 });
  const begun: string[] = [];
  const all = Array.from({ length: 1_000 }, () => queue.run('busy', async () => void begun.push('busy')));
  all.push(queue.run('quiet', async () => void begun.push('quiet')));
  await nextTick();
  expect(begun).toContain('quiet');
  expect(begun.length).toBeLessThanOrEqual(30);
  await Promise.all(all);
  expect(begun).toHaveLength(1_001);
});

test('a waiter is refused after its timeout, and takes no slot afterwards', async () => {
  const queue = createFairQueue({ concurrency: 1, concurrencyPerKey: 1, maxWaitMs: 20 });
  const release = await queue.acquire('a');
  await expect(queue.acquire('b')).rejects.toMatchObject({ code: 'too_many_requests' });
  expect(queue.waiting).toBe(0);
  release();
  expect([queue.running, queue.keys]).toEqual([0, 0]);
});
