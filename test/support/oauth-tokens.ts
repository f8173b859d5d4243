// Makes access tokens for tests like the authorization server: signed with the service's own keys, and with the row of an issued token.
import { randomUUID } from 'node:crypto';
import { importJWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import type { OauthClient } from '#prisma';
import { signingKeys } from '../../src/auth/signing-keys.ts';
import type { App } from '../../src/context.ts';
import type { OauthGrant } from '../../src/store/accounts/oauth-grants.ts';
import type { Caller } from './gateway.ts';
import { prismaOf } from './prisma.ts';

const LIFE_SECONDS = 300;

export interface TokenClaims extends JWTPayload {
  readonly jti: string;
  readonly client_id: string;
}

/** The claims of a token that was issued for a grant. */
export async function claimsOf(app: App, grant: OauthGrant): Promise<TokenClaims> {
  const user = await prismaOf(app.store).user.findUniqueOrThrow({ where: { id: grant.userId } });
  const { clientId, key, scopes } = grant;
  return { ...claims(app, grant, clientId, user.publicId), grant: key, scope: scopes.join(' ') };
}

/** The claims of a token of a client that acts for itself. */
export function ownClaimsOf(app: App, client: OauthClient, scope: string): TokenClaims {
  return { ...claims(app, client, client.id, client.id), scope };
}

function claims(
  app: App,
  tenancy: Pick<OauthGrant, 'teamId' | 'wholeTeam' | 'workspaceIds'>,
  clientId: string,
  sub: string,
): TokenClaims {
  const iat = Math.floor(app.clock().getTime() / 1000);
  const { authUrl } = app.config;
  return {
    ...{
      iss: authUrl,
      aud: authUrl,
      iat,
      exp: iat + LIFE_SECONDS,
      jti: randomUUID(),
      sub,
      client_id: clientId,
    },
    team: String(tenancy.teamId),
    ...(!tenancy.wholeTeam && { workspaces: tenancy.workspaceIds.map(String) }),
  };
}

/** Signs claims with the current signing key. */
export async function sign(
  app: App,
  payload: JWTPayload,
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> {
  const { active } = await signingKeys(app);
  const key = await importJWK(active.privateJwk, active.alg);
  const whole = { alg: active.alg, kid: active.kid, typ: 'at+jwt', ...header };
  return new SignJWT(payload).setProtectedHeader(whole).sign(key);
}

/** Records a token as issued. */
export async function issue(
  app: App,
  { jti, client_id: clientId, exp = 0 }: TokenClaims,
  grantKey: string | null,
) {
  const kind = grantKey === null ? 'ClientCredentials' : 'AccessToken';
  const row = { jti, kind, payload: {}, clientId, grantKey, expiresAt: new Date(exp * 1000) };
  await prismaOf(app.store).oauthAccessToken.create({ data: row });
}

/** The bearer of a valid token that was issued for a grant. @param changes claims that replace the valid ones */
export async function bearerOf(
  app: App,
  grant: OauthGrant,
  changes: JWTPayload = {},
): Promise<Caller & { jti: string; token: string }> {
  const payload = { ...(await claimsOf(app, grant)), ...changes };
  await issue(app, payload, grant.key);
  const token = await sign(app, payload);
  return { ...bearer(token), jti: payload.jti, token };
}

export function bearer(token: string): Caller {
  return { authorization: `Bearer ${token}` };
}
