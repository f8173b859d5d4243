// The store's connections, except the one for LISTEN: a pool for hand-written SQL and Prisma, and pipelined connections for reads. Look-ups
// of credentials and hosts, and reads that may scan many rows, each have their own pipelined connections, so that they cannot block each
// other.
import type pg from 'pg';
import type { Prisma, PrismaClient } from '#prisma';
import type { FairQueue } from '../concurrency/fair-queue.ts';
import { memoize } from '../concurrency/memoize.ts';
import type { Logger } from '../output/log.ts';
import type { Span } from '../telemetry/tracing.ts';
import { LOOKUP_READERS, READERS } from './connections/connection-counts.ts';
import { toStoreError } from './connections/failures.ts';
import { createLiveness } from './connections/liveness.ts';
import { createPool } from './connections/pool.ts';
import { createChanging, createExpensive, SCANS } from './connections/queues.ts';
import type { ConnectionConfig, SqlConstants } from './connections/sql-constants.ts';
import { answerTimeout, CONNECT_TIMEOUT_MS, limitTransactions } from './connections/time-limits.ts';
import { createHighWaterMarks, type HighWaterMarks } from './high-water-marks/high-water-marks.ts';
import { applicationName } from './migrations/compatibility.ts';
import { createReaders, type Readers } from './pipelining/readers.ts';
import { createRunningServer } from './pipelining/running-server.ts';
import { createDeliveryNotices, type DeliveryNotices } from './queue/delivery-notices.ts';
import type { Reading } from './replicas/reading.ts';
import { createReplicas, type Replicas } from './replicas/replicas.ts';
import { createPlacement, type Placement } from './shard-placement/placement.ts';
import type { Statement } from './sql/statements.ts';
import { types } from './sql/value-types.ts';
import { createRowGuard, type RowGuard, WORKSPACES_OF_TEAM } from './tenancy/row-owners.ts';
import { traceStore } from './traced-store.ts';

export interface Store {
  readonly pool: pg.Pool;
  readonly readers: Readers;
  /** For look-ups that requests need before the caller is authenticated. */
  readonly lookups: Readers;
  /** For reads that may scan many rows; `expensive` limits their concurrency. */
  readonly scans: Readers;
  /** null: no replicas are configured. */
  readonly replicas: Replicas | null;
  readonly expensive: FairQueue;
  /** Limits how many pool connections one team's changes can use, so that changes waiting for locks do not block other teams. */
  readonly changing: FairQueue;
  /** Changes notify this of the deliveries that they have made due. */
  readonly deliveries: DeliveryNotices;
  /** The high-water marks that limit how far lists can be read. */
  readonly highWaterMarks: HighWaterMarks;
  /**
   * Prisma's client. The first call loads its modules, so that a start does not wait for them. After a failure, the next call tries again.
   */
  loadPrisma(): Promise<PrismaClient>;
  /** Refuses rows that the caller does not own. */
  readonly rowGuard: RowGuard;
  /** Whether statements for a caller run as the restricted database role for tenants. */
  readonly hasTenantRole: () => Promise<boolean>;
  /** The rules for statements, which depend on where this store's rows are. */
  readonly placement: Placement;
  /** Whether statements are prepared. */
  readonly preparedStatements: boolean;
  readonly statementTimeoutMs: number;
  /** The configuration for additional connections. */
  readonly connection: ConnectionConfig;
  /** Sets the constants of statements that are not prepared yet, because the port may be known only after the gateway listens. */
  setSqlConstants(constants: SqlConstants): void;
  /** The configuration of the connection for LISTEN. */
  readonly listening: pg.ClientConfig;
  /** Starts to watch the database, so that requests are refused at once while it does not answer. For processes that serve requests. */
  watchDatabase(): void;
  /** Makes running statements fail: cancels changes, and readers stop waiting. */
  cancel(): Promise<void>;
  /** The same store for one request, with its statements as spans below `span`. */
  traced(span: Span): Store;
  close(): Promise<void>;
}

/** Records whether a request may have changed something. */
export interface Changes {
  /** Set when a commit is sent. From then on, the change may be committed. */
  sent: boolean;
}

/** The parts of a Context that the store's functions need; an App for work without a request. */
export interface StoreContext {
  readonly store: Store;
  /** Aborts reads, and transactions before their commit. */
  readonly signal?: AbortSignal;
  /** The request's deadline, in milliseconds as `performance.now()`; absent: none. */
  readonly deadline?: number | undefined;
  readonly changes?: Changes;
  /** Absent: reads go to the primary. */
  readonly reading?: Reading;
}

/** Prisma's client inside a transaction. */
export type Transaction = Prisma.TransactionClient;

interface StoreOptions {
  readonly url: string;
  /** The connection string for LISTEN; needed when `url` is that of a connection pooler. */
  readonly listenUrl: string | undefined;
  readonly poolSize: number;
  readonly sqlConstants: SqlConstants;
  /** Whether statements are prepared; absent: they are. */
  readonly preparedStatements?: boolean;
  readonly replicas?: {
    readonly urls: readonly string[];
    readonly maxLagMs: number;
    readonly redisUrl: string | undefined;
  };
  readonly statementTimeoutMs: number;
  readonly connectTimeoutMs?: number | undefined;
  readonly log: Logger;
}

