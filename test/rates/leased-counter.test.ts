// A limit that several processes lease points of is one account: no more than the limit is spent in a window, and all of it can be.
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { type Accounts, createAccounts, type LeaseRequest } from '../../src/rates/accounts.ts';
import { takeUpTo } from '../../src/rates/counter.ts';
import { createLeasedCounter, type LeasedCounter } from '../../src/rates/leased-counter.ts';

vi.setConfig({ testTimeout: 60_000 });

interface Cluster {
  readonly counters: readonly LeasedCounter[];
  /** What was asked of the accounts so far. */
  readonly asked: LeaseRequest[];
  /** Processes that answer nothing any more. */
  readonly silent: Set<number>;
  /** How often a process was asked for what it has not spent. */
  readonly recalls: () => number;
  pass(ms: number): void;
}

/** Processes that talk to the accounts over connections which keep the order of messages; each takes a turn of the event loop. */
function createCluster(processes: number, limit: number, windowSeconds = 10): Cluster {
  let time = 1_000;
  const now = () => time;
  const options = { name: 'key', limit, windowSeconds };
  const [asked, silent]: [LeaseRequest[], Set<number>] = [[], new Set()];
  let recalls = 0;
  const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));
  const accounts: Accounts = createAccounts({
    ...{ ...options, holders: processes, now },
    recall: async (holder, _limit, key, window) => {
      recalls += 1;
      await turn();
      if (silent.has(holder)) return new Promise<number>(() => {});
      const unspent = counters[holder]?.giveUp(key, window) ?? 0;
      await turn();
      return unspent;
    },
  });
  const counters = Array.from({ length: processes }, (_, holder) =>
    createLeasedCounter(
      options,
      {
        lease: async (request) => {
          asked.push(request);
          await turn();
          const lease = await accounts.lease(holder, request);
          await turn();
          return lease;
        },
      },
      now,
    ),
  );
  return {
    ...{ counters, asked, silent, recalls: () => recalls },
    pass(ms) {
      time += ms;
    },
  };
}

const taker = ({ counters }: Cluster) => {
  return async (process: number, points: number, key = 'a') => {
    const counter = counters[process % counters.length];
    if (counter === undefined) throw new Error('There is no such process.');
    return { counter, ...(await counter.take(key, points)) };
  };
};

/** How many of requests that come one after the other are accepted. */
async function acceptedOf(
  requests: number,
  take: (index: number) => Promise<{ accepted: boolean }>,
): Promise<number> {
  let accepted = 0;
  for (let i = 0; i < requests; i++) if ((await take(i)).accepted) accepted += 1;
  return accepted;
}

describe('in any order of requests at any process', () => {
  const step = fc.record({
    process: fc.integer({ min: 0, max: 3 }),
    points: fc.integer({ min: 0, max: 12 }),
    key: fc.constantFrom('a', 'b'),
    giveBack: fc.boolean(),
    waitMs: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.integer({ min: 100, max: 6_000 })),
  });

  const at = (process: number, points: number) => ({ process, points, key: 'a', giveBack: false, waitMs: 0 });

  test('one after the other: exactly what would fit into one account is accepted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 4 }),
        async (steps, limit, processes) => {
          const cluster = createCluster(processes, limit);
          const take = taker(cluster);
          const windows = new Map<string, { used: number; age: number }>();
          for (const { process, points, key, giveBack, waitMs } of steps) {
            cluster.pass(waitMs);
            for (const window of windows.values()) window.age += waitMs;
            const known = windows.get(key);
            const window = known !== undefined && known.age < 10_000 ? known : { used: 0, age: 0 };
            windows.set(key, window);
            // What was refused is asked again after a moment: somebody may have given points back.
            let { counter, accepted, reading } = await take(process, points, key);
            if (!accepted) {
              cluster.pass(100);
              for (const one of windows.values()) one.age += 100;
              if (window.age >= 10_000) return;
              ({ counter, accepted, reading } = await take(process, points, key));
            }
            expect(accepted).toBe(window.used + points <= limit);
            if (!accepted) expect(reading.remaining).toBe(limit - window.used);
            if (!accepted) continue;
            if (giveBack) counter.giveBack(key, points, reading.resetMs);
            else window.used += points;
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  test('all at once: never more than the limit is accepted, and nothing is refused that would still have fitted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 80 }),
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 2, max: 4 }),
        async (steps, limit, processes) => {
          const take = taker(createCluster(processes, limit));
          const all = await Promise.all(
            steps.map(async ({ process, points }) => ({ points, ...(await take(process, points)) })),
          );
          const spent = all.reduce((sum, { accepted, points }) => sum + (accepted ? points : 0), 0);
          expect(spent).toBeLessThanOrEqual(limit);
          for (const { accepted, points } of all)
            if (!accepted) expect(spent + points).toBeGreaterThan(limit);
        },
      ),
      // The one point that process 1 does not spend must not lie there while process 0, which waits for its return, is refused.
      { numRuns: 30, examples: [[[at(1, 0), at(1, 2), at(0, 3), at(1, 2), at(0, 1)], 3, 2]] },
    );
  });
});

