// The published keys of an outside issuer: located through its metadata, cached for a while, and fetched again when a token has an
// unknown key id. Requests go only to the issuer and to the address in its metadata.
import { isIP } from 'node:net';
import type { JWK, JWTVerifyGetKey } from 'jose';
import { AppError } from '../errors.ts';
import { readBytes } from '../messages/body.ts';
import type { Logger } from '../output/log.ts';

/** How long keys are used before they are fetched again. */
const FRESH_MS = 600_000;
/** The longest use of keys while the issuer cannot be reached. */
const STALE_MS = 3_600_000;
/**
 * For this long after an answer, an unknown key id causes no request: tokens with invented ids must not make us flood the issuer.
 */
const COOLDOWN_MS = 30_000;
/** For this long after a failure, no request is sent to the issuer. */
const RETRY_MS = 5_000;
const TIMEOUT_MS = 5_000;
const MAX_BYTES = 262_144;

export interface IssuerKeys {
  /** Finds the key by a token's key id. @throws AppError `unavailable` when a request to the issuer is needed and fails */
  readonly keyOf: JWTVerifyGetKey;
}

interface IssuerOptions {
  readonly issuer: string;
  readonly fetch: typeof fetch;
  readonly clock: () => Date;
  readonly log: Logger;
}

interface CachedKeys {
  readonly keyOf: JWTVerifyGetKey;
  readonly at: number;
}

/** Sends no request before the first token. */
export function createIssuerKeys(options: IssuerOptions): IssuerKeys {
  const { issuer, clock, log } = options;
  let cached: CachedKeys | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  let pending: Promise<CachedKeys> | null = null;

  async function fetchAndCache(): Promise<CachedKeys> {
    try {
      const keys = await fetchKeys(options);
      const { createLocalJWKSet } = await import('jose');
      cached = { keyOf: createLocalJWKSet({ keys }), at: clock().getTime() };
      return cached;
    } catch (error) {
      failedAt = clock().getTime();
      log.warn({ err: error, issuer }, 'no keys from the issuer of access tokens');
      throw error;
    } finally {
      pending = null;
    }
  }

  async function load(isKeyMissing: boolean): Promise<CachedKeys> {
    const now = clock().getTime();
    const age = cached === null ? Number.POSITIVE_INFINITY : now - cached.at;
    if (cached !== null && age < (isKeyMissing ? COOLDOWN_MS : FRESH_MS)) return cached;
    const fallback = isKeyMissing || age >= STALE_MS ? null : cached;
    try {
      if (pending === null && now - failedAt < RETRY_MS) throw new Error('The issuer failed a moment ago.');
      pending ??= fetchAndCache();
      return await pending;
    } catch (error) {
      if (fallback !== null) return fallback;
      throw new AppError(
        'unavailable',
        'The issuer of access tokens does not answer with its keys. Try again shortly.',
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
    const { issuer: publishedIssuer, jwks_uri: uri } = metadata;
    if (publishedIssuer !== issuer) throw new Error(`The metadata at ${url} is of another issuer.`);
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
 * The address of the issuer's keys: on its own origin or, as with some issuers, on another host name over https.
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
