// Creates connection pools with timeouts, and closes connections that have stopped receiving data.
import pg from 'pg';
import type { Logger } from '../../output/log.ts';
import type { Readings } from '../../telemetry/kinds.ts';
import { requestCancel } from './cancel.ts';
import { isStale, markUnsent, toReason } from './failures.ts';
import type { Liveness, Watched } from './liveness.ts';
import { keepConnectionAfterErrors } from './pool-query.ts';
import { protocolConnectionOf } from './rows-query.ts';
import { type ConnectionConfig, replaceConstants } from './sql-constants.ts';

export interface Pool extends Watched {
  readonly pool: pg.Pool;
  /** Cancels every running statement. */
  cancel(): Promise<void>;
  /** Closes every connection. If the closing handshake does not complete, the connection is destroyed after a time. */
  close(): Promise<void>;
}

const CLOSE_TIMEOUT_MS = 2_000;

interface PoolOptions {
  readonly answerTimeoutMs: number;
  readonly limits: string;
  readonly liveness?: Liveness | null;
  readonly preparedStatements: boolean;
}

/**
 * Creates a pool without opening a connection.
 * @param options.answerTimeoutMs how long a connection in use may receive nothing
 * @param options.limits the SQL that limits the transactions of a session (time-limits.ts)
 * @param options.liveness while the database does not answer, requests for a connection are refused at once
 */
export function createPool(
  config: pg.PoolConfig & ConnectionConfig,
  { answerTimeoutMs, limits, liveness = null, preparedStatements }: PoolOptions,
  log: Logger,
): Pool {
  const clients = new Set<pg.Client>();
  const pool = new pg.Pool({
    ...config,
    Client: trackedClient(clients, preparedStatements, config),
    onConnect: async (client) => void (await client.query(limits)),
  });
  // The pool replaces a broken idle connection at the next statement. When the pool ends, the embedded server may stop before its last
  // connection is closed.
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ reason: toReason(error) }, 'idle database connection lost');
  });
  handleConnectionErrors(pool);
  limitSilence(pool, answerTimeoutMs);
  closeStale(pool);
  keepConnectionAfterErrors(pool);
  const waiting = liveness === null ? new Set<never>() : refuseWhileAway(pool, liveness);
  const socketOf = (client: pg.Client) => protocolConnectionOf(client).stream;
  const destroy = () => {
    for (const client of clients) socketOf(client).destroy();
  };
  return {
    pool,
    isBusy: () => pool.waitingCount > 0 || pool.totalCount > pool.idleCount,
    sockets: () => [...clients].map(socketOf),
    abandon(error) {
      for (const refuse of [...waiting]) refuse(error);
      destroy();
    },
    async cancel() {
      await Promise.all([...clients].map((client) => requestCancel(config, client)));
    },
    async close() {
      // Over a broken network the closing handshake never completes.
      const timer = setTimeout(destroy, CLOSE_TIMEOUT_MS);
      await pool.end();
      clearTimeout(timer);
    },
  };
}

/**
 * Handles connection errors, because an unhandled error event would end the process. The user of a connection gets the error of its own
 * statement.
 */
export function handleConnectionErrors(pool: pg.Pool): void {
  pool.on('connect', (client) => client.on('error', () => {}));
}

/** The pool's current number of connections. */
export function loadOf(pool: pg.Pool): Readings['connections'] {
  const { totalCount: open, idleCount, waitingCount: waiting } = pool;
  return { open, busy: open - idleCount, stalled: 0, waiting };
}

/** A client class that adds each client to the set when it is created, and removes it when its connection is closed. */
function trackedClient(
  clients: Set<pg.Client>,
  preparedStatements: boolean,
  constants: ConnectionConfig,
): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      clients.add(this);
      protocolConnectionOf(this).stream.once('close', () => clients.delete(this));
      if (!preparedStatements) sendUnprepared(this);
      replaceConstants(this, constants);
    }
  };
}

type Send = (statement: unknown, ...rest: unknown[]) => unknown;

/** Makes a client prepare no named statements. Statements that submit themselves must take care of this on their own (batch.ts). */
function sendUnprepared(client: pg.Client): void {
  const send = client.query.bind(client) as Send;
  const unprepared: Send = (statement, ...rest) => {
    const isPlain = statement instanceof Object && 'name' in statement && !('submit' in statement);
    return send(isPlain ? { ...statement, name: undefined } : statement, ...rest);
  };
  client.query = unprepared as pg.Client['query'];
}

/**
 * Makes the pool refuse to wait for a connection while the database does not answer. The replaced function takes no callback.
 * @returns the callbacks that reject the callers who wait for a connection now
 */
function refuseWhileAway(pool: pg.Pool, liveness: Liveness): Set<(error: Error) => void> {
  const connect: () => Promise<pg.PoolClient> = pool.connect.bind(pool);
  const waiting = new Set<(error: Error) => void>();
  const guarded = async () => {
    liveness.asked();
    if (liveness.refusal !== null) throw markUnsent(liveness.refusal);
    const { promise: refused, reject: refuse } = Promise.withResolvers<never>();
    waiting.add(refuse);
    const connecting = connect();
    try {
      return await Promise.race([connecting, refused]);
    } catch (error) {
      liveness.suspect();
      // If it was refused meanwhile, the connection goes back unused.
      connecting.then(
        (client) => client.release(),
        () => {},
      );
      throw markUnsent(error as Error);
    } finally {
      waiting.delete(refuse);
    }
  };
  pool.connect = guarded as pg.Pool['connect'];
  return waiting;
}

/**
 * Closes a connection in use that receives nothing for `timeoutMs`. PostgreSQL would have cancelled a statement earlier, so the network or
 * the server must be stalled.
 */
function limitSilence(pool: pg.Pool, timeoutMs: number): void {
  const streamOf = (client: pg.PoolClient) => protocolConnectionOf(client).stream;
  pool.on('connect', (client) => {
    const stream = streamOf(client);
    stream.on('timeout', () => stream.destroy(new Error('Connection terminated: no answer in time')));
  });
  pool.on('acquire', (client) => streamOf(client).setTimeout(timeoutMs));
  pool.on('release', (_, client) => streamOf(client).setTimeout(0));
}

/**
 * Closes a released connection if one of its prepared statements was older than its table, because each further use of the statement would
 * fail. Prisma's adapter releases connections without the error. The replaced functions take no callback.
 */
function closeStale(pool: pg.Pool): void {
  const stale = new WeakSet<pg.PoolClient>();
  pool.on('connect', (client) => {
    // Looks up the method of the class at each call, because an instrumentation may replace it later.
    const own = Object.hasOwn(client, 'query') ? client.query : undefined;
    const noting = (...args: unknown[]) => {
      const answer: unknown = Reflect.apply(own ?? pg.Client.prototype.query, client, args);
      if (answer instanceof Promise)
        answer.catch((error: unknown) => {
          if (isStale(error)) stale.add(client);
        });
      return answer;
    };
    client.query = noting as pg.PoolClient['query'];
  });
  const connect: () => Promise<pg.PoolClient> = pool.connect.bind(pool);
  const closing = async () => {
    const client = await connect();
    const release = client.release.bind(client);
    client.release = (failed) => release(failed || stale.has(client));
    return client;
  };
  pool.connect = closing as pg.Pool['connect'];
}