/** The idle time before TCP keep-alive probes. */
const KEEPALIVE_MS = 10_000;
/**
 * The largest result outside of the queue of expensive reads, because clients decide how large rows are. The queue shares memory and time
 * fairly.
 */
const MAX_SHARED_BYTES = 1024 * 1024;

/** Creates the store. The first statement opens a connection. */
export function createStore(options: StoreOptions): Store {
  const { poolSize, preparedStatements = true, connectTimeoutMs = CONNECT_TIMEOUT_MS, log } = options;
  const sqlConstants = { ...options.sqlConstants };
  const connection = {
    connectionString: options.url,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    application_name: applicationName(),
    keepAlive: true,
    sqlConstants,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
  };
  const answerTimeoutMs = answerTimeout(options.statementTimeoutMs);
  const limits = limitTransactions(options.statementTimeoutMs);
  const liveness = createLiveness({ connection, log });
  const pooled = createPool(
    { ...connection, max: poolSize },
    { answerTimeoutMs, limits, liveness, preparedStatements },
    log,
  );
  const { pool } = pooled;
  let prisma: PrismaClient | undefined;
  const loadPrisma = memoize(async () => {
    const { createPrisma } = await import('./connections/prisma.ts');
    prisma = createPrisma(pool, options.statementTimeoutMs);
    return prisma;
  });
  const server = createRunningServer(() => {
    highWaterMarks.forget();
    replicas?.marks.forget();
  });
  const read = (count: number, special = {}) =>
    createReaders({
      ...{ count, connection, answerTimeoutMs, liveness, server, preparedStatements, log },
      ...special,
    });
  const readers = read(READERS, { maxBytes: MAX_SHARED_BYTES });
  const [lookups, scans] = [read(LOOKUP_READERS), read(SCANS, { cancels: true })];
  for (const watched of [pooled, readers, lookups, scans]) liveness.watch(watched);
  const highWaterMarks = createHighWaterMarks(lookups);
  const replicas =
    options.replicas === undefined || options.replicas.urls.length === 0
      ? null
      : createReplicas({
          ...{ ...options.replicas, connection, lookups, log },
          open: (connection, liveness, server) => ({
            readers: read(READERS, { connection, liveness, server, maxBytes: MAX_SHARED_BYTES }),
            scans: read(SCANS, { connection, liveness, server, cancels: true }),
          }),
        });
  const deliveries = createDeliveryNotices(pool, log);
  const placement = createPlacement({ pool, lookups, workspacesOfTeam: WORKSPACES_OF_TEAM });
  const store: Store = {
    pool,
    readers,
    lookups,
    scans,
    replicas,
    expensive: createExpensive(),
    changing: createChanging(poolSize),
    deliveries,
    highWaterMarks,
    loadPrisma,
    rowGuard: createRowGuard(lookups, log),
    hasTenantRole: async () => (await placement.rules()).hasTenantRole,
    placement,
    preparedStatements,
    statementTimeoutMs: options.statementTimeoutMs,
    connection,
    setSqlConstants: (constants) => void Object.assign(sqlConstants, constants),
    listening: { ...connection, connectionString: options.listenUrl ?? options.url },
    watchDatabase() {
      liveness.start();
      replicas?.start();
    },
    async cancel() {
      for (const reads of [readers, lookups, scans])
        if (reads.isBusy()) reads.abandon(new Error('Connection terminated: cancelled'));
      await pooled.cancel();
    },
    traced: (span) => traceStore(store, span),
    async close() {
      liveness.close();
      await deliveries.close();
      await replicas?.close();
      await Promise.all([readers.close(), lookups.close(), scans.close()]);
      await Promise.all([prisma?.$disconnect(), pooled.close()]);
    },
  };
  return store;
}

/**
 * Executes one prepared statement over the pool. Rows are objects by column alias.
 * @throws AppError `unavailable` when the database cannot be reached or took too long
 */
export async function query<Row extends object>(
  store: Pick<Store, 'pool'>,
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
 * Checks at startup that the store can be read.
 * @throws StartupError if the installed driver does not read rows correctly; otherwise the driver's error
 */
export async function requireReads(store: Store): Promise<void> {
  const reads = async (readers: Readers) => readers.read({ name: '', text: 'select $1::int' }, [1]);
  await Promise.all([reads(store.lookups), reads(store.readers)]);
}

/**
 * Runs `work` with the Prisma client, and maps database errors to AppError.
 * @throws AppError `unavailable` when the database cannot be reached or took too long
 */
export async function withPrisma<T>(store: Store, work: (prisma: PrismaClient) => Promise<T>): Promise<T> {
  try {
    return await work(await store.loadPrisma());
  } catch (error) {
    throw toStoreError(error);
  }
}
