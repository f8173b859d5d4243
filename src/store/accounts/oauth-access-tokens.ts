// Issued access tokens: the data that revocation (RFC 7009) and introspection (RFC 7662) need. The tokens themselves are not stored: they are
// signed JWTs, or random texts of which the store has the hash.
import type { Prisma } from '#prisma';
import type { Statement } from '../sql/statements.ts';
import { query } from '../store.ts';
import type { Records } from './oauth-states.ts';

/** The authorization server's kinds: issued with a user's grant, or to a client for itself (client credentials). */
type AccessTokenKind = 'AccessToken' | 'ClientCredentials';

/** A newly signed token. */
export interface IssuedAccessToken {
  /** Of a JWT its `jti`; of a random text its hash. */
  readonly jti: string;
  readonly kind: AccessTokenKind;
  /** The data that the authorization server reads for introspection and revocation. */
  readonly payload: Prisma.InputJsonObject;
  readonly clientId: string;
  readonly grantKey: string | null;
  /** null: it lives as long as its grant, which has no end. */
  readonly expiresAt: Date | null;
}

const INSERT: Statement = {
  name: 'oauth_access_tokens.insert',
  text: `insert into oauth_access_tokens (jti, kind, payload, client_id, grant_key, expires_at)
    values ($1, $2, $3, $4, $5, $6)`,
};

const LIVE: Statement = {
  name: 'oauth_access_tokens.live',
  text: `select t.payload from oauth_access_tokens t left join oauth_grants g on g.key = t.grant_key
    where t.jti = $1 and t.kind = $2 and (t.expires_at is null or t.expires_at > $3) and t.revoked_at is null
      and (t.grant_key is null or g.revoked_at is null)`,
};

const REVOKE: Statement = {
  name: 'oauth_access_tokens.revoke',
  text: 'update oauth_access_tokens set revoked_at = $2 where jti = $1 and revoked_at is null returning 1',
};

/** Records an access token before a client that acts for itself (client credentials) gets it. */
export async function insertAccessToken(
  { store }: Pick<Records, 'store'>,
  token: IssuedAccessToken,
): Promise<void> {
  const { jti, kind, payload, clientId, grantKey, expiresAt } = token;
  await query(store, INSERT, [jti, kind, JSON.stringify(payload), clientId, grantKey, expiresAt]);
}

/** The payload of a token that is neither expired nor revoked, directly or with its grant; or null. */
export async function findAccessToken(
  { store, clock }: Records,
  kind: string,
  jti: string,
): Promise<Prisma.JsonObject | null> {
  const [row] = await query<{ payload: Prisma.JsonObject }>(store, LIVE, [jti, kind, clock()]);
  return row?.payload ?? null;
}

/** Revokes a token. @returns whether it was live until now */
export async function revokeAccessToken({ store, clock }: Records, jti: string): Promise<boolean> {
  return (await query(store, REVOKE, [jti, clock()])).length > 0;
}
