// What people granted to OAuth clients on a team's behalf, as the team's own callers see it. A caller whose host or grant is
// for some of the team's workspaces only neither sees nor revokes any.
import { requireScope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { oauthGrant } from '../resources/oauth-grants.ts';
import { type NamedGrant, revokeGrant } from '../store/accounts/oauth-grants.ts';
import { beginChange } from '../store/changing/transactions.ts';
import { findById } from '../store/reading/rows.ts';
import { tableOf } from '../store/tables/tables.ts';
import { parseRef, type Ref } from './refs.ts';

const OAUTH_GRANTS = tableOf(oauthGrant);

/** What a grant is good for at the moment. `suspended`: its person or its client is disabled, or left the team. */
export type GrantStatus = 'active' | 'suspended' | 'expired' | 'revoked';

/** What decides a grant's status. */
type GrantLife = Pick<NamedGrant, 'revokedAt' | 'expiresAt' | 'isBacked'>;

export function statusOf({ revokedAt, expiresAt, isBacked }: GrantLife, now: Date): GrantStatus {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt <= now) return 'expired';
  return isBacked ? 'active' : 'suspended';
}

/** What a caller needs to revoke a grant. */
export const writeScope = 'account:write';

/**
 * Revokes a grant of the caller's team at once, with every token that was issued for it, the caller's own included.
 * Sent again it changes nothing and answers the same: it needs no idempotency key, and belongs to no workspace's audit trail.
 * @throws AppError `not_found` when it does not exist or is not the caller's
 */
export async function revoke(ctx: Context, ref: Ref): Promise<{ id: bigint }> {
  const { tenancy } = requireScope(ctx, writeScope);
  const grant = await findById(
    ctx,
    OAUTH_GRANTS,
    tenancy,
    parseRef(OAUTH_GRANTS.title, OAUTH_GRANTS.name, ref),
  );
  if (grant === null) throw notFound(OAUTH_GRANTS.title);
  beginChange(ctx);
  await revokeGrant(ctx.store, { id: grant.id, teamId: tenancy.teamId }, ctx.clock(), tenancy);
  await (grant.revokedAt === null ? ctx.lookups.forget() : ctx.lookups.settle());
  return grant;
}
