// Signs deliveries in the two forms that receivers support, and verifies signatures. Pure.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The secrets of an endpoint; receivers may have either during a rotation. */
interface Secrets {
  readonly current: string;
  readonly previous: string | null;
}

interface Signed {
  /** The prefix of the first form's header names (WEBHOOK_HEADER_PREFIX). */
  readonly prefix: string;
  /** The event's id, the same in every attempt. */
  readonly id: string;
  /** The time of the attempt: receivers refuse old signatures. */
  readonly at: Date;
  /** Exactly the bytes that are sent. */
  readonly body: string | Buffer;
  readonly secrets: Secrets;
}

/**
 * The headers that authenticate a delivery. Both forms are always present:
 *
 * - `<prefix>-Signature` is the hexadecimal HMAC-SHA256 of `<timestamp>.<body>`, with the secret as text. Receivers compare the whole
 * header, so it has one value: during a rotation, that of the previous secret. The new secret's value is in `<prefix>-Signature-Next`.
 * - `webhook-signature` follows Standard Webhooks: it signs `<id>.<timestamp>.<body>`, with the secret as base64. It has one value for each
 * secret, the new one first.
 */
export function signatureHeaders({ prefix, id, at, body, secrets }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const { current, previous } = secrets;
  const standard = (secret: string) => `v1,${standardSignature(secret, id, timestamp, body)}`;
  return {
    [`${prefix}-Id`]: id,
    [`${prefix}-Timestamp`]: timestamp,
    [`${prefix}-Signature`]: signature(previous ?? current, timestamp, body),
    ...(previous === null ? {} : { [`${prefix}-Signature-Next`]: signature(current, timestamp, body) }),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': [current, ...(previous === null ? [] : [previous])].map(standard).join(' '),
  };
}

function signature(secret: string, timestamp: string, body: string | Buffer): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
}

function standardSignature(secret: string, id: string, timestamp: string, body: string | Buffer): string {
  return createHmac('sha256', secret, { encoding: 'base64' })
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest('base64');
}

/** The result for one form's headers: `missing` if one of them is absent. */
type Verdict = 'valid' | 'invalid' | 'missing';

export interface Verification {
  /** By the headers with the prefix. */
  readonly prefixed: Verdict;
  /** By the headers of Standard Webhooks. */
  readonly standard: Verdict;
  /** Seconds since the attempt was signed; null if no header has the time. */
  readonly ageSeconds: number | null;
}

interface Received {
  readonly prefix: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
  readonly secret: string;
  readonly now: Date;
}

/** Verifies the headers of a received delivery. The caller decides how old it may be. */
export function verify({ prefix, headers, body, secret, now }: Received): Verification {
  const read = (name: string) => {
    const value = headers[name.toLowerCase()];
    return typeof value === 'string' ? value : undefined;
  };
  const timestamp = read(`${prefix}-Timestamp`);
  const standardTimestamp = read('webhook-timestamp');
  const received = [read(`${prefix}-Signature`), read(`${prefix}-Signature-Next`)];
  const id = read('webhook-id');
  const standard = read('webhook-signature');
  return {
    prefixed:
      timestamp === undefined || received[0] === undefined
        ? 'missing'
        : verdict(received, signature(secret, timestamp, body)),
    standard:
      standardTimestamp === undefined || id === undefined || standard === undefined
        ? 'missing'
        : verdict(standard.split(' '), `v1,${standardSignature(secret, id, standardTimestamp, body)}`),
    ageSeconds: ageOf(timestamp ?? standardTimestamp, now),
  };
}

function verdict(given: readonly (string | undefined)[], expected: string): Verdict {
  const isExpected = (text = '') =>
    Buffer.byteLength(text) === expected.length && timingSafeEqual(Buffer.from(text), Buffer.from(expected));
  return given.some(isExpected) ? 'valid' : 'invalid';
}

function ageOf(timestamp: string | undefined, now: Date): number | null {
  return timestamp !== undefined && /^\d{1,12}$/.test(timestamp)
    ? Math.floor(now.getTime() / 1_000) - Number(timestamp)
    : null;
}
