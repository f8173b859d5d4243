// How long a transaction of ours may take: while it has drawn ids, nothing newer is listed (horizons.ts). PostgreSQL itself ends what takes
// longer; a session that nevertheless stays is ended by any gateway (horizon-holders.ts).

/** What sessions of the gateway call themselves, with the version of the store that they know behind it (migrations/compatibility.ts). */
export const APPLICATION = 'funnel-gateway';

/** The names of sessions that are bounded, as a regular expression: those of long work have others. */
export const BOUNDED_SESSIONS = `^${APPLICATION}(/\\d+)?$`;

/** How long a session may be silent inside a transaction, as after a gateway was frozen. */
const IDLE_MS = 15_000;
const TRANSACTION_MS = 60_000;

/** In milliseconds, given the time that a statement may take. */
export function transactionLimit(statementTimeoutMs: number): number {
  return Math.max(TRANSACTION_MS, 2 * statementTimeoutMs);
}

/** How long a connection may take to open, or to be free. */
export const CONNECT_TIMEOUT_MS = 5_000;
/** How much longer a transaction may take to begin. */
const BEGIN_MS = 1_000;

/** Prisma's own limits of transactions of several steps: those that PostgreSQL has too. Without them they are 2 and 5 seconds. */
export function interactiveLimits(statementTimeoutMs: number): { maxWait: number; timeout: number } {
  return { maxWait: CONNECT_TIMEOUT_MS + BEGIN_MS, timeout: transactionLimit(statementTimeoutMs) };
}

/** Limits a session's transactions. PostgreSQL has `transaction_timeout` since version 17. */
export function limitTransactions(statementTimeoutMs: number): string {
  return `select set_config('idle_in_transaction_session_timeout', '${IDLE_MS}', false),
    case when current_setting('transaction_timeout', true) is not null
      then set_config('transaction_timeout', '${transactionLimit(statementTimeoutMs)}', false) end`;
}

/** Lifts every limit for a session that was just opened, also one that a pooler hands on. */
export const LIFT_SESSION_LIMITS = `set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0;
  select case when current_setting('transaction_timeout', true) is not null then set_config('transaction_timeout', '0', false) end`;

/** Lifts every limit for the transaction that it is sent in: one of long work, such as an import, which nobody ends. */
export const LIFT_LIMITS = `select set_config('statement_timeout', '0', true), set_config('application_name', '${APPLICATION} import', true),
  set_config('idle_in_transaction_session_timeout', '0', true),
  case when current_setting('transaction_timeout', true) is not null then set_config('transaction_timeout', '0', true) end`;

/** So long a change waits for others of the same row, or for the first request with its idempotency key. */
export const LOCK_TIMEOUT_MS = 4_000;

/** Bounds what the rest of the transaction waits for locks. It stands in a select list, behind a pooler too. */
export const BOUND_WAITS = `set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true)`;
