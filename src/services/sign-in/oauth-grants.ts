// Grants of people to OAuth clients for a team, as the team's own callers see them. A caller whose host or grant is limited to some of
// the team's workspaces can neither see nor revoke any.
import { requireScope } from '../../auth/scopes.ts';
import type { App, Context } from '../../context.ts';
import { preconditionFailed } from '../../errors.ts';
import { oauthGrant } from '../../resources/oauth-grants.ts';
import { disableClient, type OauthClientRow } from '../../store/accounts/oauth-clients.ts';
import { type GrantFilter, type NamedGrant, revokeGrant } from '../../store/accounts/oauth-grants.ts';
import { beginChange } from '../../store/changing/transactions.ts';
import { oauthGrantTable } from '../../store/tables/oauth-grants.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { getManyWithOwn } from '../accounts/own-credential.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { requireRow } from '../reading/reads.ts';
import type { Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';

const OAUTH_GRANTS = tableOf(oauthGrantTable);

/** The current state of a grant. `suspended`: its person or client is disabled, or the person left the team. */
export type GrantStatus = 'active' | 'suspended' | 'expired' | 'revoked';

/** The properties that decide the status. */
type GrantLife = Pick<NamedGrant, 'revokedAt' | 'expiresAt' | 'isBacked'>;

export function statusOf({ revokedAt, expiresAt, isBacked }: GrantLife, now: Date): GrantStatus {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && expiresAt <= now) return 'expired';
  return isBacked ? 'active' : 'suspended';
}

/** The scope for revoking a grant. */
export const writeScope = 'account:write';

/**
 * Revokes a grant of the caller's team at once, with every token issued for it, even the one that the caller uses.
 * The operation is idempotent, so it needs no idempotency key. It belongs to no workspace, so no audit trail records it.
 * @throws AppError `not_found` when the grant does not exist or the caller may not see it
 */
export async function revoke(
  ctx: Context,
  ref: Ref,
  { precondition }: Pick<WriteOptions, 'precondition'> = { precondition: null },
): Promise<{ id: bigint }> {
  const { tenancy } = requireScope(ctx, writeScope);
  const grant = await requireRow(ctx, OAUTH_GRANTS, tenancy, ref);
  if (precondition !== null && !precondition(grant)) throw preconditionFailed();
  beginChange(ctx);
  await revokeGrant(ctx.store, { id: grant.id, teamId: tenancy.teamId }, ctx.clock(), tenancy);
  await (grant.revokedAt === null ? ctx.lookups.forget() : ctx.lookups.settle());
  return grant;
}

/** Ends the grants that have all of these values at once, with the codes and tokens that were issued for them. */
export async function endGrants(app: App, where: GrantFilter): Promise<void> {
  await revokeGrant(app.store, where, app.clock());
  await app.lookups.forget();
}

/** Ends a client permanently, with all grants and tokens issued to it. @returns null if there is no such client */
export async function endClient(app: App, id: string): Promise<OauthClientRow | null> {
  const client = await disableClient(app.store, id, app.clock());
  if (client !== null) await endGrants(app, { clientId: id });
  return client;
}

/** Everything that rest/ and graphql/ call of this noun. Every token may read its own grant. */
export const service = defineService(oauthGrant, {
  getMany: getManyWithOwn(oauthGrant, (caller) => (caller.kind === 'oauth' ? caller.grantId : null)),
});
