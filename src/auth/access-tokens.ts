// The gateway's own access tokens: who the bearer is, or why a token is refused. They are JWTs (RFC 9068), except those of legacy clients,
// whose claims are in the store. A verified token is cached briefly, like an API key, together with its row in the store.
import { hash } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { findToken, type TokenRow } from '../store/accounts/token-liveness.ts';
import type { OauthActor } from './actor.ts';
import type { AuthApp } from './auth-app.ts';
import { type Host, tenancyOnHost } from './hosts.ts';
import { isForRequest } from './protected-resources.ts';
import { grantable } from './scopes.ts';
import { SIGNING_ALG, verifyingKeys } from './signing-keys.ts';
import { opaqueTokenKey } from './tokens.ts';

/** How far the clocks of the gateway's machines may differ. */
export const CLOCK_TOLERANCE_SECONDS = 5;

const INVALID = 'Access token invalid.';
const REVOKED = 'Access token revoked.';
export const EXPIRED = 'Access token expired.';

interface Claims {
  readonly aud: string | readonly string[];
  /** null: the token has no end of its own. */
  readonly exp: number | null;
  readonly sub: string;
  readonly clientId: string;
  readonly team: string;
  /** null: every workspace of the team. */
  readonly workspaces: readonly string[] | null;
  readonly scopes: readonly string[];
}

/**
 * The bearer of the token, with the tenancy of the host; or, as a string, why the token is refused.
 * @param url the URL that the client used: the token must be for the service, for that host or for the API there
 * @throws AppError `unavailable` when the store does not answer
 */
export async function verifyAccessToken(
  app: AuthApp,
  token: string,
  host: Host,
  url: URL,
): Promise<OauthActor | string> {
  const verified = await rememberToken(app, token, () => check(app, token));
  if (typeof verified === 'string') return verified;
  const { claims, row, teamId, bearer } = verified;
  if (!isForRequest(claims.aud, app.config, host, url)) return 'Access token is for another audience.';
  const now = app.clock();
  if (claims.exp !== null && (claims.exp + CLOCK_TOLERANCE_SECONDS) * 1000 <= now.getTime()) return EXPIRED;
  if (!isLive(row, now)) return REVOKED;
  return { ...bearer, tenancy: tenancyOnHost(teamId, host, bearer.grantedWorkspaceIds) };
}

/** The result of `check` for a token, cached unless it is a refusal. The cache key is a hash, so that no credential stays in memory. */
export async function rememberToken<T extends object>(
  app: AuthApp,
  token: string,
  check: () => Promise<T | string>,
): Promise<T | string> {
  let refusal = INVALID;
  const verified = await app.lookups.remember(`token ${hash('sha256', token, 'base64url')}`, async () => {
    const checked = await check();
    if (typeof checked !== 'string') return checked;
    refusal = checked;
    return null;
  });
  return verified ?? refusal;
}

/** Why a JWT is refused, as a sentence for the client. @throws any error that the token did not cause */
export function toTokenRefusal(error: unknown): string {
  if (error instanceof errors.JWTExpired) return EXPIRED;
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'iss') return 'Access token is of another issuer.';
    if (error.claim === 'aud') return 'Access token is for another audience.';
    if (error.claim === 'nbf' || error.claim === 'iat') return 'Access token is not valid yet.';
  }
  if (error instanceof errors.JOSEError) return INVALID;
  throw error;
}

/** @throws JWTClaimValidationFailed for a token that is issued in the future: jose checks `iat` only with `maxTokenAge` */
export function requireIssued({ iat = 0, ...rest }: JWTPayload, now: Date): void {
  if (iat <= now.getTime() / 1000 + CLOCK_TOLERANCE_SECONDS) return;
  throw new errors.JWTClaimValidationFailed('issued in the future', { iat, ...rest }, 'iat', 'check_failed');
}

/** A token with valid claims, and its row in the store. It may have ended. A string: why it is refused. */
function check(app: AuthApp, token: string) {
  const key = opaqueTokenKey(token);
  return key === null ? checkJwt(app, token) : checkOpaque(app, key);
}

/** A token that the store knows by its hash: the claims are in its row. */
async function checkOpaque(app: AuthApp, key: string) {
  const row = await findToken(app.store, key);
  if (row === null || row.audience === null) return INVALID;
  if (row.teamId === null) return REVOKED;
  const claims: Claims = {
    aud: row.audience,
    exp: row.expiresAt && row.expiresAt.getTime() / 1000,
    sub: row.userPublicId ?? row.clientId,
    clientId: row.clientId,
    team: String(row.teamId),
    workspaces: null,
    scopes: scopesIn(row.scope),
  };
  return toVerified(app, claims, row, row.teamId) ?? INVALID;
}

