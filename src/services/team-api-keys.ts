// A team's API keys as its own callers see them: never the key, never its hash. A caller who is narrowed to some of the
// team's workspaces, by host or by grant, sees none of them and ends none.
import { requireScope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { API_KEYS, type TeamApiKeyRow } from '../store/credential-tables.ts';
import { findById } from '../store/rows.ts';
import * as apiKeys from './api-keys.ts';
import { readsOf } from './reads.ts';
import { parseRef, type Ref } from './refs.ts';

export type { TeamApiKeyRow };

const NOUN = 'API key';

export const { scope, getMany, listMany, countMany, existMany } = readsOf(API_KEYS, 'account:read', {
  one: NOUN,
  parent: 'Team',
});

/** What a caller needs to end a key. */
export const writeScope = 'account:write';

/**
 * Ends a key of the caller's team at once, be it the caller's own. One that has ended already stays as it is.
 * @throws AppError `not_found` when it does not exist or is not the caller's
 */
export async function revoke(ctx: Context, ref: Ref): Promise<{ id: bigint }> {
  const { reach } = requireScope(ctx, writeScope);
  const key = await findById(ctx.store, API_KEYS, reach, parseRef(NOUN, 'api_keys', ref));
  if (key === null) throw notFound(NOUN);
  return apiKeys.revoke(ctx, key.id);
}
