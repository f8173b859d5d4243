// Transactions that are rolled back when the request is aborted before the commit is sent.
import { withAbortListener } from '../../concurrency/abort.ts';
import { AppError, nothingChanged, outcomeUnknown } from '../../errors.ts';
import { isConflictOfTransactions, tookTooLong } from '../connections/failures.ts';
import { LOCK_TIMEOUT_MS } from '../connections/time-limits.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import { type StoreContext, type Transaction, withPrisma } from '../store.ts';
import { ENTER, enteringAs } from '../tenancy/tenant-role.ts';

/**
 * Runs `work` in one transaction. When the signal is aborted before the commit is sent, the promise rejects at once, and the transaction is
 * rolled back as soon as PostgreSQL has finished the current statement.
 * @throws AppError `unavailable` when the database is unavailable or took too long; the signal's reason; what `work` throws
 */
export async function withTransaction<T>(
  ctx: StoreContext,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const { store, signal } = ctx;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  let isSent = false;
  const transaction = withPrisma(store, (prisma) =>
    prisma.$transaction(async (tx) => {
      requireNotAborted(ctx);
      const done = await work(tx);
      beginChange(ctx);
      isSent = true;
      return done;
    }),
  ).catch((error: unknown) => {
    // The commit failed, or its result was lost. After a serialization failure or a timeout before the commit, nothing is committed.
    const isUndone = isConflictOfTransactions(error) || tookTooLong(error);
    const isUnknown = isSent && error instanceof AppError && !isUndone;
    throw isUnknown ? outcomeUnknown(error) : error;
  });
  if (signal === undefined) return transaction;
  const onAbort = () => {
    if (!isSent) reject(refusalOf(signal));
  };
  return withAbortListener(signal, onAbort, Promise.race([transaction, aborted]));
}

/**
 * Runs `work` in one transaction for a caller. It sees and changes only rows that the caller owns, and waits for locks only as long as
 * other changes do. @throws as `withTransaction`
 */
export async function withTenantTransaction<T>(
  ctx: StoreContext,
  tenancy: Tenancy,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const isEntered = await ctx.store.hasTenantRole();
  return withTransaction(ctx, async (tx) => {
    if (isEntered) await tx.$queryRawUnsafe(ENTER.text, ...enteringAs(tenancy));
    else await boundWaits(tx);
    return work(tx);
  });
}

/** On Citus the waiting happens on other nodes, which receive the setting only with `citus.propagate_set_commands`. */
async function boundWaits(tx: Transaction): Promise<void> {
  await tx.$queryRawUnsafe(`select set_config('citus.propagate_set_commands', 'local', true)`);
  await tx.$executeRawUnsafe(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
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
