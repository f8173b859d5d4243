// Changes in the store: all of one or nothing of it, and nothing once nobody waits for it any more (DESIGN §12).
import { whileListening } from '../abort.ts';
import { AppError, nothingChanged, outcomeUnknown } from '../errors.ts';
import { type StoreContext, type Transaction, withPrisma } from './store.ts';

/**
 * Runs `work` in one transaction: all of it is committed, or nothing. When the signal is aborted before the commit is sent, this
 * rejects at once, and what was done is rolled back as soon as PostgreSQL has ended the statement that is under way.
 * @throws AppError `unavailable` when the database is away or took too long; the signal's reason; what `work` throws
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
      requireWaiting(ctx);
      const done = await work(tx);
      beginChange(ctx);
      isSent = true;
      return done;
    }),
  ).catch((error: unknown) => {
    // The answer to the commit was lost, or it failed.
    throw isSent && error instanceof AppError ? outcomeUnknown(error) : error;
  });
  if (signal === undefined) return transaction;
  const onAbort = () => {
    if (!isSent) reject(refusalOf(signal));
  };
  return whileListening(signal, onAbort, Promise.race([transaction, aborted]));
}

/** To be called right before a change is sent to be committed. @throws AppError the signal's reason: then it must not be sent */
export function beginChange(ctx: StoreContext): void {
  requireWaiting(ctx);
  if (ctx.changes !== undefined) ctx.changes.sent = true;
}

/** @throws AppError the signal's reason when nobody waits for the change any more */
export function requireWaiting({ signal }: StoreContext): void {
  if (signal?.aborted) throw refusalOf(signal);
}

function refusalOf({ reason }: AbortSignal): unknown {
  return reason instanceof AppError ? nothingChanged(reason) : reason;
}
