// The store: one connection pool, shared by hand-written SQL and by Prisma's adapter. The only place that opens one.
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import type { Logger } from '../log.ts';
import type { RowBlock } from '../row-block.ts';
import { toStoreError } from './failures.ts';
import { type Prisma, PrismaClient } from './generated/client.ts';
import { createReaders, type Readers } from './readers.ts';

export interface Store {
  readonly pool: pg.Pool;
  readonly readers: Readers;
  readonly prisma: PrismaClient;
  /** How a connection of one's own is made. */
  readonly connection: pg.ClientConfig;
  close(): Promise<void>;
}

/** What a function of the store needs inside a transaction. */
export type Transaction = Prisma.TransactionClient;

interface StoreOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  readonly log: Logger;
}

const CONNECT_TIMEOUT_MS = 5_000;
const READERS = 4;

/** Opens nothing yet: the first statement does. */
export function createStore(options: StoreOptions): Store {
  const connection = {
    connectionString: options.url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: options.statementTimeoutMs,
    application_name: 'funnel-gateway',
  };
  const pool = new pg.Pool({ ...connection, max: options.poolSize });
  // An idle connection that breaks is replaced at the next statement; without a listener it would end the process.
  pool.on('error', (error) => options.log.warn({ err: error }, 'idle database connection lost'));
  // Prisma names no statement unless told how; the text itself is what makes two statements the same.
  const names = new Map<string, string>();
  const adapter = new PrismaPg(pool, {
    statementNameGenerator: ({ sql }) => {
      const name = names.get(sql) ?? `prisma_${names.size}`;
      if (names.size < MAX_STATEMENT_NAMES) names.set(sql, name);
      return names.has(sql) ? name : '';
    },
  });
  const prisma = new PrismaClient({ adapter });
  const readers = createReaders({ count: READERS, connection, log: options.log });
  return {
    pool,
    readers,
    prisma,
    connection,
    async close() {
      await readers.close();
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

/** Beyond this many different texts, statements are not prepared: each one takes memory in every connection. */
const MAX_STATEMENT_NAMES = 500;

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

/** A statement that is the same text whenever it has the same name; prepared once a connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

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
 * @throws AppError `unavailable` when the database is away or took too long
 */
export async function readRows(store: Store, statement: Statement, values: unknown[]): Promise<RowBlock> {
  try {
    return await store.readers.read(statement, values);
  } catch (error) {
    throw toStoreError(error);
  }
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

/**
 * Runs `work` in one transaction: all of it is committed, or nothing.
 * @throws AppError `unavailable` when the database is away or took too long; what `work` throws
 */
export function withTransaction<T>(store: Store, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return withPrisma(store, (prisma) => prisma.$transaction(work));
}
