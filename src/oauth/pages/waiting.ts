// The waiting time in words: its length, and its end in UTC, because a page without a script does not have the reader's time zone. Pure.

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** `Try again in about 14 minutes, after 10:23 UTC.` @param seconds as in `Retry-After` */
export function waitSentence(seconds: number, now: Date): string {
  if (seconds <= 10) return 'Try again in a few seconds.';
  // Rounded up to the next minute, so that the wait is over by then.
  const end = new Date(Math.ceil((now.getTime() + seconds * 1_000) / (MINUTE * 1_000)) * MINUTE * 1_000);
  return `Try again ${roundedTime(seconds)}, after ${end.toISOString().slice(11, 16)} UTC.`;
}

function roundedTime(seconds: number): string {
  if (seconds <= MINUTE) return 'in about a minute';
  if (seconds <= 90 * MINUTE) return `in about ${Math.ceil(seconds / MINUTE)} minutes`;
  return `in about ${Math.ceil(seconds / HOUR)} hours`;
}
