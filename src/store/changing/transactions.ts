// Transactions that are rolled back when the request is aborted before the commit is sent.
import type pg from 'pg';
import { withAbortListener } from '../../concurrency/abort.ts';
import { AppError, nothingChanged, outcomeUnknown } from '../../errors.ts';
import { type Executor, inOrder } from '../connections/executor.ts';
import {
  isConflictOfTransactions,
  isStale,
  tookTooLong,
  toStoreError,
  wasRefused,
} from '../connections/failures.ts';
import { interactiveLimits, LOCK_TIMEOUT_MS } from '../connections/time-limits.ts';
import { FOR_ROW_CHANGES } from '../shard-placement/session-settings.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import { type StoreContext, type Transaction, withPrisma } from '../store.ts';
import { ENTER_TENANT_ROLE, takeKey, tenantRoleValues } from '../tenancy/tenant-role.ts';
import { beginPipeline, type Pipeline } from './pipeline.ts';

/**
 * Runs `work` in one transaction. When the signal is aborted before the commit is sent, the promise rejects at once, and the transaction is
 * rolled back as soon as PostgreSQL has finished the current statement.
 * @throws AppError `unavailable` when the database is unavailable or took too long; the signal's reason; what `work` throws
 */
export function withTransaction<T>(ctx: StoreContext, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return untilCommit(ctx, (onCommit) =>
    withPrisma(ctx.store, (prisma) =>
      prisma.$transaction(async (tx) => {
        requireNotAborted(ctx);
        const done = await work(tx);
        onCommit();
        return done;
      }, limitsOf(ctx)),
    ),
  );
}

function limitsOf({ store, deadline = Number.POSITIVE_INFINITY }: StoreContext) {
  return interactiveLimits(store.statementTimeoutMs, deadline - performance.now());
}

/** The transaction of a change. */
export interface Opened<Tx> {
  /** Sends several statements as one batch. The change commits with it. */
  readonly pipeline: Pipeline;
  /** What a change of several steps uses. */
  readonly tx: Tx;
  /** Resolves when `tx` can be used: Prisma's models take one statement at a time. @throws the error of a statement before it */
  readonly ready: () => Promise<void>;
}

/**
 * Opens the transaction of a change for a caller. It sees and changes only rows that the caller owns, and waits for locks only as long as
 * other changes do.
 * @param keyHash an idempotency key, which the transaction locks
 * @throws as `withTransaction`, but the database's error for what PostgreSQL refused or ended, so that callers can recognize it and retry
 */
export type Open<Tx> = <T>(
  ctx: StoreContext,
  tenancy: Tenancy,
  work: (opened: Opened<Tx>) => Promise<T>,
  keyHash: string | null,
) => Promise<T>;

/** With Prisma's models: statements are sent one by one, and Prisma commits when `work` is done. */
export const withModels: Open<Transaction> = async (ctx, tenancy, work, keyHash) => {
  const isEntered = await ctx.store.hasTenantRole();
  return withTransaction(ctx, async (tx) => {
    const steps = inOrder(tx);
    await enter(steps, isEntered, tenancy, keyHash);
    const pipeline = { ...steps, isCommitted: false, commit: steps.settled, end: steps.settled };
    const done = await work({ pipeline, tx, ready: steps.settled });
    await steps.settled();
    return done;
  });
};

/** A change waited too long for another change of the same row, or for the first request with the same key. */
export function lockTimeout(hasKey: boolean): AppError {
  const message = `Another change of the same object${hasKey ? ', or the first request with this idempotency key,' : ''} is still running. Nothing was changed; try again.`;
  return new AppError(hasKey ? 'conflict' : 'unavailable', message, {
    retryAfterSeconds: 1,
  });
}

/**
 * With SQL: statements that do not depend on each other are sent together (pipeline.ts). `work` sends the commit with its last statements;
 * if it does not, everything is rolled back.
 */
export const withSql: Open<Executor> = async (ctx, tenancy, work, keyHash) => {
  const { store } = ctx;
  const isEntered = await store.hasTenantRole();
  return untilCommit(ctx, async (onCommit) => {
    const client = await store.pool.connect();
    const tx = beginPipeline(client, store, onCommit);
    let isClean = false;
    try {
      requireNotAborted(ctx);
      // If it fails, so do the statements after it.
      enter(tx, isEntered, tenancy, keyHash).then(null, () => {});
      const done = await work({ pipeline: tx, tx, ready: async () => {} });
      isClean = tx.isCommitted || (await rollBack(client, tx));
      return done;
    } catch (error) {
      // A prepared statement older than its table would fail each time on this connection.
      isClean = (await rollBack(client, tx)) && !isStale(error);
      throw error;
    } finally {
      client.release(!isClean);
    }
  });
};

/** @returns whether the connection can be used again */
async function rollBack(client: pg.PoolClient, tx: Pipeline): Promise<boolean> {
  // Pending statements go out first: after the rollback, PostgreSQL would commit each on its own.
  await tx.end();
  return client.query('rollback').then(
    () => true,
    () => false,
  );
}

/** Enters the tenancy, limits waits for locks, and locks the idempotency key. */
function enter(
  tx: Executor,
  isEntered: boolean,
  tenancy: Tenancy,
  keyHash: string | null,
): PromiseLike<unknown> {
  if (isEntered) return tx.$queryRawUnsafe(ENTER_TENANT_ROLE.text, ...tenantRoleValues(tenancy, keyHash));
  return Promise.all([
    tx.$queryRawUnsafe(FOR_ROW_CHANGES),
    tx.$executeRawUnsafe(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`),
    ...(keyHash === null ? [] : [tx.$queryRawUnsafe(`select true from ${takeKey('$1')}`, keyHash)]),
  ]);
}

/** Runs a change until its commit. @param run calls its parameter immediately before the commit is sent */
async function untilCommit<T>(ctx: StoreContext, run: (onCommit: () => void) => Promise<T>): Promise<T> {
  const { signal } = ctx;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  let isSent = false;
  const onCommit = () => {
    beginChange(ctx);
    isSent = true;
  };
  const transaction = run(onCommit).catch((error: unknown) => {
    const known = toStoreError(error);
    // PostgreSQL does not commit what it refused.
    const isUndone = isConflictOfTransactions(error) || tookTooLong(error) || wasRefused(error);
    if (isUndone || !(known instanceof AppError)) throw error;
    // The commit failed, or its result was lost.
    if (isSent) throw outcomeUnknown(known);
    throw known.code === 'unavailable' ? nothingChanged(known) : error;
  });
  if (signal === undefined) return transaction;
  const onAbort = () => {
    if (!isSent) reject(refusalOf(signal));
  };
  return withAbortListener(signal, onAbort, Promise.race([transaction, aborted]));
}

/** Must be called immediately before a commit is sent. @throws AppError the signal's reason: then the commit must not be sent */
export function beginChange(ctx: StoreContext): void {
  requireNotAborted(ctx);
  if (ctx.changes !== undefined) ctx.changes.sent = true;
}

/** @throws AppError the signal's reason when it is aborted, saying that nothing was changed */
export function requireNotAborted({ signal }: StoreContext): void {
  if (signal?.aborted) throw refusalOf(signal);
}

function refusalOf({ reason }: AbortSignal): unknown {
  return reason instanceof AppError ? nothingChanged(reason) : reason;
}
