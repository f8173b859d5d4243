// Recording outcomes while the database is unreachable, and when one of them cannot be recorded.
import { expect, test } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { createOutcomeWriter } from '../../src/jobs/delivery/outcome-writer.ts';
import { createLogger } from '../../src/output/log.ts';
import { ON_ONE_SERVER } from '../../src/store/shard-placement/placement.ts';
import type { Outcome } from '../../src/store/webhooks/delivery-outcomes.ts';
import type { WorkerStore } from '../../src/store/worker-store.ts';

const log = createLogger('fatal', { write() {} });

/** A store whose statements get the numbers of the outcomes. */
function storeOf(record: (numbers: readonly number[]) => void): WorkerStore {
  const query = async ({ values }: { values: [string] }) => {
    record((JSON.parse(values[0]) as Outcome[]).map(({ number }) => number));
    return { rows: [] };
  };
  return { pool: { query }, placement: { rules: async () => ON_ONE_SERVER } } as unknown as WorkerStore;
}
const outcome = (number: number) => ({ number, deliveryCreatedAt: new Date() }) as Outcome;

test('outcomes wait for an unreachable database until the worker must end', async () => {
  let tries = 0;
  const halting = new AbortController();
  const away = () => {
    tries++;
    throw new AppError('unavailable', 'away');
  };
  const written = createOutcomeWriter(storeOf(away), log, halting.signal)(outcome(1));
  await expect.poll(() => tries).toBeGreaterThan(1);
  halting.abort();
  await expect(written).rejects.toThrow('away');
});

test('an outcome that cannot be recorded does not prevent others from being recorded', async () => {
  const recorded: number[] = [];
  const refusing = (numbers: readonly number[]) => {
    if (numbers.includes(2)) throw new Error('refused');
    recorded.push(...numbers);
  };
  const write = createOutcomeWriter(storeOf(refusing), log, new AbortController().signal);
  const settled = await Promise.allSettled([1, 2, 3].map((number) => write(outcome(number))));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(recorded).toEqual([1, 3]);
});
