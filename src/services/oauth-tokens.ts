// The records of issued access tokens, which make revocation (RFC 7009) and introspection (RFC 7662) possible. The tokens themselves are
// signed JWTs and are not stored.
import type { App } from '../context.ts';
import * as accessTokens from '../store/accounts/oauth-access-tokens.ts';
import { revokeGrant } from '../store/accounts/oauth-grants.ts';
import { type Issuance, issueTokens } from '../store/accounts/oauth-issuances.ts';

export type { Issuance };
export type IssuedAccessToken = accessTokens.IssuedAccessToken;

/**
 * Consumes a code or a refresh token and records the tokens issued for it, by one statement. If it was used before, one of its two users
 * may be a thief: the grant ends, with all tokens issued for it (RFC 9700 §2.1.1, §4.14.2).
 * @returns whether the tokens may be handed out
 */
export async function issue(app: App, issuance: Issuance): Promise<boolean> {
  if (await issueTokens(app.store, issuance, app.clock())) return true;
  const { grantKey } = issuance.accessToken;
  if (grantKey !== null) await revokeGrant(app.store, { key: grantKey }, app.clock());
  await app.lookups.forget();
  return false;
}

/** Records an access token before it is handed out to a client that acts for itself (client credentials). */
export async function record(app: App, token: IssuedAccessToken): Promise<void> {
  await accessTokens.insertAccessToken(app.store, token);
}

/** The record of a live access token, or null. @param kind the authorization server's name for how it was issued */
export async function find(app: App, kind: string, jti: string) {
  return accessTokens.findAccessToken(app.store, kind, jti, app.clock());
}

/** Ends an access token, or every access token of a grant, at once. */
export async function revoke(
  app: App,
  which: { readonly jti: string } | { readonly grantKey: string },
): Promise<void> {
  const isChanged = await accessTokens.revokeAccessTokens(app.store, which, app.clock());
  await (isChanged ? app.lookups.forget() : app.lookups.settle());
}
