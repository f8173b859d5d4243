// What people granted to OAuth clients on a team's behalf, as the team's own callers see it. A caller who is narrowed to
// some of the team's workspaces, by host or by grant, sees none of it and ends none.
import { requireScope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { OAUTH_GRANTS, type TeamOauthGrantRow } from '../store/credential-tables.ts';
import { revokeGrant } from '../store/oauth-grants.ts';
import { findById } from '../store/rows.ts';
import { readsOf } from './reads.ts';
import { parseRef, type Ref } from './refs.ts';

export type { TeamOauthGrantRow };

const NOUN = 'Grant';

export const { scope, getMany, listMany, countMany, existMany } = readsOf(OAUTH_GRANTS, 'account:read', {
  one: NOUN,
  parent: 'Team',
});

/** What a caller needs to end a grant. */
export const writeScope = 'account:write';

/**
 * Ends a grant of the caller's team at once, with every token that was got with it, be it the caller's own.
 * @throws AppError `not_found` when it does not exist or is not the caller's
 */
export async function revoke(ctx: Context, ref: Ref): Promise<{ id: bigint }> {
  const { reach } = requireScope(ctx, writeScope);
  const grant = await findById(ctx.store, OAUTH_GRANTS, reach, parseRef(NOUN, 'oauth_grants', ref));
  if (grant === null) throw notFound(NOUN);
  await revokeGrant(ctx.store, { id: grant.id, teamId: reach.teamId }, ctx.clock());
  ctx.lookups.forget();
  return grant;
}
