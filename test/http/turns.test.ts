// How many requests a turn of the event loop begins.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTurns } from '../../src/http/turns.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('whatever comes: all are begun, in order, a bounded number in a turn, and few while connections are accepted', async () => {
  const step = fc.record({ requests: fc.nat(150), accepts: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const turns = createTurns();
      const begun: number[] = [];
      let added = 0;
      for (const { requests, accepts } of steps) {
        const before = begun.length;
        if (accepts) turns.accepted();
        for (let one = 0; one < requests; one++) {
          const number = added++;
          turns.run('one', () => begun.push(number));
        }
        await turn();
        // What came in this turn, and what the next one took of the queue.
        expect(begun.length - before).toBeLessThanOrEqual(accepts ? 72 : 128);
      }
      while (begun.length < added) await turn();
      expect(begun).toEqual(Array.from({ length: added }, (_, i) => i));
    }),
    { numRuns: 30 },
  );
});

test('addresses take turns: one that comes late does not wait for all that another has sent', async () => {
  const turns = createTurns();
  const begun: string[] = [];
  for (let one = 0; one < 1_000; one++) turns.run('busy', () => begun.push('busy'));
  turns.run('quiet', () => begun.push('quiet'));
  await turn();
  expect(begun).toContain('quiet');
  expect(begun.length).toBeLessThan(200);
});