/** A token with a valid signature and valid claims. */
async function checkJwt(app: AuthApp, token: string) {
  const { keyOf } = await verifyingKeys(app);
  const now = app.clock();
  let payload: JWTPayload;
  try {
    ({ payload } = await jwtVerify(token, keyOf, {
      algorithms: [SIGNING_ALG],
      typ: 'at+jwt',
      issuer: app.config.authUrl,
      requiredClaims: ['aud', 'exp', 'iat', 'jti', 'sub', 'client_id', 'team'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: now,
    }));
    requireIssued(payload, now);
  } catch (error) {
    return toTokenRefusal(error);
  }
  const claims = toClaims(payload);
  const row = claims && (await findToken(app.store, String(payload.jti)));
  if (claims === null || row === null) return INVALID;
  return row.teamId === null ? REVOKED : (toVerified(app, claims, row, row.teamId) ?? INVALID);
}

/** The claims that all our tokens have; null when one is missing or has another type. */
function toClaims({ aud, exp, sub, ...payload }: JWTPayload): Claims | null {
  const { client_id: clientId, team, workspaces, scope } = payload;
  if (aud === undefined || exp === undefined || sub === undefined) return null;
  if (typeof clientId !== 'string' || typeof team !== 'string') return null;
  if (workspaces !== undefined && !isListOfText(workspaces)) return null;
  return { aud, exp, sub, clientId, team, workspaces: workspaces ?? null, scopes: scopesIn(scope) };
}

function scopesIn(scope: unknown): string[] {
  return typeof scope === 'string' ? scope.split(' ').filter((name) => name !== '') : [];
}

function isListOfText(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Whether token, client, grant, person and membership are all still valid. */
function isLive(row: TokenRow, now: Date): boolean {
  if (row.clientDisabledAt !== null || row.revokedAt !== null) return false;
  if (row.clientExpiresAt !== null && row.clientExpiresAt <= now) return false;
  if (row.grantId === null) return true;
  if (row.grantRevokedAt !== null || (row.grantExpiresAt !== null && row.grantExpiresAt <= now)) return false;
  return row.userDisabledAt === null && row.role !== null;
}

/** Null when the token's claims contradict the store. */
function toVerified(app: AuthApp, claims: Claims, row: TokenRow, teamId: bigint) {
  const user = userOf(row);
  const subject = user?.publicId ?? row.clientId;
  const { clientId, clientName, grantId } = row;
  if (claims.team !== String(teamId) || claims.clientId !== clientId || claims.sub !== subject) return null;
  /** `tenancy` depends on the host of each request. */
  const bearer = {
    kind: 'oauth',
    issuer: app.config.authUrl,
    ...{ subject, clientId, clientName, user, grantId },
    scopes: new Set(claims.scopes.filter((scope) => isHeld(row, scope))),
    expiresAt: claims.exp === null ? null : new Date(claims.exp * 1000),
    grantedWorkspaceIds: intersect(row.wholeTeam ? null : row.workspaceIds, claims.workspaces),
  } as const satisfies Omit<OauthActor, 'tenancy'>;
  return { claims, row, teamId, bearer };
}

function userOf({ userId, userPublicId, userName, userEmail }: TokenRow): OauthActor['user'] {
  if (userId === null || userPublicId === null || userName === null || userEmail === null) return null;
  return { id: userId, publicId: userPublicId, name: userName, email: userEmail };
}

/** The workspaces of both the grant and the token; null: every workspace. */
function intersect(
  granted: readonly bigint[] | null,
  claimed: readonly string[] | null,
): readonly bigint[] | null {
  if (claimed === null) return granted;
  const ids = claimed.filter((id) => /^\d{1,18}$/.test(id)).map(BigInt);
  return granted === null ? ids : ids.filter((id) => granted.includes(id));
}

/** Whether the grant covers a token's scope, and the person's role still allows granting it: roles change. */
function isHeld({ grantScopes, role }: TokenRow, scope: string): boolean {
  if (grantScopes === null || role === null) return true;
  const wildcard = scope.slice(scope.indexOf(':') + 1);
  return grantable(role).has(scope) && (grantScopes.includes(scope) || grantScopes.includes(wildcard));
}
