// The time limits of doctor. One option sets all of them, because a slow machine is slow in everything.

/** Time limits, in milliseconds. */
export interface Limits {
  /** For a complete check; after it, the check counts as hanging. */
  readonly checkMs: number;
  /** For one answer: of a database, Redis, or the program on our port; for a notification, or a replica's first state. */
  readonly answerMs: number;
}

/** The default limit of a check. */
export const DEFAULT_SECONDS = 15;

/** The limits for a check of this many seconds. Answers time out well before the check, so that the finding says which one is missing. */
export function limitsOf(seconds: number): Limits {
  return { checkMs: seconds * 1_000, answerMs: seconds * 250 };
}
