// A team's API keys as its own callers see them: never the key or its hash. A caller whose host or grant is limited to some of the team's
// workspaces can neither see nor revoke any key.
import { requireScope, SCOPES } from '../../auth/scopes.ts';
import { createToken } from '../../auth/tokens.ts';
import type { Context } from '../../context.ts';
import { notFound, parseAll, preconditionFailed } from '../../errors.ts';
import { API_KEY_NAME, type ApiKeyRow, apiKey, NEW_API_KEY } from '../../resources/api-keys.ts';
import {
  insertApiKey,
  lockApiKey,
  type StoredApiKey,
  setName,
  setRevokedAt,
} from '../../store/accounts/api-keys.ts';
import { executeUnrecorded } from '../../store/changing/changes.ts';
import type { Executor } from '../../store/connections/executor.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { type Input, parseFields } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { requireRow } from '../reading/reads.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';
import { parseKnown, parseName } from './names.ts';
import { endOf, requireCovered, requireTeam, requireWithin } from './new-credentials.ts';
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

/** The scope for creating, renaming and revoking keys. */
export const writeScope = 'account:write';

/**
 * Revokes a key of the caller's team at once; this may be the key that the caller uses. A key that has already ended stays unchanged.
 * The operation is idempotent, so it needs no idempotency key. It belongs to no workspace, so no audit trail records it.
 * @throws AppError `not_found` when the key does not exist or the caller may not see it
 */
export async function revoke(
  ctx: Context,
  ref: Ref,
  { precondition }: Pick<WriteOptions, 'precondition'> = { precondition: null },
): Promise<{ id: bigint }> {
  const { tenancy } = requireScope(ctx, writeScope);
  const key = await requireRow(ctx, API_KEYS, tenancy, ref);
  if (precondition !== null && !precondition(key)) throw preconditionFailed();
  const now = ctx.clock();
  const { revokedAt } = await executeUnrecorded(ctx, tenancy, (tx) => endKey(tx, key.id, now));
  const isChanged = revokedAt?.getTime() === now.getTime();
  await (isChanged ? ctx.lookups.forget() : ctx.lookups.settle());
  return key;
}

/** A key that was just created. */
export interface IssuedKey {
  readonly apiKey: StoredApiKey;
  /** The key itself. It is shown once and cannot be read again. */
  readonly token: string;
}

/** Creates a key within a transaction. */
export async function issueKey(
  tx: Parameters<typeof insertApiKey>[0],
  key: Pick<StoredApiKey, 'teamId' | 'name' | 'scopes' | 'expiresAt' | 'isDefault' | 'createdAt'>,
): Promise<IssuedKey> {
  const { token, hash, hint } = createToken();
  return { apiKey: await insertApiKey(tx, { ...key, tokenHash: hash, hint }), token };
}

/**
 * Creates a key of the caller's team. It allows no more, and for no longer, than the credential of the request.
 * The key belongs to no workspace, so no audit trail records it; the token is stored nowhere, so a retry cannot be answered again.
 * @throws AppError `invalid` for name, scopes and expiry, and for an idempotency key; `not_found` for another team, and for a caller that is
 *   limited to some workspaces, since keys are for the whole team
 */
export async function create(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<{ row: ApiKeyRow & { id: bigint; token: string }; outcome: 'created' }> {
  const caller = requireScope(ctx, writeScope);
  const teamId = await requireTeam(ctx, caller, ref, options, 'key');
  const now = ctx.clock();
  const latest = await endOf(ctx, caller);
  const nameOf = (property: keyof typeof NEW_API_KEY) => input.nameOf(property, NEW_API_KEY[property]);
  const given = parseFields(NEW_API_KEY, input, 'creation', false, (some) =>
    parseAll({
      name: () => some.name !== undefined && parseName(some.name),
      scopes: () =>
        some.scopes !== undefined &&
        requireCovered(caller, some.scopes, { field: nameOf('scopes'), who: 'A key' }),
      expiresAt: () => requireWithin(some.expiresAt, { now, latest }, nameOf('expiresAt')),
    }),
  );
  const { name = '', scopes: asked = [], expiresAt: end = null } = given;
  const scopes = parseKnown(asked, SCOPES, 'scope', 'A key');
  const expiresAt = end ?? latest;
  const key = { teamId, name: parseName(name), scopes, expiresAt, isDefault: false, createdAt: now };
  const issued = await executeUnrecorded(ctx, caller.tenancy, (tx) => issueKey(tx, key));
  await ctx.lookups.settle();
  return { row: { ...issued.apiKey, token: issued.token }, outcome: 'created' };
}

/**
 * Renames a key of the caller's team. It belongs to no workspace, so no audit trail records it.
 * @throws AppError `invalid`; `not_found` when the key does not exist or the caller may not see it
 */
export async function rename(
  ctx: Context,
  ref: Ref,
  input: Input,
  { precondition }: Pick<WriteOptions, 'precondition'>,
): Promise<{ row: StoredApiKey; outcome: 'updated' }> {
  const { tenancy } = requireScope(ctx, writeScope);
  const { name } = parseFields(API_KEY_NAME, input, 'change');
  const renamed = name === undefined ? null : parseName(name);
  const { id } = await requireRow(ctx, API_KEYS, tenancy, ref);
  const row = await executeUnrecorded(ctx, tenancy, async (tx) => {
    const key = await lockKey(tx, id);
    if (precondition !== null && !precondition(key)) throw preconditionFailed();
    return renamed === null ? key : setName(tx, key, renamed);
  });
  await ctx.lookups.forget();
  return { row, outcome: 'updated' };
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
