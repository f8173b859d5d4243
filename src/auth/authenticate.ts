// Authenticates a request (spec §5 rules 1-2, RFC 6750 §2.1). An invalid credential does not throw: it makes an anonymous actor with the
// reason, so that the error can state the scope that the operation needs.
import { memoize } from '../concurrency/memoize.ts';
import { touchApiKey } from '../store/accounts/api-keys.ts';
import type { Actor, OauthActor } from './actor.ts';
import type { AuthApp } from './auth-app.ts';
import { type Host, tenancyOnHost } from './hosts.ts';
import { hashOf, isJwt, opaqueTokenKey } from './tokens.ts';

const TOUCH_INTERVAL_MS = 60_000;

/**
 * The sender of the request, with the tenancy of the host.
 * @param url the URL that the client used
 * @throws AppError `unavailable` when the store, or the outside issuer of the token, does not answer
 */
export async function authenticate(app: AuthApp, headers: Headers, host: Host, url: URL): Promise<Actor> {
  const header = headers.get('authorization');
  if (header === null) return { kind: 'anonymous', rejected: null };
  const token = /^Bearer +([\w.~+/=-]+)$/i.exec(header)?.[1];
  if (token === undefined)
    return rejectedActor(
      'The Authorization header must be "Bearer", a space, and an API key or an access token.',
    );
  const bearer = await verifyToken(app, token, host, url);
  if (bearer === null) return apiKeyOf(app, token, host);
  return typeof bearer === 'string' ? rejectedActor(bearer) : bearer;
}

/** Loaded with the first token, because they load jose: API keys do not need it, and the process starts faster. */
const loadOwnTokens = memoize(() => import('./access-tokens.ts'));
const loadOutsideTokens = memoize(() => import('./outside-issuer.ts'));

/** The bearer of an access token; a string: why it is refused; null: the text is no access token. */
async function verifyToken(
  app: AuthApp,
  token: string,
  host: Host,
  url: URL,
): Promise<OauthActor | string | null> {
  const { outside } = app.config.oauth;
  if (!isJwt(token) && (outside !== null || opaqueTokenKey(token) === null)) return null;
  if (outside === null) return (await loadOwnTokens()).verifyAccessToken(app, token, host, url);
  return (await loadOutsideTokens()).verifyOutsideToken(app, outside, token, host);
}

async function apiKeyOf(app: AuthApp, token: string, host: Host): Promise<Actor> {
  const hash = hashOf(token);
  const key = hash === null ? null : await app.lookups.login(hash);
  if (key === null) return rejectedActor('API key invalid.');
  const now = app.clock();
  if (key.revokedAt !== null && key.revokedAt <= now) return rejectedActor('API key revoked.');
  if (key.expiresAt !== null && key.expiresAt <= now) return rejectedActor('API key expired.');
  if (key.lastUsedAt === null || now.getTime() - key.lastUsedAt.getTime() >= TOUCH_INTERVAL_MS) {
    key.lastUsedAt = now;
    touchApiKey(app.store, key.id, now, TOUCH_INTERVAL_MS).catch((error: unknown) => {
      app.log.warn({ err: error }, 'last use of an API key not written');
    });
  }
  return {
    kind: 'api_key',
    apiKeyId: key.id,
    publicId: key.publicId,
    name: key.name,
    scopes: key.scopes,
    expiresAt: key.expiresAt,
    tenancy: tenancyOnHost(key.teamId, host),
  };
}

function rejectedActor(why: string): Actor {
  return { kind: 'anonymous', rejected: why };
}
