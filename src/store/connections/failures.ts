// Maps database errors to AppError, so that only the store knows SQLSTATEs and Prisma's codes.
import { AppError, StartupError } from '../../errors.ts';

const RETRY_AFTER_SECONDS = 2;

/** SQLSTATEs and codes of Prisma for a temporary failure (PostgreSQL manual, appendix A). */
const UNAVAILABLE =
  /^(08...|53...|57P0[1-5]|57014|40001|40P01|25006|P1001|P1002|P1008|P1017|P2024|P2028|P2034)$/;
/** What the system says of a connection: nobody there, no way there, or nothing left here to open it with. */
const UNCONNECTED =
  /^E(CONNREFUSED|CONNRESET|CONNABORTED|NOENT|PIPE|TIMEDOUT|AI_AGAIN|NOTFOUND|(HOST|NET)(UNREACH|DOWN)|ADDRNOTAVAIL|MFILE|NFILE|NOBUFS|NOMEM|AGAIN|PERM|ACCES)$/;
const UNAVAILABLE_MESSAGE =
  /timeout exceeded when trying to connect|^timeout expired$|Connection terminated|Client has encountered a connection error|Cannot use a pool after/;

/** What Citus says without a SQLSTATE of its own when it loses a node. Messages of other errors may have a client's words in them. */
const INTERNAL_ERROR = 'XX000';
const NODE_LOST =
  /SSL SYSCALL error|server closed the connection unexpectedly|could not commit transaction for shard/;

/** A write in a database that is read-only, or a standby. */
const READ_ONLY = '25006';

/** SQLSTATEs of a text with a NUL, plain and escaped in JSON. Usually such text has been refused earlier (rows/storable.ts). */
const UNSTORABLE = /^(22021|22P05)$/;

/**
 * `unavailable` (503 with Retry-After) when the database cannot be reached or is too slow, `invalid` for text that it cannot store; any other
 * error unchanged.
 */
export function toStoreError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  if (tookTooLong(error)) return transactionTooLong(error);
  for (const cause of causesOf(error)) {
    const codes = [cause.code, cause.originalCode].filter((value) => typeof value === 'string');
    if (
      codes.some((value) => UNAVAILABLE.test(value) || UNCONNECTED.test(value)) ||
      UNAVAILABLE_MESSAGE.test(String(cause.message)) ||
      (codes.includes(INTERNAL_ERROR) && NODE_LOST.test(String(cause.message))) ||
      // The store cannot be read until the operator has fixed it.
      cause instanceof StartupError
    ) {
      return codes.includes(READ_ONLY) ? readOnly(error) : databaseUnavailable(error);
    }
    if (codes.some((value) => UNSTORABLE.test(value)))
      return new AppError('invalid', 'A text has a character that cannot be stored.', { cause: error });
  }
  return error;
}

/** Whether the server has no such feature: Citus, where tables are distributed, has fewer. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '0A000';
}

/** Why a connection was lost, in a few words: the driver's error has the whole connection with it. */
export function toReason(error: Error | undefined): string {
  if (error === undefined) return 'Connection terminated';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? `${error.message} (${code})` : error.message;
}

/** The 503 for a database that cannot be reached, is too slow, or overloaded. */
export function databaseUnavailable(cause?: unknown): AppError {
  return new AppError('unavailable', 'The database is not available at the moment. Try again shortly.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}

/** The 503 for a transaction that was ended because of its time. Nothing of it is committed. */
function transactionTooLong(cause: unknown): AppError {
  const message = 'This took longer than a change may take, and was undone. Nothing was changed.';
  return new AppError('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}

/** The 503 for a change while the database takes none. */
function readOnly(cause: unknown): AppError {
  return new AppError('unavailable', 'The database is read-only at the moment. Try again shortly.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}

interface Cause {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly message?: unknown;
  readonly originalMessage?: unknown;
  /** The driver's own is a name; Prisma's adapter puts it into an object. */
  readonly constraint?: string | { readonly index?: unknown };
  readonly cause?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown };
}

/** What refused a row. */
export interface Violation {
  /** The constraint, index or trigger. */
  readonly constraint: string;
  readonly kind: 'unique' | 'reference' | 'check';
}

/** What Citus has behind the name of a constraint: the number of a shard. */
const SHARD = /_\d{6,}$/;

const VIOLATIONS: Readonly<Record<string, Violation['kind']>> = {
  '23503': 'reference',
  '23505': 'unique',
  '23514': 'check',
};

/** The constraint that a row was refused by, or null. */
export function violationOf(error: unknown): Violation | null {
  for (const cause of causesOf(error)) {
    const code = [cause.code, cause.originalCode].find(
      (value) => typeof value === 'string' && value in VIOLATIONS,
    );
    if (code === undefined) continue;
    const { constraint, originalMessage, message } = cause;
    const named = constraint instanceof Object ? constraint.index : constraint;
    // Prisma's adapter leaves out the name of a check.
    const name = named ?? /constraint "([^"]+)"$/.exec(String(originalMessage ?? message))?.[1];
    const kind = VIOLATIONS[code as string];
    if (typeof name === 'string' && kind !== undefined) return { constraint: name.replace(SHARD, ''), kind };
  }
  return null;
}

/** The name of the unique constraint, index or trigger that a row was refused by, or null. */
export function violatedUniqueness(error: unknown): string | null {
  const violation = violationOf(error);
  return violation?.kind === 'unique' ? violation.constraint : null;
}

/** Whether a statement was undone for others' sake, so that it may be sent again: a serialization failure or a deadlock. */
export function isConflictOfTransactions(error: unknown): boolean {
  return hasCode(error, /^(40001|40P01|P2034)$/);
}

/** What Prisma says of a transaction that has expired, whose code it shares with one that could not begin. */
const EXPIRED = /on an expired transaction/;

/** Whether a transaction was ended because it took too long (time-limits.ts): by Prisma, or by PostgreSQL, which has limits of its own. */
export function tookTooLong(error: unknown): boolean {
  return (
    hasCode(error, /^25P0[34]$/) || [...causesOf(error)].some(({ message }) => EXPIRED.test(String(message)))
  );
}

/** Whether a statement waited too long for a lock (SQLSTATE 55P03). */
export function isLockTimeout(error: unknown): boolean {
  return hasCode(error, /^55P03$/);
}

/** Errors of connections that could not be had. */
const unsent = new WeakSet<object>();

/** Says of an error that there was no connection, so that the statement was never sent. @returns the error */
export function markUnsent<E extends Error>(error: E): E {
  unsent.add(error);
  return error;
}

/**
 * Whether a statement was never sent, or PostgreSQL itself refused it, so that nothing was changed: not where the connection was lost,
 * or the server is shutting down, and so the commit may have been made.
 */
export function wasRefused(error: unknown): boolean {
  if ([...causesOf(error)].some((cause) => unsent.has(cause))) return true;
  return hasCode(error, /^(?!08|57P0)(?=.*\d)[0-9A-Z]{5}$/) && !hasCode(error, /^P\d{4}$/);
}

function hasCode(error: unknown, codes: RegExp): boolean {
  return [...causesOf(error)].some(({ code, originalCode }) =>
    [code, originalCode].some((value) => typeof value === 'string' && codes.test(value)),
  );
}

/** An error and its causes. Prisma keeps the driver's error in `meta`. */
function* causesOf(error: unknown): Generator<Cause> {
  let cause = error;
  for (let depth = 0; depth < 5 && cause instanceof Object; depth++) {
    const found: Cause = cause;
    yield found;
    cause = found.cause ?? found.meta?.driverAdapterError;
  }
}
