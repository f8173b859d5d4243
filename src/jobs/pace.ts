// How fast an endpoint is delivered to: at full speed, or feeling its way while it fails. Pure.

/** Deliveries of one endpoint that are under way at a time. */
export const CONCURRENCY = 10;

/** The longest pause between attempts at an endpoint that fails, whatever its deliveries wait for. */
const MAX_PAUSE_MS = 60_000;
/** The share of the time that it has failed for. */
const PAUSE_SHARE = 0.1;

/** Answers that say something of the receiver as a whole, not of the one delivery. */
const OVERLOADED: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Whether the next delivery is likely to fail, too: there was no answer, or one from somebody who is overloaded. */
export function isEndpointFailure(code: number | null): boolean {
  return code === null || OVERLOADED.has(code);
}

/**
 * Milliseconds until the next attempt at an endpoint that fails: a tenth of the time that it has failed for, or what it asked for. A
 * single delivery's own waits are longer than that; what this bounds is how fast a backlog uses up its attempts.
 */
export function pauseMs(failingForMs: number, retryAfterMs: number | null): number {
  return Math.min(Math.max(failingForMs * PAUSE_SHARE, retryAfterMs ?? 0, 0), MAX_PAUSE_MS);
}

/** Spaces deliveries: `next` is how many milliseconds the next one has to wait. */
export function createSpacing(): { next(perSecond: number | null, nowMs: number): number } {
  let freeAt = 0;
  return {
    next(perSecond, nowMs) {
      if (perSecond === null) return 0;
      const at = Math.max(freeAt, nowMs);
      freeAt = at + 1_000 / perSecond;
      return at - nowMs;
    },
  };
}
