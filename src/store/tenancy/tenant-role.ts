// What changes anything for a caller runs as a role that is held to the caller's own rows by row-level security (migration
// tenant_role): a statement that forgets its condition finds nothing of anybody else's. The role, and whose transaction it is, are set
// for one transaction before the statement: one that set them itself would have been planned and have taken its snapshot before.
//
// As the connection's own user run what has no caller: the operator's commands, workers, migrations, the authorization server, the
// look-ups that find out who the caller is; and reads, whose rows are looked at one by one instead (row-owners.ts).
import type pg from 'pg';
import { once } from '../../concurrency/once.ts';
import { BOUND_WAITS } from '../connections/time-limits.ts';
import type { Statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';

export const TENANT_ROLE = 'funnel_gateway_tenant';

/** The role first: nothing that follows is done with other rights. Waits for locks are bounded too. */
export const ENTER: Statement = {
  name: 'tenant.enter',
  text: `select set_config('role', '${TENANT_ROLE}', true), set_config('funnel_gateway.team', $1, true),
    set_config('funnel_gateway.workspaces', $2, true), set_config('funnel_gateway.owned', '', true), ${BOUND_WAITS}`,
};

const HAS_CITUS: Statement = {
  name: 'tenant.has_citus',
  text: "select exists (select from pg_extension where extname = 'citus') as citus",
};

/** The values of `ENTER`. */
export function enteringAs({ teamId, workspaceIds }: Tenancy): string[] {
  return [`${teamId}`, workspaceIds === null ? 'all' : `{${workspaceIds.join()}}`];
}

/** Whether the server of the store has Citus, asked once. */
export function createCitusCheck(pool: pg.Pool): () => Promise<boolean> {
  return once(async () => {
    const { rows } = await pool.query<{ citus: boolean }>({ ...HAS_CITUS });
    return rows[0]?.citus === true;
  });
}

/**
 * Whether what is done for a caller runs as the role. Citus opens connections to its workers as whoever asks, and settings of a transaction
 * do not get there: with it there is no such role, which `doctor` tells, as it does where the operator does without (TENANT_ROLE=off).
 */
export function createTenantRole(
  isWanted: boolean,
  hasCitus: () => Promise<boolean>,
): () => Promise<boolean> {
  return async () => isWanted && !(await hasCitus());
}
