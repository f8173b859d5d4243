// The store's connections, all opened here but the one that listens: a pool that hand-written SQL and Prisma share, and sets
// of pipelined ones for reads. Who asks and whose a host is has a set of its own, which no tenant's work can fill, and so
// has what may scan far.
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { createFairQueue, type FairQueue } from '../fair-queue.ts';
import type { Logger } from '../log.ts';
import type { RowBlock } from '../rows/row-block.ts';
import { toStoreError } from './failures.ts';
import { type Prisma, PrismaClient } from './generated/client.ts';
import { createStatementNames } from './prisma-names.ts';
import { connectionOf } from './readers/rows-query.ts';
import { createReaders, type Readers } from './readers.ts';
import type { Statement } from './statements.ts';

export interface Store {
  readonly pool: pg.Pool;
  readonly readers: Readers;
  /** For what every request needs before it is known who asks. */
  readonly lookups: Readers;
  /** For reads that may scan far; `expensive` says whose turn it is. */
  readonly scans: Readers;
  readonly expensive: FairQueue;
  readonly prisma: PrismaClient;
  /** How a connection of one's own is made. */
  readonly connection: pg.ClientConfig;
  /** How one that listens is made. */
  readonly listening: pg.ClientConfig;
  close(): Promise<void>;
}

/** What a request has changed so far. */
export interface Changes {
  /** Whether a change was sent to be committed: from then on it may have been made. */
  sent: boolean;
}

/** For what the store works: a request's Context, or an App where nobody waits for an answer. */
export interface StoreContext {
  readonly store: Store;
  /** Ends what waits or takes long. */
  readonly signal?: AbortSignal;
  readonly changes?: Changes;
}

/** What a function of the store needs inside a transaction. */
export type Transaction = Prisma.TransactionClient;

interface StoreOptions {
  readonly url: string;
  /** Where to listen, when the other address is a pooler's. */
  readonly listenUrl: string | undefined;
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  readonly log: Logger;
}

const CONNECT_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 2_000;
/** How long after the time limit of a statement its answer, the cancellation, is waited for. */
const ANSWER_GRACE_MS = 2_000;
/** What a peer that is gone is asked after, when nothing was heard from it for so long. */
const KEEPALIVE_MS = 10_000;
export const READERS = 4;
const LOOKUP_READERS = 2;
const SCANS = 2;
/** Expensive reads: one of a team at once, so that one place is left to the others, and the rest waits for its turn. */
const EXPENSIVE = {
  maxWaitMs: 20_000,
  concurrency: SCANS,
  concurrencyPerKey: 1,
  maxWaitingPerKey: 128,
  maxWaiting: 1_000,
};

/** Opens nothing yet: the first statement does. */
export function createStore(options: StoreOptions): Store {
  const { poolSize, log } = options;
  const connection = {
    connectionString: options.url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: options.statementTimeoutMs,
    application_name: 'funnel-gateway',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
  };
  const answerTimeoutMs = options.statementTimeoutMs + ANSWER_GRACE_MS;
  const pool = new pg.Pool({ ...connection, max: poolSize });
  // An idle connection that breaks is replaced at the next statement; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'idle database connection lost'));
  const pooled = boundSilence(pool, answerTimeoutMs);
  const adapter = new PrismaPg(pool, { statementNameGenerator: createStatementNames() });
  const prisma = new PrismaClient({ adapter });
  const read = (count: number, cancels = false) =>
    createReaders({ count, connection, answerTimeoutMs, cancels, log });
  const [readers, lookups, scans] = [read(READERS), read(LOOKUP_READERS), read(SCANS, true)];
  return {
    pool,
    readers,
    lookups,
    scans,
    expensive: createFairQueue(EXPENSIVE),
    prisma,
    connection,
    listening: { ...connection, connectionString: options.listenUrl ?? options.url },
    async close() {
      await Promise.all([readers.close(), lookups.close(), scans.close()]);
      // A connection that was cut hears nothing of its end.
      const last = setTimeout(() => pooled.destroy(), CLOSE_TIMEOUT_MS);
      await prisma.$disconnect();
      await pool.end();
      clearTimeout(last);
    },
  };
}

/**
 * Ends a connection on which nothing comes while somebody uses it: the server ends every statement earlier, so that the
 * network or the server is stuck.
 * @returns how to end all of them at once
 */
function boundSilence(pool: pg.Pool, timeoutMs: number): { destroy(): void } {
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

/** What node-postgres parses differently here: 64-bit integers stay exact. */
const INT8 = 20;
const INT8_ARRAY = 1016;
const parserOf: (oid: number, format?: 'text' | 'binary') => (text: string) => unknown =
  pg.types.getTypeParser;
const parseInt8Array = parserOf(INT8_ARRAY) as (text: string) => string[];
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8) return BigInt;
    if (oid === INT8_ARRAY) return (text: string) => parseInt8Array(text).map(BigInt);
    return parserOf(oid, format);
  }) as pg.CustomTypesConfig['getTypeParser'],
};

/**
 * Runs one prepared statement. Rows come as objects by column alias.
 * @throws AppError `unavailable` when the database is away or took too long
 */
export async function query<Row extends object>(
  store: Store,
  statement: Statement,
  values: unknown[],
): Promise<Row[]> {
  try {
    return (await store.pool.query<Row>({ ...statement, values, types })).rows;
  } catch (error) {
    throw toStoreError(error);
  }
}

/**
 * Runs one short prepared read on a shared, pipelined connection. Rows come as PostgreSQL sent them.
 * @param owner the team for which it is read
 * @throws AppError `unavailable` when the database is away or took too long; the signal's reason when it was not sent before
 */
export async function readRows(
  { store, signal }: StoreContext,
  statement: Statement,
  values: unknown[],
  owner: bigint,
): Promise<RowBlock> {
  try {
    return await store.readers.read(statement, values, owner, signal);
  } catch (error) {
    throw toStoreError(error);
  }
}

/**
 * Runs one prepared read that may scan far, when it is its team's turn; PostgreSQL cancels it when the signal is aborted. Rows
 * come as PostgreSQL sent them.
 * @throws AppError `unavailable` when the database is away or took too long, `too_many_requests` when too many of the
 * team's wait already
 */
export async function scanRows(
  { store, signal }: StoreContext,
  statement: Statement,
  values: unknown[],
  owner: bigint,
): Promise<RowBlock> {
  try {
    const scan = () => store.scans.read(statement, values, owner, signal);
    return await store.expensive.run(String(owner), scan, signal);
  } catch (error) {
    throw toStoreError(error);
  }
}

/**
 * Reads a row, before anybody asks for one.
 * @throws StartupError when the installed driver does not hand over rows whole; what the driver says of the database
 */
export async function requireReads(store: Store): Promise<void> {
  await store.lookups.read({ name: '', text: 'select $1::int' }, [1]);
}

/**
 * Runs `work` through the Prisma client, so that database failures come out as AppError like everywhere.
 * @throws AppError `unavailable` when the database is away or took too long
 */
export async function withPrisma<T>(store: Store, work: (prisma: PrismaClient) => Promise<T>): Promise<T> {
  try {
    return await work(store.prisma);
  } catch (error) {
    throw toStoreError(error);
  }
}
