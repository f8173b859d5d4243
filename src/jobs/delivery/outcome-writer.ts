// Records outcomes of attempts in batches: outcomes that arrive while a statement runs share the next one.
import { setTimeout as sleep } from 'node:timers/promises';
import { batched } from '../../concurrency/batched.ts';
import { AppError } from '../../errors.ts';
import type { Logger } from '../../output/log.ts';
import { type Outcome, recordOutcomes } from '../../store/webhooks/delivery-outcomes.ts';
import type { WorkerStore } from '../../store/worker-store.ts';

/**
 * Records an outcome. Retries for as long as the database is unavailable.
 * @throws Error when it cannot be recorded, or when the worker has to end while the database is unavailable
 */
export type WriteOutcome = (outcome: Outcome) => Promise<void>;

const BATCH = 200;
const RETRY_MS = 500;

/** Creates the only writer of a worker. @param halt once aborted, the writer does not wait for the database */
export function createOutcomeWriter(db: WorkerStore, log: Logger, halt: AbortSignal): WriteOutcome {
  /** @returns for each outcome the error that kept it from being recorded, or null */
  async function record(outcomes: readonly Outcome[]): Promise<(Error | null)[]> {
    for (;;) {
      try {
        await recordOutcomes(db, outcomes);
        return outcomes.map(() => null);
      } catch (error) {
        const isUnavailable = error instanceof AppError && error.code === 'unavailable';
        if (isUnavailable && !halt.aborted) {
          await sleep(RETRY_MS, undefined, { signal: halt }).catch(() => {});
          continue;
        }
        if (!isUnavailable && outcomes.length === 1)
          log.error({ err: error }, 'outcome of a delivery not written');
        if (isUnavailable || outcomes.length === 1) return outcomes.map(() => error as Error);
      }
      // One of them cannot be recorded, so this tries each alone.
      const single: (Error | null)[] = [];
      for (const outcome of outcomes) single.push(...(await record([outcome])));
      return single;
    }
  }

  const write = batched(record, BATCH);
  return async (outcome) => {
    const error = await write(outcome);
    if (error !== null) throw error;
  };
}
