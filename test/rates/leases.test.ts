// What a process does with one lease, and the accounts with one request, where several are under way or a window ends meanwhile.
import { expect, test } from 'vitest';
import { createAccounts, type Lease, type LeaseRequest } from '../../src/rates/accounts.ts';
import { createLeasedCounter } from '../../src/rates/leased-counter.ts';

const OPTIONS = { name: 'key', limit: 160, windowSeconds: 10 };

/** A process whose questions are answered by the test. */
function createProcess() {
  let time = 0;
  const questions: (PromiseWithResolvers<Lease> & { readonly request: LeaseRequest })[] = [];
  const lease = (request: LeaseRequest) => {
    const question = { ...Promise.withResolvers<Lease>(), request };
    questions.push(question);
    return question.promise;
  };
  const counter = createLeasedCounter(OPTIONS, { lease }, () => time);
  return {
    ...{ counter, questions },
    take: (points: number) => counter.take('a', points),
    answer(given: Partial<Lease>) {
      questions.at(-1)?.resolve({ granted: 0, free: 0, elsewhere: 0, window: 1, restMs: 10_000, ...given });
    },
    pass(ms: number) {
      time += ms;
    },
  };
}

test('what is left is said with what others have, unless the answer is that it does not suffice', async () => {
  const { take, answer } = createProcess();
  const accepted = take(1);
  answer({ granted: 4, free: 10, elsewhere: 3 });
  expect(await accepted).toMatchObject({ accepted: true, reading: { remaining: 16 } });
  const refused = take(50);
  answer({ free: 13, elsewhere: 3 });
  expect(await refused).toMatchObject({ accepted: false, reading: { remaining: 13 } });
});

test('nobody overtakes those who wait, not even with points that were given back meanwhile', async () => {
  const { counter, take, answer, questions } = createProcess();
  const first = take(5);
  answer({ granted: 5 });
  await first;
  const order: number[] = [];
  const large = Promise.resolve(take(5)).then(() => order.push(5));
  counter.giveBack('a', 2, 10_000);
  const small = Promise.resolve(take(1)).then(() => order.push(1));
  answer({ granted: 5 });
  await Promise.all([large, small]);
  expect(order).toEqual([5, 1]);
  expect(questions).toHaveLength(2);
});

test('points of another window are neither spent, nor given up, nor given back', async () => {
  const { counter, take, answer, pass } = createProcess();
  const first = take(5);
  answer({ granted: 5 });
  const { reading } = await first;
  const next = take(5);
  // While it is asked for, the points of the first window come back; the answer is of the second one.
  counter.giveBack('a', 5, reading.resetMs);
  pass(10);
  answer({ granted: 8, window: 2 });
  expect((await next).accepted).toBe(true);
  pass(500);
  counter.giveBack('a', 5, 300);
  expect(counter.giveUp('a', 1)).toBe(0);
  expect(counter.giveUp('a', 2)).toBe(3);
  expect(counter.giveUp('a', 2)).toBe(0);
});

test('a window ends no later than in the accounts, and a slow answer does not shorten it', async () => {
  const { take, answer, pass } = createProcess();
  const first = take(5);
  pass(400);
  answer({ granted: 5, restMs: 9_600 });
  expect((await first).reading.resetMs).toBe(9_200);
  const second = take(5);
  pass(600);
  answer({ granted: 5, restMs: 8_000 });
  expect((await second).reading.resetMs).toBe(8_600);
});

test('where nothing can be leased all who wait are told, and the next one asks again', async () => {
  const { take, answer, questions } = createProcess();
  const waiting = Promise.allSettled([take(1), take(2)]);
  questions[0]?.reject(new Error('gone'));
  expect(await waiting).toMatchObject([{ reason: { message: 'gone' } }, { reason: { message: 'gone' } }]);
  const next = take(1);
  answer({ granted: 1 });
  expect((await next).accepted).toBe(true);
});

/** The accounts of two processes. @param recall what becomes of a question to the other one */
function createAccountsOfTwo(recall: () => Promise<number>) {
  let time = 0;
  const accounts = createAccounts({ ...OPTIONS, holders: 2, recall, now: () => time });
  const none = { limit: 'key', key: 'a', need: 1, wanted: 1, returned: 0, window: 0 };
  return {
    lease: (holder: number, request: Partial<LeaseRequest>) =>
      accounts.lease(holder, { ...none, ...request }),
    pass(ms: number) {
      time += ms;
    },
  };
}

test('as much as those want who wait is leased at once', async () => {
  const { lease } = createAccountsOfTwo(async () => 0);
  expect(await lease(0, {})).toMatchObject({ granted: 10, free: 150 });
  expect(await lease(1, { wanted: 100 })).toMatchObject({ granted: 100, free: 50, elsewhere: 10 });
});

test('after a recall no more is leased than is needed', async () => {
  const { lease } = createAccountsOfTwo(async () => 10);
  await lease(1, {});
  const { granted, window } = await lease(0, { need: 155, wanted: 155 });
  expect(granted).toBe(155);
  // More requests wait in the process: what they want together is not held back from the others.
  const again = await lease(0, { wanted: 40, returned: granted, window });
  expect(again).toMatchObject({ granted: 1, free: 159 });
});

test('one that has not answered is not waited for again', async () => {
  let asked = 0;
  const { lease } = createAccountsOfTwo(() => {
    asked += 1;
    return new Promise(() => {});
  });
  await lease(1, {});
  for (let i = 0; i < 2; i++)
    expect(await lease(0, { need: 155, wanted: 155 })).toMatchObject({ granted: 0 });
  expect(asked).toBe(1);
});

test('a window that ends during a recall is not leased of', async () => {
  const { lease, pass } = createAccountsOfTwo(async () => {
    pass(10_000);
    return 0;
  });
  const { window } = await lease(1, {});
  const next = await lease(0, { need: 155, wanted: 155 });
  expect(next).toMatchObject({ granted: 155, restMs: 10_000 });
  expect(next.window).not.toBe(window);
});
