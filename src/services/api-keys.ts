// A team's API keys as its own callers see them: never the key, never its hash. A caller whose host or grant is for some of
// the team's workspaces only neither sees nor revokes any.
import { requireScope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { apiKey } from '../resources/api-keys.ts';
import { lockApiKey, type StoredApiKey, setRevokedAt } from '../store/accounts/api-keys.ts';
import { withTenantTransaction } from '../store/changing/transactions.ts';
import { findById } from '../store/reading/rows.ts';
import type { Transaction } from '../store/store.ts';
import { tableOf } from '../store/tables/tables.ts';
import { parseRef, type Ref } from './refs.ts';

const API_KEYS = tableOf(apiKey);

export type { StoredApiKey };

/** What a key is good for at the moment. */
export type ApiKeyStatus = 'active' | 'ending' | 'expired' | 'revoked';

/** `ending`: replaced, and good until its overlap is over. */
export function statusOf(key: StoredApiKey, now: Date): ApiKeyStatus {
  if (key.revokedAt !== null && key.revokedAt <= now) return 'revoked';
  if (key.expiresAt !== null && key.expiresAt <= now) return 'expired';
  return key.revokedAt === null ? 'active' : 'ending';
}

/** What a caller needs to revoke a key. */
export const writeScope = 'account:write';

/**
 * Revokes a key of the caller's team at once, be it the caller's own. One that has ended already stays as it is.
 * Sent again it changes nothing and answers the same: it needs no idempotency key, and belongs to no workspace's audit trail.
 * @throws AppError `not_found` when it does not exist or is not the caller's
 */
export async function revoke(ctx: Context, ref: Ref): Promise<{ id: bigint }> {
  const { tenancy } = requireScope(ctx, writeScope);
  const key = await findById(ctx, API_KEYS, tenancy, parseRef(API_KEYS.title, API_KEYS.name, ref));
  if (key === null) throw notFound(API_KEYS.title);
  const now = ctx.clock();
  const { revokedAt } = await withTenantTransaction(ctx, tenancy, (tx) => endKey(tx, key.id, now));
  const isChanged = revokedAt?.getTime() === now.getTime();
  await (isChanged ? ctx.lookups.forget() : ctx.lookups.settle());
  return key;
}

/** Ends a key within a transaction. One that has ended already stays as it is. @throws AppError `not_found` */
export async function endKey(tx: Transaction, ref: Ref, now: Date): Promise<StoredApiKey> {
  const key = await lockKey(tx, ref);
  return statusOf(key, now) === 'revoked' ? key : setRevokedAt(tx, key.id, now);
}

/** A key that no other transaction changes until this one ends. @throws AppError `not_found` */
export async function lockKey(tx: Transaction, ref: Ref): Promise<StoredApiKey> {
  const key = await lockApiKey(tx, parseRef(API_KEYS.title, API_KEYS.name, ref));
  if (key === null) throw notFound(API_KEYS.title);
  return key;
}
