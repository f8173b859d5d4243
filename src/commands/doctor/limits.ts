// How long doctor waits: one option sets it, because a slow machine is slow in everything.

/** How long each thing may take, in milliseconds. */
export interface Limits {
  /** A whole check; then it counts as hanging. */
  readonly checkMs: number;
  /** An answer, whoever gives it: a database, Redis, what listens on our port; a notification that was sent, a replica's first state. */
  readonly answerMs: number;
}

/** What a check gets by default. */
export const DEFAULT_SECONDS = 15;

/** The limits where a check gets so many seconds. The parts end well before the whole, so that they say what did not answer. */
export function limitsOf(seconds: number): Limits {
  return { checkMs: seconds * 1_000, answerMs: seconds * 250 };
}
