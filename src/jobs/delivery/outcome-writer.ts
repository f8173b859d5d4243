// Records outcomes of attempts. Those that arrive while a statement is under way go together into the next one.
import { setTimeout as sleep } from 'node:timers/promises';
import { together } from '../../concurrency/together.ts';
import { AppError } from '../../errors.ts';
import type { Logger } from '../../output/log.ts';
import { type Outcome, recordOutcomes } from '../../store/webhooks/delivery-outcomes.ts';
import type { WorkerStore } from '../../store/worker-store.ts';

/**
 * Resolves once the outcome is recorded, however long the database is unavailable.
 * @throws Error when it cannot be recorded, or while the database is unavailable and the worker has to end
 */
export type WriteOutcome = (outcome: Outcome) => Promise<void>;

const BATCH = 200;
const RETRY_MS = 500;

/** The only writer of a worker. @param halt once it is aborted, the database is not waited for */
export function createOutcomeWriter(db: WorkerStore, log: Logger, halt: AbortSignal): WriteOutcome {
  /** @returns for each outcome why it was not recorded; null: it was */
  async function record(outcomes: readonly Outcome[]): Promise<(Error | null)[]> {
    for (;;) {
      try {
        await recordOutcomes(db, outcomes);
        return outcomes.map(() => null);
      } catch (error) {
        const isAway = error instanceof AppError && error.code === 'unavailable';
        if (isAway && !halt.aborted) {
          await sleep(RETRY_MS, undefined, { signal: halt }).catch(() => {});
          continue;
        }
        if (!isAway && outcomes.length === 1) log.error({ err: error }, 'outcome of a delivery not written');
        if (isAway || outcomes.length === 1) return outcomes.map(() => error as Error);
      }
      // One of them cannot be recorded, so each is tried on its own.
      const single: (Error | null)[] = [];
      for (const outcome of outcomes) single.push(...(await record([outcome])));
      return single;
    }
  }

  const write = together(record, BATCH);
  return async (outcome) => {
    const error = await write(outcome);
    if (error !== null) throw error;
  };
}
