// Counts fallbacks from the fast path to the full executor by reason, and logs each reason at most once a minute, to reveal bugs of the
// compiler.
import { AppError } from '../../errors.ts';
import type { Logger } from '../../output/log.ts';
import { Unsupported } from './complete.ts';

/** Why the full executor had to execute a compiled operation. */
export type FallbackReason =
  /** Variables could not be coerced. */
  | 'variables'
  /** The database was unavailable. */
  | 'unavailable'
  /** The compiled operation threw Unsupported. */
  | 'unsupported'
  /** An internal error. */
  | 'failed';

/** The reasons that indicate a bug: logged as warnings. */
const BUGS: ReadonlySet<FallbackReason> = new Set(['unsupported', 'failed']);

const LOG_INTERVAL_MS = 60_000;
const MAX_NAME_CHARS = 100;

export interface FallbackCounter {
  /** The number of fallbacks since the start of the process. */
  readonly counts: Readonly<Record<FallbackReason, number>>;
  count(reason: FallbackReason, operationName: string | null, error?: unknown): void;
}

/** @param clock returns the current time */
export function createFallbackCounter(log: Logger, clock: () => Date): FallbackCounter {
  const counts = { variables: 0, unavailable: 0, unsupported: 0, failed: 0 };
  const loggedAt = new Map<FallbackReason, number>();
  return {
    counts,
    count(reason, operationName, error) {
      counts[reason] += 1;
      const now = clock().getTime();
      if (now - (loggedAt.get(reason) ?? Number.NEGATIVE_INFINITY) < LOG_INTERVAL_MS) return;
      loggedAt.set(reason, now);
      const isBug = BUGS.has(reason);
      log[isBug ? 'warn' : 'info'](
        {
          reason,
          operationName: operationName?.slice(0, MAX_NAME_CHARS),
          count: counts[reason],
          ...(isBug && error !== undefined && { err: error }),
        },
        'compiled operation left to the full executor',
      );
    },
  };
}

/** The reason for a fallback, from the error that the compiled operation threw. */
export function fallbackReasonOf(error: unknown): FallbackReason {
  if (error instanceof AppError && error.code === 'unavailable') return 'unavailable';
  return error instanceof Unsupported ? 'unsupported' : 'failed';
}
