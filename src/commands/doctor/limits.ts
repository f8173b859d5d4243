// How long doctor waits: one option sets it, because a slow machine is slow in everything.

/** How long each thing may take, in milliseconds. */
export interface Limits {
  /** A whole check; then it counts as hanging. */
  readonly checkMs: number;
  /** The answer of a database. */
  readonly answerMs: number;
  /** The answer of another server: what listens on our port, or Redis; also a replica's first state. */
  readonly otherAnswerMs: number;
  /** A notification, once it was sent. */
  readonly notificationMs: number;
}

/** What a check gets by default. */
export const DEFAULT_SECONDS = 15;

/** The limits where a check gets so many seconds. The parts end well before the whole, so that they say what did not answer. */
export function limitsOf(seconds: number): Limits {
  const checkMs = seconds * 1_000;
  return {
    checkMs,
    answerMs: checkMs / 3,
    otherAnswerMs: checkMs / 5,
    notificationMs: Math.round((checkMs * 2) / 15),
  };
}
