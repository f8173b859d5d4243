// The published keys of an outside issuer: located through its metadata, cached for a while, and fetched again when a token names an
// unknown key. Requests go only to the issuer and to the address that its metadata gives.
import { isIP } from 'node:net';
import type { JWK, JWTVerifyGetKey } from 'jose';
import { AppError } from '../errors.ts';
import { readBytes } from '../messages/body.ts';
import type { Logger } from '../output/log.ts';

/** How long keys are used before the issuer is asked again. */
const FRESH_MS = 600_000;
/** How long they are used at most, while the issuer cannot be reached. */
const STALE_MS = 3_600_000;
/**
 * How long after an answer an unknown key id does not cause another request: tokens with invented ids must not make us flood the issuer.
 */
const COOLDOWN_MS = 30_000;
/** How long after a failure the issuer is not asked again. */
const RETRY_MS = 5_000;
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 262_144;

export interface IssuerKeys {
  /** Finds the key that a token names. @throws AppError `unavailable` when the issuer has to be asked and does not answer */
  readonly keyOf: JWTVerifyGetKey;
}

interface IssuerOptions {
  readonly issuer: string;
  readonly fetch: typeof fetch;
  readonly clock: () => Date;
  readonly log: Logger;
}

interface Known {
  readonly keyOf: JWTVerifyGetKey;
  readonly at: number;
}

/** Sends no request before the first token. */
export function createIssuerKeys(options: IssuerOptions): IssuerKeys {
  const { issuer, clock, log } = options;
  let known: Known | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  let pending: Promise<Known> | null = null;

  async function ask(): Promise<Known> {
    try {
      const keys = await fetchKeys(options);
      const { createLocalJWKSet } = await import('jose');
      known = { keyOf: createLocalJWKSet({ keys }), at: clock().getTime() };
      return known;
    } catch (error) {
      failedAt = clock().getTime();
      log.warn({ err: error, issuer }, 'no keys from the issuer of access tokens');
      throw error;
    } finally {
      pending = null;
    }
  }

  async function load(isKeyMissing: boolean): Promise<Known> {
    const now = clock().getTime();
    const age = known === null ? Number.POSITIVE_INFINITY : now - known.at;
    if (known !== null && age < (isKeyMissing ? COOLDOWN_MS : FRESH_MS)) return known;
    const fallback = isKeyMissing || age >= STALE_MS ? null : known;
    try {
      if (pending === null && now - failedAt < RETRY_MS) throw new Error('The issuer failed a moment ago.');
      pending ??= ask();
      return await pending;
    } catch (error) {
      if (fallback !== null) return fallback;
      throw new AppError(
        'unavailable',
        'The issuer of access tokens cannot be asked for its keys at the moment.',
        {
          retryAfterSeconds: RETRY_MS / 1000,
          cause: error,
        },
      );
    }
  }

  return {
    async keyOf(header, token) {
      const { keyOf } = await load(false);
      try {
        return await keyOf(header, token);
      } catch (error) {
        const { errors } = await import('jose');
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      }
      return (await load(true)).keyOf(header, token);
    },
  };
}

async function fetchKeys({ issuer, fetch }: IssuerOptions): Promise<JWK[]> {
  for (const url of metadataUrls(issuer)) {
    const metadata = await fetchJson(fetch, url);
    if (metadata === null) continue;
    const { issuer: theirs, jwks_uri: uri } = metadata;
    if (theirs !== issuer) throw new Error(`The metadata at ${url} is of another issuer.`);
    const { keys } = (await fetchJson(fetch, keysUrl(issuer, uri))) ?? {};
    if (!Array.isArray(keys)) throw new Error('The issuer publishes no list of keys.');
    return keys;
  }
  throw new Error('The issuer publishes no metadata.');
}

/** Possible addresses of the metadata: RFC 8414 §3.1, then OpenID Connect Discovery 1.0 §4. */
function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
}

/**
 * The address of the issuer's keys: on its own origin or, as some issuers have it, on another named host over https.
 * @throws Error for any other address: an answer must not make us send requests into our own network (SSRF)
 */
function keysUrl(issuer: string, uri: unknown): string {
  const url = typeof uri === 'string' && URL.canParse(uri) ? new URL(uri) : null;
  const isNamed = url?.protocol === 'https:' && isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0;
  if (url === null || (!isNamed && url.origin !== new URL(issuer).origin))
    throw new Error('jwks_uri is neither on the issuer’s own origin nor an https address with a host name.');
  return url.href;
}

/** The JSON object at an address, or null for a 4xx answer. @throws Error for any other answer */
async function fetchJson(fetchFrom: typeof fetch, url: string): Promise<Record<string, unknown> | null> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const headers = { Accept: 'application/json' };
  const response = await fetchFrom(url, { headers, redirect: 'error', signal });
  if (!response.ok) {
    await response.body?.cancel();
    if (response.status >= 400 && response.status < 500) return null;
    throw new Error(`${url} answered ${response.status}.`);
  }
  const tooLarge = () => new Error(`${url} is larger than ${MAX_BYTES} bytes.`);
  const text = (await readBytes(response.body ?? [], MAX_BYTES, tooLarge)).toString();
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) throw new Error(`${url} is not a JSON object.`);
  return value as Record<string, unknown>;
}
