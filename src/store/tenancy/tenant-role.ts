// Changes for a caller run as a database role that row-level security restricts to the caller's rows (migration tenant_role). Even a
// statement without its tenant condition finds no rows of other tenants. A separate statement sets role and tenancy for one transaction
// first, because a statement that set them itself would already be planned and have its snapshot.
//
// Work without a caller runs as the connection's own user: the operator's commands, workers, migrations, the authorization server, and the
// look-ups that authenticate. So do reads, where an owner check of each row replaces it (row-owners.ts).
import { BOUND_WAITS } from '../connections/time-limits.ts';
import type { Statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';

export const TENANT_ROLE = 'funnel_gateway_tenant';

/** SQL that waits until no other transaction has this idempotency key, even for another workspace. null needs no lock. */
export const takeKey = (hash: string): string =>
  `pg_advisory_xact_lock(hashtextextended('idempotency-key:' || ${hash}::text, 0))`;

/** Sets the role first, so that everything after it runs with its rights. Also limits waits for locks, and takes an idempotency key. */
export const ENTER_TENANT_ROLE: Statement = {
  name: 'tenant.enter',
  text: `select set_config('role', '${TENANT_ROLE}', true), set_config('funnel_gateway.team', $1, true),
    set_config('funnel_gateway.workspaces', $2, true), set_config('funnel_gateway.owned', '', true), ${BOUND_WAITS}, ${takeKey('$3')}::text`,
};

/** The values of `ENTER`. @param keyHash null: without an idempotency key */
export function tenantRoleValues(
  { teamId, workspaceIds }: Tenancy,
  keyHash: string | null = null,
): (string | null)[] {
  return [`${teamId}`, workspaceIds === null ? 'all' : `{${workspaceIds.join()}}`, keyHash];
}
