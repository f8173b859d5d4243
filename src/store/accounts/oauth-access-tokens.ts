// Access tokens that were issued: what revocation (RFC 7009) and introspection (RFC 7662) need to know of them. The tokens
// themselves are signed JWTs, which are not stored.
import type { Prisma } from '#prisma';
import type { Statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';

/** How the authorization server calls them: got with a person's grant, or by a client for itself. */
type AccessTokenKind = 'AccessToken' | 'ClientCredentials';

/** A token that was just signed. */
export interface IssuedAccessToken {
  readonly jti: string;
  readonly kind: AccessTokenKind;
  /** What the authorization server reads again when it is asked about the token. */
  readonly payload: Prisma.InputJsonObject;
  readonly clientId: string;
  readonly grantKey: string | null;
  readonly expiresAt: Date;
}

const INSERT: Statement = {
  name: 'oauth_access_tokens.insert',
  text: `insert into oauth_access_tokens (jti, kind, payload, client_id, grant_key, expires_at)
    values ($1, $2, $3, $4, $5, $6)`,
};

const LIVE: Statement = {
  name: 'oauth_access_tokens.live',
  text: `select t.payload from oauth_access_tokens t left join oauth_grants g on g.key = t.grant_key
    where t.jti = $1 and t.kind = $2 and t.expires_at > $3 and t.revoked_at is null
      and (t.grant_key is null or g.revoked_at is null)`,
};

const REVOKE: Statement = {
  name: 'oauth_access_tokens.revoke',
  text: 'update oauth_access_tokens set revoked_at = $2 where jti = $1 and revoked_at is null returning 1',
};

const REVOKE_OF_GRANT: Statement = {
  name: 'oauth_access_tokens.revoke_of_grant',
  text: 'update oauth_access_tokens set revoked_at = $2 where grant_key = $1 and revoked_at is null returning 1',
};

/** Notes a token that is about to be handed out. */
export async function insertAccessToken(store: Store, token: IssuedAccessToken): Promise<void> {
  const { jti, kind, payload, clientId, grantKey, expiresAt } = token;
  await query(store, INSERT, [jti, kind, JSON.stringify(payload), clientId, grantKey, expiresAt]);
}

/** What was noted of a token that is neither expired at `at` nor revoked, itself or by its grant; or null. */
export async function findAccessToken(
  store: Store,
  kind: string,
  jti: string,
  at: Date,
): Promise<Prisma.JsonObject | null> {
  const [row] = await query<{ payload: Prisma.JsonObject }>(store, LIVE, [jti, kind, at]);
  return row?.payload ?? null;
}

/** Ends one token. @returns whether it was live until now */
export async function revokeAccessToken(store: Store, jti: string, at: Date): Promise<boolean> {
  return (await query(store, REVOKE, [jti, at])).length > 0;
}

/** Ends every token that was got with a grant. @returns whether one was live until now */
export async function revokeAccessTokensOfGrant(store: Store, grantKey: string, at: Date): Promise<boolean> {
  return (await query(store, REVOKE_OF_GRANT, [grantKey, at])).length > 0;
}
