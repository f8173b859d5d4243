// Maps database errors to AppError, so that only the store knows SQLSTATEs and Prisma's codes.
import { AppError, StartupError } from '../errors.ts';

const RETRY_AFTER_SECONDS = 2;

/** SQLSTATEs and codes of Node and Prisma for a temporary failure (PostgreSQL manual, appendix A). */
const UNAVAILABLE =
  /^(08...|53...|57P0[1-5]|57014|40001|40P01|25006|E(CONNREFUSED|CONNRESET|NOENT|PIPE|TIMEDOUT|HOSTUNREACH|AI_AGAIN|NOTFOUND)|P1001|P1002|P1008|P1017|P2024|P2028|P2034)$/;
const UNAVAILABLE_MESSAGE =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Cannot use a pool after/;

/** SQLSTATEs of a text with a NUL, plain and escaped in JSON. Usually such text has been refused earlier (rows/storable.ts). */
const UNSTORABLE = /^(22021|22P05)$/;

/**
 * `unavailable` (503 with Retry-After) when the database cannot be reached or is too slow, `invalid` for text that it cannot store; any other
 * error unchanged.
 */
export function toStoreError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  for (const cause of causesOf(error)) {
    const codes = [cause.code, cause.originalCode].filter((value) => typeof value === 'string');
    if (
      codes.some((value) => UNAVAILABLE.test(value)) ||
      UNAVAILABLE_MESSAGE.test(String(cause.message)) ||
      // The store cannot be read until the operator has fixed it.
      cause instanceof StartupError
    ) {
      return databaseUnavailable(error);
    }
    if (codes.some((value) => UNSTORABLE.test(value)))
      return new AppError('invalid', 'A text has a character that cannot be stored.', { cause: error });
  }
  return error;
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

interface Cause {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly message?: unknown;
  /** The driver's own is a name; Prisma's adapter puts it into an object. */
  readonly constraint?: string | { readonly index?: unknown };
  readonly cause?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown };
}

/** The name of the unique constraint, index or trigger that a row was refused by, or null. */
export function violatedUniqueness(error: unknown): string | null {
  for (const cause of causesOf(error)) {
    const index = cause.constraint instanceof Object ? cause.constraint.index : cause.constraint;
    const isUnique = cause.code === '23505' || cause.originalCode === '23505';
    if (isUnique && typeof index === 'string') return index;
  }
  return null;
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
