// Access tokens of the outside issuer in OAUTH_ISSUER. The configuration says which claims have the team, the workspaces and the scopes.
// The store has no record of such a token; it is valid until it expires.
import { type JWTPayload, jwtVerify } from 'jose';
import type { OutsideIssuer } from '../config/oauth.ts';
import { findNamedTeam } from '../store/accounts/token-liveness.ts';
import {
  CLOCK_TOLERANCE_SECONDS,
  EXPIRED,
  rememberToken,
  requireIssued,
  toTokenRefusal,
} from './access-tokens.ts';
import type { OauthActor } from './actor.ts';
import type { AuthApp } from './auth-app.ts';
import { type Host, tenancyOnHost } from './hosts.ts';
import { isFor } from './protected-resources.ts';
import { SCOPES } from './scopes.ts';

/** Only algorithms with public keys: with a shared secret, every verifier could also create tokens. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
/** RFC 9068 §2.1, and the types that older issuers use. */
const TYPES = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];
const MAX_WORKSPACES = 1_000;

/**
 * The bearer of the token, with the tenancy of the host; or, as a string, why the token is refused.
 * @throws AppError `unavailable` when the issuer or the store does not answer
 */
export async function verifyOutsideToken(
  app: AuthApp,
  outside: OutsideIssuer,
  token: string,
  host: Host,
): Promise<OauthActor | string> {
  const mapped = await rememberToken(app, token, () => check(app, outside, token));
  if (typeof mapped === 'string') return mapped;
  const { payload, team, granted, scopes } = mapped;
  const { exp = 0, sub, client_id: client, azp } = payload;
  if ((exp + CLOCK_TOLERANCE_SECONDS) * 1000 <= app.clock().getTime()) return EXPIRED;
  const clientId = textOf(client) ?? textOf(azp) ?? sub ?? outside.issuer;
  return {
    kind: 'oauth',
    issuer: outside.issuer,
    subject: sub ?? clientId,
    clientId,
    clientName: null,
    user: null,
    grantId: null,
    scopes,
    expiresAt: new Date(exp * 1000),
    grantedWorkspaceIds: granted,
    tenancy: tenancyOnHost(team.teamId, host, granted),
  };
}

/** A verified token, its claims mapped to ours; or, as a string, why it is refused. */
async function check(app: AuthApp, outside: OutsideIssuer, token: string) {
  const payload = await verify(app, outside, token);
  if (typeof payload === 'string') return payload;
  const { teamClaim, workspacesClaim, scopesClaim } = outside;
  const team = textOf(payload[teamClaim]);
  if (team === null) return `Access token has no team in its claim ${teamClaim}.`;
  const workspaces = listOf(payload[workspacesClaim]);
  if (workspaces === undefined)
    return `Access token has no list of workspaces in its claim ${workspacesClaim}.`;
  const found = await findNamedTeam(app.store, team, workspaces ?? []);
  if (found === null) return 'Access token is for no team of this service.';
  const scopes = new Set(scopesOf(payload[scopesClaim]).filter((scope) => SCOPES.includes(scope)));
  /** null: every workspace of the team. */
  const granted: readonly bigint[] | null = workspaces && found.workspaceIds;
  return { payload, team: found, granted, scopes };
}

async function verify(
  app: AuthApp,
  { issuer, audience }: OutsideIssuer,
  token: string,
): Promise<JWTPayload | string> {
  const { issuerKeys } = app;
  if (issuerKeys === null) throw new Error('There are no keys for the outside issuer.');
  const now = app.clock();
  try {
    const { payload, protectedHeader } = await jwtVerify(token, issuerKeys.keyOf, {
      algorithms: ALGORITHMS,
      issuer,
      requiredClaims: ['exp'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: now,
    });
    requireIssued(payload, now);
    if (!TYPES.includes(protectedHeader.typ?.toLowerCase())) return 'This is a JWT, but no access token.';
    return isFor(payload.aud, [audience]) ? payload : 'Access token is for another audience.';
  } catch (error) {
    return toTokenRefusal(error);
  }
}

/** An id as text; issuers send text or numbers. */
function textOf(value: unknown): string | null {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The ids in a claim; null for a missing claim, undefined for a claim that is not a list of ids. */
function listOf(value: unknown): string[] | null | undefined {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value) || value.length > MAX_WORKSPACES) return undefined;
  const ids = value.map(textOf).filter((id) => id !== null);
  return ids.length === value.length ? ids : undefined;
}

function scopesOf(value: unknown): string[] {
  if (typeof value === 'string') return value.split(' ');
  return Array.isArray(value) ? value.filter((scope) => typeof scope === 'string') : [];
}
