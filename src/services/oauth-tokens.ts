// Access tokens that the authorization server issues: what is recorded of them, so that they can be revoked (RFC 7009) and
// asked about (RFC 7662). The tokens themselves are signed JWTs, which are not stored.
import type { App } from '../context.ts';
import * as accessTokens from '../store/accounts/oauth-access-tokens.ts';
import { revokeGrant } from '../store/accounts/oauth-grants.ts';
import { type Issuance, issueTokens } from '../store/accounts/oauth-issuances.ts';

export type { Issuance };
export type IssuedAccessToken = accessTokens.IssuedAccessToken;

/**
 * Uses up a code or a refresh token and records what is issued for it, by one statement. When it was used before, one of the
 * two who sent it is a thief: the grant ends, with all that was issued for it (RFC 9700 §2.1.1, §4.14.2).
 * @returns whether the tokens may be handed out
 */
export async function issue(app: App, issuance: Issuance): Promise<boolean> {
  if (await issueTokens(app.store, issuance, app.clock())) return true;
  const { grantKey } = issuance.accessToken;
  if (grantKey !== null) await revokeGrant(app.store, { key: grantKey }, app.clock());
  await app.lookups.forget();
  return false;
}

/** Records an access token that is issued to a client for itself, before it is handed out. */
export async function record(app: App, token: IssuedAccessToken): Promise<void> {
  await accessTokens.insertAccessToken(app.store, token);
}

/** What was recorded of a live access token, or null. @param kind the authorization server's name for how it was got */
export async function find(app: App, kind: string, jti: string) {
  return accessTokens.findAccessToken(app.store, kind, jti, app.clock());
}

/** Ends an access token at once. */
export async function revoke(app: App, jti: string): Promise<void> {
  const isChanged = await accessTokens.revokeAccessToken(app.store, jti, app.clock());
  await (isChanged ? app.lookups.forget() : app.lookups.settle());
}

/** Ends every access token of a grant at once. */
export async function revokeOfGrant(app: App, grantKey: string): Promise<void> {
  const isChanged = await accessTokens.revokeAccessTokensOfGrant(app.store, grantKey, app.clock());
  await (isChanged ? app.lookups.forget() : app.lookups.settle());
}
