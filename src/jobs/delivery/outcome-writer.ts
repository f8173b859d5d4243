// Records outcomes of attempts. Those that arrive while a statement is under way go together into the next one.
import { AppError } from '../../errors.ts';
import type { Logger } from '../../output/log.ts';
import type { Outcome } from '../../store/sql/attempt-outcome.ts';
import { recordOutcomes } from '../../store/webhooks/delivery-outcomes.ts';
import type { WorkerStore } from '../../store/worker-store.ts';

export interface OutcomeWriter {
  /**
   * Resolves once the outcome is recorded, however long the database is unavailable. Rejects when it cannot be recorded, or after `close`.
   */
  write(outcome: Outcome): Promise<void>;
  /** Drops outcomes that are not recorded yet. */
  close(): void;
}

interface Waiting {
  readonly outcome: Outcome;
  resolve(): void;
  reject(error: unknown): void;
}

const BATCH = 200;
const RETRY_MS = 500;

/** The only writer of a worker. */
export function createOutcomeWriter(db: WorkerStore, log: Logger): OutcomeWriter {
  const closing = new AbortController();
  let waiting: Waiting[] = [];
  let isWriting = false;

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH);
      await writeBatch(batch);
    }
    isWriting = false;
  }

  async function writeBatch(batch: readonly Waiting[]): Promise<void> {
    for (;;) {
      try {
        await recordOutcomes(
          db,
          batch.map(({ outcome }) => outcome),
        );
        for (const { resolve } of batch) resolve();
        return;
      } catch (error) {
        const isAway = error instanceof AppError && error.code === 'unavailable';
        if (closing.signal.aborted || (!isAway && batch.length === 1)) {
          if (!isAway) log.error({ err: error }, 'outcome of a delivery not written');
          for (const { reject } of batch) reject(error);
          return;
        }
        // One of them cannot be recorded, so each is tried on its own.
        if (!isAway) {
          for (const one of batch) await writeBatch([one]);
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  return {
    write(outcome) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ outcome, resolve, reject });
      if (!isWriting) void writeAll();
      return promise;
    },
    close() {
      closing.abort();
      const given = waiting;
      waiting = [];
      for (const { reject } of given) reject(new Error('The worker is closed.'));
    },
  };
}
