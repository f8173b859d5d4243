// Pools of connections: their timeouts, and what becomes of a connection over which nothing arrives any more.
import pg from 'pg';
import type { Logger } from '../log.ts';
import { toReason } from './failures.ts';
import { connectionOf } from './readers/rows-query.ts';

export interface Pool {
  readonly pool: pg.Pool;
  /** Closes every connection; those over which the closing handshake does not complete, after a time. */
  close(): Promise<void>;
}

const CLOSE_TIMEOUT_MS = 2_000;

/**
 * Creates a pool without opening a connection.
 * @param limits how long a connection in use may be silent, and what limits the transactions of a session (time-limits.ts)
 */
export function createPool(
  config: pg.PoolConfig,
  { answerTimeoutMs, limits }: { answerTimeoutMs: number; limits: string },
  log: Logger,
): Pool {
  const pool = new pg.Pool({ ...config, onConnect: async (client) => void (await client.query(limits)) });
  // An idle connection that breaks is replaced at the next statement; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ reason: toReason(error) }, 'idle database connection lost'));
  const { destroy } = limitSilence(pool, answerTimeoutMs);
  return {
    pool,
    async close() {
      // Over a broken network the closing handshake never completes.
      const timer = setTimeout(destroy, CLOSE_TIMEOUT_MS);
      await pool.end();
      clearTimeout(timer);
    },
  };
}

/**
 * Closes a connection of the pool that receives nothing for so long while it is in use: PostgreSQL would have cancelled a statement
 * earlier, so that the network or the server is stalled.
 * @returns a function that closes all connections at once
 */
function limitSilence(pool: pg.Pool, timeoutMs: number): { destroy(): void } {
  const streamOf = (client: pg.PoolClient) => connectionOf(client).stream;
  const clients = new Set<pg.PoolClient>();
  pool.on('remove', (client) => clients.delete(client));
  pool.on('connect', (client) => {
    clients.add(client);
    const stream = streamOf(client);
    stream.on('timeout', () => stream.destroy(new Error('Connection terminated: no answer in time')));
  });
  pool.on('acquire', (client) => streamOf(client).setTimeout(timeoutMs));
  pool.on('release', (_, client) => streamOf(client).setTimeout(0));
  return {
    destroy() {
      for (const client of clients) streamOf(client).destroy();
    },
  };
}
