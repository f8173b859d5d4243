// API keys as rows. The secret never reaches this layer: only its hash does.
import type { ApiKey } from './generated/client.ts';
import { query, type Statement, type Store } from './store.ts';

export type { ApiKey };

export type ApiKeyLogin = Pick<
  ApiKey,
  'id' | 'publicId' | 'teamId' | 'name' | 'scopes' | 'expiresAt' | 'revokedAt' | 'lastUsedAt'
>;

const BY_HASH: Statement = {
  name: 'api_keys.by_hash',
  text: `select id, public_id as "publicId", team_id as "teamId", name, scopes, expires_at as "expiresAt",
    revoked_at as "revokedAt", last_used_at as "lastUsedAt" from api_keys where token_hash = $1`,
};

const TOUCH: Statement = {
  name: 'api_keys.touch',
  text: `update api_keys set last_used_at = $2
    where id = $1 and (last_used_at is null or last_used_at <= $2::timestamptz - $3 * interval '1 millisecond')`,
};

/** The key with this hash, revoked and expired ones included, or null. */
export async function findApiKey(store: Store, tokenHash: Uint8Array): Promise<ApiKeyLogin | null> {
  return (await query<ApiKeyLogin>(store, BY_HASH, [tokenHash]))[0] ?? null;
}

/** Notes a use, unless another one was noted within `intervalMs`: many processes write once between them. */
export async function touchApiKey(store: Store, id: bigint, at: Date, intervalMs: number): Promise<void> {
  await query(store, TOUCH, [id, at, intervalMs]);
}
