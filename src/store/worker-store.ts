// The connections of a worker: its own small pool, so that deliveries and requests never take connections from each other.
import type { Logger } from '../output/log.ts';
import { createPool } from './connections/pool.ts';
import { answerTimeout, limitTransactions } from './connections/time-limits.ts';
import { SCAN_SETTINGS } from './pipelining/session.ts';
import type { Store } from './store.ts';

export interface WorkerStore extends Pick<Store, 'pool' | 'placement'> {
  close(): Promise<void>;
}

/** The worker's connections, not counting the one for LISTEN. */
const CONNECTIONS = 4;

/** Creates the store. The first statement opens a connection. */
export function createWorkerStore(
  {
    connection,
    placement,
    preparedStatements,
  }: Pick<Store, 'connection' | 'placement' | 'preparedStatements'>,
  log: Logger,
): WorkerStore {
  const { statement_timeout: timeout } = connection;
  const timeoutMs = typeof timeout === 'number' ? timeout : 0;
  const limits = `${limitTransactions(timeoutMs)}; ${SCAN_SETTINGS}`;
  const pooled = createPool(
    { ...connection, max: CONNECTIONS },
    { answerTimeoutMs: answerTimeout(timeoutMs), limits, preparedStatements },
    log,
  );
  return { pool: pooled.pool, placement, close: pooled.close };
}
