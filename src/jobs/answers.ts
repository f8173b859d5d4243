// What is kept of the answer to a delivery, and when it asks to be tried again. Pure.
import type { IncomingHttpHeaders } from 'node:http';

/** Bytes of an answer that are read; the rest is not waited for. */
export const MAX_ANSWER_BYTES = 65_536;

/** The longest text that is kept, in the units of JavaScript. */
const MAX_TEXT_LENGTH = 2_000;

/** Enough bytes for that text, whatever its characters are. */
export const MAX_TEXT_BYTES = 3 * MAX_TEXT_LENGTH;

const MAX_RETRY_AFTER_MS = 86_400_000;

const decoder = new TextDecoder();

/** The beginning of an answer as text that PostgreSQL can store. Nothing is decompressed. */
export function toAnswerText(bytes: Buffer): string {
  const text = decoder.decode(bytes).replaceAll('\0', '').slice(0, MAX_TEXT_LENGTH);
  // The cut may have left the first half of a pair.
  return text.isWellFormed() ? text : text.slice(0, -1);
}

/** The milliseconds of a Retry-After (RFC 9110 §10.2.3), a day at most; null where there is none that can be understood. */
export function parseRetryAfter(header: IncomingHttpHeaders['x'], now: Date): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : parseHttpDate(text) - now.getTime();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

/** The usual form of an HTTP date (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`. */
function parseHttpDate(text: string): number {
  return /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN;
}
