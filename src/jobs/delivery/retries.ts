// Decides when a delivery counts as successful, and when it is tried again. Pure.

/** Every other status code is a failure: redirects, 208, and all errors. */
const SUCCESS_CODES: ReadonlySet<number> = new Set([200, 201, 202, 203, 204, 205, 206, 207, 226]);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The waits after the first attempt, the second and so on: 37 hours and 21 minutes in all. */
const WAITS_MS = [
  ...[SECOND, 15 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE],
  ...[HOUR, 12 * HOUR, 24 * HOUR],
] as const;

/** The maximum of attempts for a delivery. */
export const MAX_ATTEMPTS = WAITS_MS.length + 1;

/** The random share added to a wait, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;

/** Whether an attempt was successful: a complete response with one of the documented codes. */
export function isDelivered({ code, error }: { code: number | null; error: string | null }): boolean {
  return error === null && code !== null && SUCCESS_CODES.has(code);
}

/**
 * Milliseconds until the next attempt: the documented wait and up to a tenth more, or what the receiver asked for if that is longer.
 * @param attemptCount the attempts so far, at least one
 * @param retryAfterMs the wait that the receiver asked for
 * @param random from 0 to 1
 * @returns null when no attempt is left
 */
export function nextAttempt(
  attemptCount: number,
  retryAfterMs: number | null,
  random: () => number = Math.random,
): number | null {
  const wait = WAITS_MS[attemptCount - 1];
  if (wait === undefined) return null;
  return Math.max(Math.round(wait * (1 + JITTER * random())), retryAfterMs ?? 0);
}
