// Inserts many rows in chunks. Each chunk is one transaction, so that an interruption leaves only complete chunks.
import type pg from 'pg';
import { requestCancel } from '../connections/cancel.ts';
import { cancellingOn } from '../connections/cancelling.ts';
import { transactionOn } from '../connections/executor.ts';
import { LIFT_LIMITS } from '../connections/time-limits.ts';

export interface BulkOptions {
  readonly workspaceId: bigint;
  readonly count: number;
  /** The rows' dates are spread over the time before this. */
  readonly now: Date;
  readonly signal: AbortSignal;
  /** Called after every chunk with the number of its objects. */
  readonly onProgress: (added: number) => void;
}

interface Chunks extends Pick<BulkOptions, 'count' | 'signal' | 'onProgress'> {
  /** Small enough for a busy machine, because a connection that receives nothing for long is closed (store/connections/pool.ts). */
  readonly chunkSize: number;
  /** The tables to analyze at the end. */
  readonly tables: readonly string[];
  /** Whether an interruption cancels running chunks. Otherwise they are completed. */
  readonly isCancelled: boolean;
  /** Inserts the objects with the numbers from `from` to `to`, inclusive; the first number is 0. */
  insert(client: pg.PoolClient, from: number, to: number): Promise<unknown>;
}

/** How many chunks run concurrently. */
const MAX_WORKERS = 3;

/**
 * Inserts many objects in the order of their numbers.
 * @returns how many were committed: fewer than requested after an abort
 */
export async function insertInChunks(pool: pg.Pool, chunks: Chunks): Promise<number> {
  const { count, chunkSize, signal, tables, isCancelled, insert, onProgress } = chunks;
  const cancel = isCancelled ? signal : NEVER;
  let begun = 0;
  let added = 0;
  async function work(): Promise<void> {
    while (begun < count && !signal.aborted) {
      const from = begun;
      begun = Math.min(count, begun + chunkSize);
      const to = begun - 1;
      await withoutLimits(pool, (client) => insert(client, from, to), cancel);
      added += to - from + 1;
      onProgress(to - from + 1);
    }
  }
  const workers = Array.from({ length: MAX_WORKERS }, () =>
    work().catch((error: unknown) => {
      begun = count;
      throw error;
    }),
  );
  const outcomes = await Promise.allSettled(workers);
  if (added > 0) await withoutLimits(pool, (client) => client.query(`analyze ${tables.join(', ')}`));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed && !signal.aborted) throw failed.reason;
  return added;
}

const NEVER = new AbortController().signal;

/** Executes one transaction without the limits that requests have. */
export async function withoutLimits<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
  signal = NEVER,
): Promise<Result> {
  const client = await pool.connect();
  try {
    const done = transactionOn(client, async () => {
      await client.query(LIFT_LIMITS);
      return work(client);
    });
    return await cancellingOn(signal, () => requestCancel(pool.options, client), done);
  } finally {
    client.release(signal.aborted);
  }
}