test('a caller whose requests all go to one process has the whole limit, whatever the others have leased', async () => {
  const take = taker(createCluster(4, 1_000));
  for (const process of [0, 1, 2, 3]) expect((await take(process, 1)).accepted).toBe(true);
  expect(await acceptedOf(2_000, () => take(0, 1))).toBe(996);
});

test('a process asks seldom while there is enough, and seldom when there is nothing left', async () => {
  const cluster = createCluster(2, 100_000);
  const take = taker(cluster);
  expect(await acceptedOf(100_000, (i) => take(i, 1))).toBe(100_000);
  const before = cluster.asked.length;
  expect(before).toBeLessThan(500);
  expect(await acceptedOf(1_000, (i) => take(i, 1))).toBe(0);
  expect(cluster.asked.length - before).toBeLessThanOrEqual(4);
});

test('what a process had leased when it fell silent is not spent by anybody, and holds nobody up', async () => {
  const cluster = createCluster(2, 160);
  const take = taker(cluster);
  await take(1, 1);
  cluster.silent.add(1);
  expect(await acceptedOf(200, () => take(0, 1))).toBe(150);
});

test('in the next window there is a whole limit again, and nothing of the last one', async () => {
  const cluster = createCluster(2, 50);
  const take = taker(cluster);
  for (const process of [0, 1]) await take(process, 1);
  cluster.pass(10_000);
  const taken = await Promise.all(Array.from({ length: 80 }, (_, i) => take(i, 1)));
  expect(taken.filter(({ accepted }) => accepted)).toHaveLength(50);
});

test('who goes on asking for what is used up has the processes asked for it no oftener than one process would', async () => {
  const cluster = createCluster(8, 80);
  const take = taker(cluster);
  for (let i = 0; i < 200; i++) await take(i, 1);
  const before = cluster.recalls();
  for (let tenths = 0; tenths < 10; tenths++) {
    cluster.pass(100);
    const all = await Promise.all(Array.from({ length: 80 }, (_, i) => take(i, 1)));
    expect(all.some(({ accepted }) => accepted)).toBe(false);
  }
  expect(cluster.recalls() - before).toBeLessThanOrEqual(10 * 8);
});

test('what is done already uses up all that is left, wherever it is leased', async () => {
  const { counters } = createCluster(2, 100);
  const [one, other] = counters as readonly [LeasedCounter, LeasedCounter];
  for (const counter of [one, other]) expect((await counter.take('a', 5)).accepted).toBe(true);
  expect((await takeUpTo(one, 'a', 80)).accepted).toBe(true);
  expect((await takeUpTo(other, 'a', 980)).reading.remaining).toBe(0);
  for (const counter of [one, other]) expect((await counter.take('a', 1)).accepted).toBe(false);
});
