// Signs deliveries in both forms that receivers know, and checks what was signed. Pure.
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** The secrets of an endpoint; both are known during a rotation. */
interface Secrets {
  readonly current: string;
  readonly previous: string | null;
}

interface Signed {
  /** How the names of the first form's headers begin (WEBHOOK_HEADER_PREFIX). */
  readonly prefix: string;
  /** The event, the same on every attempt. */
  readonly id: string;
  /** The attempt: receivers refuse what was signed long ago. */
  readonly at: Date;
  /** Exactly what is sent. */
  readonly body: string | Buffer;
  readonly secrets: Secrets;
}

/**
 * The headers of a delivery that say who sends it. Two forms are always there:
 *
 * - `<prefix>-Signature` is the hexadecimal HMAC-SHA256 of `<timestamp>.<body>`, the secret taken as text. Receivers compare the whole
 *   header, so it has one value: during a rotation that of the secret which they have had all along. The new secret's is in
 *   `<prefix>-Signature-Next`.
 * - `webhook-signature` is that of Standard Webhooks: of `<id>.<timestamp>.<body>`, the secret taken as base64. It has a value for each
 *   secret, the new one's first.
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
  return createHmac('sha256', standardKey(secret))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest('base64');
}

/** The keys of secrets, of as many as are in use: to make one takes five times as long as to sign with it. */
const standardKeys = new LRUCache<string, KeyObject>({ max: 1_000 });

function standardKey(secret: string): KeyObject {
  const known = standardKeys.get(secret) ?? createSecretKey(Buffer.from(secret, 'base64'));
  standardKeys.set(secret, known);
  return known;
}

/** What a form's headers prove: `missing` where one of them is not there. */
type Verdict = 'valid' | 'invalid' | 'missing';

export interface Verification {
  /** By the headers that begin with the prefix. */
  readonly prefixed: Verdict;
  /** By those of Standard Webhooks. */
  readonly standard: Verdict;
  /** Seconds since the attempt was signed; null where no header tells. */
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

/** What is proved by the headers of a delivery that was received. How old it may be is for the caller to say. */
export function verify({ prefix, headers, body, secret, now }: Received): Verification {
  const read = (name: string) => {
    const value = headers[name.toLowerCase()];
    return typeof value === 'string' ? value : undefined;
  };
  const timestamp = read(`${prefix}-Timestamp`);
  const standardTimestamp = read('webhook-timestamp');
  const given = [read(`${prefix}-Signature`), read(`${prefix}-Signature-Next`)];
  const id = read('webhook-id');
  const standard = read('webhook-signature');
  return {
    prefixed:
      timestamp === undefined || given[0] === undefined
        ? 'missing'
        : verdict(given, signature(secret, timestamp, body)),
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
