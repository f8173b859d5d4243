// How long the gateway's transactions may take. While a transaction with drawn ids is open, lists hide newer rows (high-water-marks.ts).
// PostgreSQL ends transactions that exceed the limits. If a session remains nevertheless, a gateway process ends it (mark-holders.ts).

/** The application name of the gateway's sessions. The store version that the process knows is appended (migrations/compatibility.ts). */
export const APPLICATION = 'funnel-gateway';

/** A regular expression for the names of sessions with time limits. Sessions for long work have other names. */
export const BOUNDED_SESSIONS = `^${APPLICATION}(/\\d+)?$`;

/** How long a session may be idle inside a transaction, as after a gateway process was frozen. */
const IDLE_MS = 15_000;
const TRANSACTION_MS = 60_000;

/** The limit of a transaction in milliseconds, from the statement timeout in milliseconds. */
export function transactionLimit(statementTimeoutMs: number): number {
  return Math.max(TRANSACTION_MS, 2 * statementTimeoutMs);
}

/** How long a connection may be silent: longer than the statement timeout, so that PostgreSQL's cancellation can arrive. */
export function answerTimeout(statementTimeoutMs: number): number {
  return statementTimeoutMs + ANSWER_GRACE_MS;
}

const ANSWER_GRACE_MS = 2_000;

/** How long it may take to open a connection, or to get one from the pool. */
export const CONNECT_TIMEOUT_MS = 5_000;
/** How much longer it may take to begin a transaction. */
const BEGIN_MS = 1_000;

/** How long after its request's deadline a transaction is ended, so that the request's own error comes first. */
const DEADLINE_GRACE_MS = 1_000;

/**
 * Replaces Prisma's default limits of 2 and 5 seconds for interactive transactions by the request's deadline and PostgreSQL's limits.
 * @param leftMs the time until the request's deadline; absent: there is none
 */
export function interactiveLimits(
  statementTimeoutMs: number,
  leftMs = Number.POSITIVE_INFINITY,
): { maxWait: number; timeout: number } {
  const mostMs = Math.max(0, Math.ceil(leftMs)) + DEADLINE_GRACE_MS;
  return {
    maxWait: Math.min(CONNECT_TIMEOUT_MS + BEGIN_MS, mostMs),
    timeout: Math.min(transactionLimit(statementTimeoutMs), mostMs),
  };
}

/** The SQL that limits a session's transactions. PostgreSQL has `transaction_timeout` since version 17. */
export function limitTransactions(statementTimeoutMs: number): string {
  return `select set_config('idle_in_transaction_session_timeout', '${IDLE_MS}', false),
    case when current_setting('transaction_timeout', true) is not null
      then set_config('transaction_timeout', '${transactionLimit(statementTimeoutMs)}', false) end`;
}

/** Removes every limit of a newly opened session, which a pooler may have used before. */
export const LIFT_SESSION_LIMITS = `set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0;
  select case when current_setting('transaction_timeout', true) is not null then set_config('transaction_timeout', '0', false) end`;

/** Removes every limit of the current transaction, for long work such as an import, which must not be ended. */
export const LIFT_LIMITS = `select set_config('statement_timeout', '0', true), set_config('application_name', '${APPLICATION} import', true),
  set_config('idle_in_transaction_session_timeout', '0', true),
  case when current_setting('transaction_timeout', true) is not null then set_config('transaction_timeout', '0', true) end`;

/** How long a change waits for other changes of the same row, or for the first request with its idempotency key. */
export const LOCK_TIMEOUT_MS = 4_000;

/** Limits how long the rest of the transaction waits for locks. As an expression of a select list it also works behind a pooler. */
export const BOUND_WAITS = `set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true)`;
