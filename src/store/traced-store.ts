// A store whose statements are spans of one trace. A span has the statement's name and its text with placeholders, never its values.
import type pg from 'pg';
import type { PrismaClient } from '#prisma';
import { type Attributes, inSpan, type Span } from '../telemetry/tracing.ts';
import type { Readers } from './pipelining/readers.ts';
import type { Replicas } from './replicas/replicas.ts';
import type { Statement } from './sql/statements.ts';

const DATABASE: Attributes = { 'db.system.name': 'postgresql' };

/** The parts of a store that execute statements. */
interface Executors {
  readonly pool: pg.Pool;
  readonly readers: Readers;
  readonly lookups: Readers;
  readonly scans: Readers;
  readonly replicas: Replicas | null;
  loadPrisma(): Promise<PrismaClient>;
}

/** The store for one traced request, over the same connections. */
export function traceStore<Store extends Executors>(store: Store, span: Span): Store {
  const { pool } = store;
  const tracedPool = Object.create(pool, {
    query: {
      value: (statement: Statement) =>
        inSpan(span, statement.name, attributesOf(statement), () => pool.query(statement)),
    },
    connect: { value: async () => traceClient(await pool.connect(), span) },
  });
  return {
    ...store,
    pool: tracedPool,
    readers: traceReaders(store.readers, span),
    lookups: traceReaders(store.lookups, span),
    scans: traceReaders(store.scans, span),
    replicas: store.replicas && traceReplicas(store.replicas, span),
    loadPrisma: async () => tracePrisma(await store.loadPrisma(), span),
  };
}

/** An object that submits itself and reports when it is answered, such as a batch (connections/batch.ts). */
interface Batch extends pg.Submittable, Statement {
  /** The texts of all its statements. */
  readonly texts: string;
  readonly answered: Promise<unknown>;
}

function traceClient(client: pg.PoolClient, span: Span): pg.PoolClient {
  const query = (sent: Batch | string) => {
    if (typeof sent === 'string') return client.query(sent);
    const tracing = inSpan(span, sent.name, attributesOf({ text: sent.texts }), async () => {
      client.query(sent);
      await sent.answered;
    });
    // The caller of the statements gets the error.
    tracing.catch(() => {});
    return sent;
  };
  return Object.create(client, { query: { value: query } });
}

function attributesOf({ text }: Pick<Statement, 'text'>): Attributes {
  return { ...DATABASE, 'db.query.text': text };
}

function traceReaders(readers: Readers, span: Span): Readers {
  return {
    ...readers,
    read: (statement, values, tenantId, signal) =>
      inSpan(span, statement.name || 'read', attributesOf(statement), () =>
        readers.read(statement, values, tenantId, signal),
      ),
  };
}

function traceReplicas(replicas: Replicas, span: Span): Replicas {
  return {
    ...replicas,
    pick(needed) {
      const chosen = replicas.pick(needed);
      if (chosen === null) return null;
      const { readers, scans } = chosen;
      return { ...chosen, readers: traceReaders(readers, span), scans: traceReaders(scans, span) };
    },
  };
}

/**
 * Prisma's argument to an extension of raw queries: the text with placeholders, and the values, which are left out. For unsafe queries it
 * is an array of both.
 */
interface RawQuery {
  readonly sql?: unknown;
}

function tracePrisma(prisma: PrismaClient, span: Span): PrismaClient {
  const extended = prisma.$extends({
    query: {
      async $allOperations({ model, operation, args, query }) {
        const sql: unknown = Array.isArray(args) ? args[0] : ((args ?? {}) as RawQuery).sql;
        const text: Attributes = typeof sql === 'string' ? { 'db.query.text': sql } : {};
        const name = model === undefined ? operation : `${model}.${operation}`;
        return inSpan(span, name, { ...DATABASE, ...text }, () => query(args));
      },
    },
  });
  // It has the same methods; only the type names differ.
  return extended as unknown as PrismaClient;
}
