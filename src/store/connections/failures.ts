// Maps database errors to AppError, so that only the store knows SQLSTATEs and Prisma's codes.
import { AppError, StartupError } from '../../errors.ts';

const RETRY_AFTER_SECONDS = 2;

/** SQLSTATEs and Prisma's codes of temporary failures (PostgreSQL manual, appendix A). */
const UNAVAILABLE =
  /^(08...|53...|57P0[1-5]|57014|40001|40P01|25006|P1001|P1002|P1008|P1017|P2024|P2028|P2034)$/;
/** Operating system errors of connections: no server listens, no route exists, or this machine lacks the resources to open one. */
const UNCONNECTED =
  /^E(CONNREFUSED|CONNRESET|CONNABORTED|NOENT|PIPE|TIMEDOUT|AI_AGAIN|NOTFOUND|(HOST|NET)(UNREACH|DOWN)|ADDRNOTAVAIL|MFILE|NFILE|NOBUFS|NOMEM|AGAIN|PERM|ACCES)$/;
const UNAVAILABLE_MESSAGE =
  /timeout exceeded when trying to connect|^timeout expired$|Connection terminated|Client has encountered a connection error|Cannot use a pool after/;

/**
 * Errors of Citus, which have no SQLSTATE of their own, when it loses a node. Messages of other errors are not matched, because they may
 * contain a client's text.
 */
const INTERNAL_ERROR = 'XX000';
const NODE_LOST =
  /SSL SYSCALL error|server closed the connection unexpectedly|could not commit transaction for shard/;

/** A write to a database that is read-only or a standby. */
const READ_ONLY = '25006';

/** SQLSTATEs of text with a NUL character, plain or escaped in JSON. Such text is usually refused earlier (rows/storable.ts). */
const UNSTORABLE = /^(22021|22P05)$/;

/**
 * Maps a database error: `unavailable` (503 with Retry-After) when the database cannot be reached or is too slow, `invalid` for text that
 * it cannot store. Returns any other error unchanged.
 */
export function toStoreError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  if (tookTooLong(error)) return unavailable(TOO_LONG, error);
  for (const cause of causesOf(error)) {
    const codes = [cause.code, cause.originalCode].filter((value) => typeof value === 'string');
    if (
      codes.some((value) => UNAVAILABLE.test(value) || UNCONNECTED.test(value)) ||
      UNAVAILABLE_MESSAGE.test(String(cause.message)) ||
      (codes.includes(INTERNAL_ERROR) && NODE_LOST.test(String(cause.message))) ||
      // The store cannot be read until the operator has fixed the cause.
      cause instanceof StartupError
    ) {
      return codes.includes(READ_ONLY) ? unavailable(IS_READ_ONLY, error) : databaseUnavailable(error);
    }
    if (codes.some((value) => UNSTORABLE.test(value)))
      return new AppError(
        'invalid',
        'A text has a character that cannot be stored. Leave out NUL characters and lone surrogates.',
        { reason: { code: 'invalid_format' }, cause: error },
      );
  }
  return error;
}

/** The reason why a connection was lost, as short text. The driver's error itself refers to the whole connection. */
export function toReason(error: Error | undefined): string {
  if (error === undefined) return 'Connection terminated';
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? `${error.message} (${code})` : error.message;
}

/** The 503 for a database that cannot be reached, is too slow, or is overloaded. */
export function databaseUnavailable(cause?: unknown): AppError {
  return unavailable('The database is not available at the moment. Try again shortly.', cause);
}

/** PostgreSQL commits nothing of a transaction that it ended for taking too long. */
const TOO_LONG = 'This took longer than a change may take, and was undone. Nothing was changed.';
const IS_READ_ONLY = 'The database is read-only at the moment. Try again shortly.';

function unavailable(message: string, cause: unknown): AppError {
  return new AppError('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}

interface Cause {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly message?: unknown;
  readonly originalMessage?: unknown;
  /** The driver gives a name; Prisma's adapter puts it into an object. */
  readonly constraint?: string | { readonly index?: unknown };
  readonly cause?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown };
}

/** The reason why the database refused a row. */
export interface Violation {
  /** The name of the constraint, index or trigger. */
  readonly constraint: string;
  readonly kind: 'unique' | 'reference' | 'restrict' | 'check';
}

/** Citus appends a shard's number to the names of constraints. */
const SHARD = /_\d{6,}$/;

const VIOLATIONS: Readonly<Record<string, Violation['kind']>> = {
  '23001': 'restrict',
  '23503': 'reference',
  '23505': 'unique',
  '23514': 'check',
};

/** The constraint that refused a row, or null. */
export function violationOf(error: unknown): Violation | null {
  for (const cause of causesOf(error)) {
    const code = [cause.code, cause.originalCode].find(
      (value) => typeof value === 'string' && value in VIOLATIONS,
    );
    if (code === undefined) continue;
    const { constraint, originalMessage, message } = cause;
    const named = constraint instanceof Object ? constraint.index : constraint;
    // Prisma's adapter omits the names of some constraints.
    const name =
      named ?? /constraint "([^"]+)"(?: on table "[^"]+")?$/.exec(String(originalMessage ?? message))?.[1];
    const kind = VIOLATIONS[code as string];
    if (typeof name === 'string' && kind !== undefined) return { constraint: name.replace(SHARD, ''), kind };
  }
  return null;
}

/** The name of the unique constraint, index or trigger that refused a row, or null. */
export function violatedUniqueness(error: unknown): string | null {
  const violation = violationOf(error);
  return violation?.kind === 'unique' ? violation.constraint : null;
}

/** Whether a statement was undone because of other transactions, so that it can be retried: a serialization failure or a deadlock. */
export function isConflictOfTransactions(error: unknown): boolean {
  return hasCode(error, /^(40001|40P01|P2034)$/);
}

/** Prisma's message for an expired transaction. It shares its code with the error for a transaction that could not begin. */
const EXPIRED = /on an expired transaction/;

/** Whether a transaction was ended because it took too long (time-limits.ts), by Prisma or by PostgreSQL's own limits. */
export function tookTooLong(error: unknown): boolean {
  return (
    hasCode(error, /^25P0[34]$/) || [...causesOf(error)].some(({ message }) => EXPIRED.test(String(message)))
  );
}

/** Whether a statement waited too long for a lock (SQLSTATE 55P03). */
export function isLockTimeout(error: unknown): boolean {
  return hasCode(error, /^55P03$/);
}

/**
 * Whether a change of a table failed because others use it: an unavailable lock, a deadlock, the statement's time limit, or conflicting
 * rows that were written meanwhile.
 */
export function isBusy(error: unknown): boolean {
  return hasCode(error, /^(55P03|40P01|57014|23514)$/);
}

/**
 * SQLSTATEs of a prepared statement that must be prepared again: it does not exist (its preparation failed before those queued after it
 * were executed), it exists already, or a migration has changed its result types.
 */
const STALE = new Set(['26000', '42P05', '0A000']);

/** Whether a statement failed because it must be prepared again. */
export function isStale(error: unknown): boolean {
  return error instanceof Error && STALE.has((error as { code?: string }).code ?? '');
}

/** Errors that occurred before any connection was available. */
const unsent = new WeakSet<object>();

/** Marks an error to say that no connection was available, so that the statement was never sent. @returns the error */
export function markUnsent<E extends Error>(error: E): E {
  unsent.add(error);
  return error;
}

/**
 * Whether a statement was never sent or PostgreSQL itself refused it, so that nothing was changed. False if the connection was lost or the
 * server is shutting down, because the commit may have completed.
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
