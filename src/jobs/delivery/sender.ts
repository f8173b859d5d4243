// Sends one delivery to its receiver, once, and reports the result. Receivers are untrusted: the target address is checked
// (connections.ts), redirects are not followed, and time, headers and response size are limited.

import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { attemptErrorOf, REASONS, type Reason } from './attempt-errors.ts';
import { type CheckedAgentOptions, createCheckedAgent } from './checked-agent.ts';

/** The result of one attempt. */
interface Attempt {
  readonly startedAt: Date;
  readonly durationMs: number;
  /** The status code of the response; null without one. */
  readonly code: number | null;
  /** Why there is no complete response, as a sentence of a fixed list; null for a complete response. */
  readonly error: string | null;
  /** The beginning of the response body. */
  readonly responseStart: string;
  /** How long the receiver asks to wait, a day at most. */
  readonly retryAfterMs: number | null;
}

interface Delivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export interface Sender {
  /** Sends a delivery with POST. Never throws. @param signal aborts the attempt at once */
  send(delivery: Delivery, signal: AbortSignal): Promise<Attempt>;
  /** Aborts all attempts and closes all connections. */
  close(): Promise<void>;
}

interface Timeouts {
  /** For resolving the name, connecting and TLS. */
  readonly connectMs: number;
  /** From the start of the request to the end of the response. */
  readonly answerMs: number;
}

interface SenderOptions extends Omit<CheckedAgentOptions, 'connectMs'> {
  readonly timeouts?: Timeouts;
}

/** With more open connections than this, a connection is closed at the end of its request. */
const MAX_KEPT_CONNECTIONS = 1_000;

/** The maximum of interim responses (1xx). Without it they could keep this process busy until the timeout. */
const MAX_INTERIM_ANSWERS = 20;

/** Creates a sender with its own connections. */
export function createSender({
  timeouts = { connectMs: 5_000, answerMs: 15_000 },
  ...options
}: SenderOptions): Sender {
  const agent = createCheckedAgent({ ...options, connectMs: timeouts.connectMs });
  return {
    send: (delivery, signal) =>
      exchange(agent.dispatcher, delivery, signal, timeouts, agent.connections >= MAX_KEPT_CONNECTIONS),
    close: agent.close,
  };
}

/** Sends one request. @param reset whether to close the connection afterwards */
function exchange(
  agent: Dispatcher,
  { url, headers, body }: Delivery,
  signal: AbortSignal,
  { connectMs, answerMs }: Timeouts,
  reset: boolean,
): Promise<Attempt> {
  const startedAt = new Date();
  const start = performance.now();
  const { promise, resolve } = Promise.withResolvers<Attempt>();
  let controller: Dispatcher.DispatchController | undefined;
  let isSettled = false;
  let code: number | null = null;
  let retryAfterMs: number | null = null;
  let length = 0;
  let interimAnswers = 0;
  const chunks: Buffer[] = [];
  const stops = stopCallbacksOf(signal);

  function settle(reason: Reason | null): void {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    stops.delete(stop);
    const durationMs = Math.round(performance.now() - start);
    const responseStart = chunks.length === 0 ? '' : toAnswerText(Buffer.concat(chunks));
    const error = reason === null ? null : REASONS[reason];
    resolve({ startedAt, durationMs, code, error, responseStart, retryAfterMs });
  }
  /** Reports the result before the end of the request, and aborts it. A request that still waits for its connection is never sent. */
  function abandon(reason: Reason | null): void {
    settle(reason);
    controller?.abort(new Error('The attempt is over.'));
  }
  const stop = () => abandon('stopped');
  // The connector times out earlier. This timer ends requests that wait for another reason.
  let timer = setTimeout(() => abandon('connectTimeout'), connectMs + 1_000);

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(current) {
      controller = current;
      if (isSettled) return abandon(null);
      clearTimeout(timer);
      timer = setTimeout(() => abandon('answerTimeout'), answerMs);
    },
    onResponseStart(_, status, answerHeaders) {
      if (status < 200) {
        interimAnswers++;
        if (interimAnswers > MAX_INTERIM_ANSWERS) abandon('badAnswer');
        return;
      }
      code = status;
      retryAfterMs = parseRetryAfter(answerHeaders['retry-after'], new Date());
    },
    onResponseData(_, chunk) {
      const missingBytes = MAX_TEXT_BYTES - length;
      // Copies the chunk, because undici reuses its buffer.
      if (missingBytes > 0) chunks.push(Buffer.from(chunk.subarray(0, missingBytes)));
      length += chunk.length;
      if (length > MAX_ANSWER_BYTES) abandon(null);
    },
    onResponseEnd: () => settle(null),
    onResponseError: (_, error) => settle(attemptErrorOf(error)),
  };

  const target = URL.parse(url);
  if (signal.aborted) stop();
  else if (target === null || !/^https?:$/.test(target.protocol)) settle('badUrl');
  else {
    stops.add(stop);
    const path = target.pathname + target.search;
    agent.dispatch({ origin: target.origin, path, method: 'POST', headers, body, reset }, handler);
  }
  return promise;
}

const stopsBySignal = new WeakMap<AbortSignal, Set<() => void>>();

/** The callbacks of a signal's abort. One listener serves all attempts: one for each took longer to add and remove than an answer to parse. */
function stopCallbacksOf(signal: AbortSignal): Set<() => void> {
  const existing = stopsBySignal.get(signal);
  if (existing !== undefined) return existing;
  const stops = new Set<() => void>();
  stopsBySignal.set(signal, stops);
  const stopAll = () => {
    for (const stop of stops) stop();
  };
  signal.addEventListener('abort', stopAll, { once: true });
  return stops;
}

/** The maximum number of bytes read of a response. Reading stops there. */
const MAX_ANSWER_BYTES = 65_536;

/** The maximum length of the stored text, in UTF-16 code units. */
const MAX_TEXT_LENGTH = 2_000;

/** Enough bytes for that text, whatever its characters. */
const MAX_TEXT_BYTES = 3 * MAX_TEXT_LENGTH;

const MAX_RETRY_AFTER_MS = 86_400_000;

const decoder = new TextDecoder();

/** The beginning of an answer as text that PostgreSQL can store. Nothing is decompressed. */
function toAnswerText(bytes: Buffer): string {
  const text = decoder.decode(bytes).replaceAll('\0', '').slice(0, MAX_TEXT_LENGTH);
  // The cut may have left the first half of a surrogate pair.
  return text.isWellFormed() ? text : text.slice(0, -1);
}

/** The milliseconds of a Retry-After header (RFC 9110 §10.2.3), a day at most; null if it is missing or invalid. */
function parseRetryAfter(header: IncomingHttpHeaders['x'], now: Date): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : parseHttpDate(text, now) - now.getTime();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

/** The three forms of an HTTP date (RFC 9110 §5.6.7). */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

function parseHttpDate(text: string, now: Date): number {
  const parts = HTTP_DATES.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return Number.NaN;
  const { day, month, year, time } = parts as Record<'day' | 'month' | 'year' | 'time', string>;
  return Date.parse(`${day} ${month} ${fullYear(Number(year), now)} ${time} GMT`);
}

/** The full year of two digits: the nearest one to `now`. */
function fullYear(year: number, now: Date): number {
  if (year > 99) return year;
  const present = now.getUTCFullYear();
  return present + ((year - (present % 100) + 149) % 100) - 49;
}
