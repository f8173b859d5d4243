// A team's API keys as its own callers see them: never the key or its hash. A caller whose host or grant is limited to some of the team's
// workspaces can neither see nor revoke any key.
import { requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { apiKey } from '../../resources/api-keys.ts';
import { lockApiKey, type StoredApiKey, setRevokedAt } from '../../store/accounts/api-keys.ts';
import { executeUnrecorded } from '../../store/changing/changes.ts';

import type { Executor } from '../../store/connections/executor.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { requireRow } from '../reading/reads.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';
import { getManyWithOwn } from './own-credential.ts';

const API_KEYS = tableOf(apiKey);

export type { StoredApiKey };

/** The current state of a key. */
export type ApiKeyStatus = 'active' | 'ending' | 'expired' | 'revoked';

/** `ending`: the key was replaced and stays valid until its overlap ends. */
export function statusOf(key: StoredApiKey, now: Date): ApiKeyStatus {
  if (key.revokedAt !== null && key.revokedAt <= now) return 'revoked';
  if (key.expiresAt !== null && key.expiresAt <= now) return 'expired';
  return key.revokedAt === null ? 'active' : 'ending';
}

/** The scope for revoking a key. */
export const writeScope = 'account:write';

/**
 * Revokes a key of the caller's team at once; this may be the key that the caller uses. A key that has already ended stays unchanged.
 * The operation is idempotent, so it needs no idempotency key. It belongs to no workspace, so no audit trail records it.
 * @throws AppError `not_found` when the key does not exist or the caller may not see it
 */
export async function revoke(ctx: Context, ref: Ref): Promise<{ id: bigint }> {
  const { tenancy } = requireScope(ctx, writeScope);
  const key = await requireRow(ctx, API_KEYS, tenancy, ref);
  const now = ctx.clock();
  const { revokedAt } = await executeUnrecorded(ctx, tenancy, (tx) => endKey(tx, key.id, now));
  const isChanged = revokedAt?.getTime() === now.getTime();
  await (isChanged ? ctx.lookups.forget() : ctx.lookups.settle());
  return key;
}

/** Ends a key within a transaction. A key that has already ended stays unchanged. @throws AppError `not_found` */
export async function endKey(tx: Executor, ref: Ref, now: Date): Promise<StoredApiKey> {
  const key = await lockKey(tx, ref);
  return statusOf(key, now) === 'revoked' ? key : setRevokedAt(tx, key, now);
}

/** Locks a key: no other transaction can change it until this one ends. @throws AppError `not_found` */
export async function lockKey(tx: Executor, ref: Ref): Promise<StoredApiKey> {
  const key = await lockApiKey(tx, parseRef(API_KEYS.title, API_KEYS.name, ref));
  if (key === null) throw notFound(API_KEYS.title);
  return key;
}

/** Everything that rest/ and graphql/ call of this noun. Every key may read itself. */
export const service = defineService(apiKey, {
  getMany: getManyWithOwn(apiKey, (caller) => (caller.kind === 'api_key' ? caller.apiKeyId : null)),
});
