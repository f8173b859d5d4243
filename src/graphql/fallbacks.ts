// How often compiled operations answered, and why they did not: counted, and logged at most once a minute for each reason, so
// that a fault of the compiler does not look like a slow day.
import { AppError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { AnswerTooLarge } from './answer-size.ts';
import { Unsupported } from './complete.ts';

/** Why an operation that was compiled was left to the full executor. */
export type FallbackReason =
  /** The variables do not fit. */
  | 'variables'
  /** A service refused, or a limit. */
  | 'refused'
  | 'answer_too_large'
  /** The compiled form met something that it does not do. */
  | 'unsupported'
  /** A fault inside. */
  | 'failed';

/** Those that are our own fault. */
const FAULTS: ReadonlySet<FallbackReason> = new Set(['unsupported', 'failed']);

const LOG_INTERVAL_MS = 60_000;
const MAX_NAME_CHARS = 100;

export interface Fallbacks {
  /** How often each has happened since the start. */
  readonly counts: Readonly<Record<FallbackReason, number>>;
  count(reason: FallbackReason, operationName: string | null, error?: unknown): void;
}

/** @param clock the time now; tests set it */
export function createFallbacks(log: Logger, clock: () => Date): Fallbacks {
  const counts = { variables: 0, refused: 0, answer_too_large: 0, unsupported: 0, failed: 0 };
  const loggedAt = new Map<FallbackReason, number>();
  return {
    counts,
    count(reason, operationName, error) {
      counts[reason] += 1;
      const now = clock().getTime();
      if (now - (loggedAt.get(reason) ?? Number.NEGATIVE_INFINITY) < LOG_INTERVAL_MS) return;
      loggedAt.set(reason, now);
      const isFault = FAULTS.has(reason);
      log[isFault ? 'warn' : 'info'](
        {
          reason,
          operationName: operationName?.slice(0, MAX_NAME_CHARS),
          count: counts[reason],
          ...(isFault && error !== undefined && { err: error }),
        },
        'compiled operation left to the full executor',
      );
    },
  };
}

/** The reason why a compiled operation threw. */
export function reasonOf(error: unknown): FallbackReason {
  if (error instanceof AnswerTooLarge) return 'answer_too_large';
  if (error instanceof AppError) return error.code === 'internal' ? 'failed' : 'refused';
  return error instanceof Unsupported ? 'unsupported' : 'failed';
}
