// The queues that limit expensive work of the store, so that one team's load does not affect the others.
import { createFairQueue, type FairQueue } from '../../concurrency/fair-queue.ts';

/** Connections for reads that may scan many rows. */
export const SCANS = 2;

/** The queue of expensive reads: one at a time for a team, so that one team cannot use all slots. */
export function createExpensive(): FairQueue {
  return createFairQueue({
    maxWaitMs: 20_000,
    concurrency: SCANS,
    concurrencyPerKey: 1,
    maxWaitingPerKey: 128,
    maxWaiting: 1_000,
  });
}

/** The queue of changes: it always leaves one pool connection for other work, and another one that a single team cannot take. */
export function createChanging(poolSize: number): FairQueue {
  return createFairQueue({
    maxWaitMs: 10_000,
    concurrency: Math.max(1, poolSize - 1),
    concurrencyPerKey: Math.max(1, poolSize - 2),
    maxWaitingPerKey: 500,
    maxWaiting: 2_000,
  });
}
