// Checks whether the second line of defence works (docs/SECURITY.md): the role of callers' changes.
import type pg from 'pg';
import { readTenantRoleFacts, type TenantRoleFacts } from '../../store/inspection/tenant-role-facts.ts';
import { createsTenantRole, type MigrationState } from '../../store/migrations/migrations.ts';
import { ROLE_IS_OUT_OF_REACH, readTenantRoleState } from '../../store/migrations/tenant-role.ts';
import { NO_TENANT_ROLE } from '../../store/shard-placement/placement.ts';
import { TENANT_ROLE } from '../../store/tenancy/tenant-role.ts';
import { type Finding, findingsOf, findingsOrOk } from './findings.ts';

const { fail, ok, warn } = findingsOf('tenant role');

/** Checks a store. */
export async function checkTenantRole(pool: pg.Pool, { pending }: MigrationState): Promise<Finding[]> {
  if (!pending.some(createsTenantRole)) return tenantRoleFindings(await readTenantRoleFacts(pool));
  const { isAttainable, remedy } = await readTenantRoleState(pool);
  if (isAttainable) return [ok('a pending migration makes it')];
  return [
    fail(
      `${ROLE_IS_OUT_OF_REACH}: serve and migrate refuse`,
      `have an administrator of the server run "${remedy.join(' ')}"`,
    ),
  ];
}

/** Findings about the facts in PostgreSQL's catalogs. */
export function tenantRoleFindings({ isUsed, role }: TenantRoleFacts): Finding[] {
  if (!isUsed) return [warn(NO_TENANT_ROLE, 'nothing to do: see docs/scaling.md')];
  const make = `create role ${TENANT_ROLE} nologin; grant ${TENANT_ROLE} to the user of DATABASE_URL`;
  if (role === null) return [fail(`there is no role ${TENANT_ROLE}: nothing can be changed`, make)];
  return findingsOrOk(ok("row-level security limits callers' changes to their own rows"), [
    !role.canEnter &&
      fail(
        `the user of DATABASE_URL may not switch to ${TENANT_ROLE}: nothing can be changed`,
        `grant ${TENANT_ROLE} to that user`,
      ),
    role.isExempt &&
      warn(
        `${TENANT_ROLE} is a superuser, bypasses row-level security or owns tables: it is held by nothing`,
        `alter role ${TENANT_ROLE} nosuperuser nobypassrls, give its tables to another owner, and revoke that from it`,
      ),
    role.isInherited &&
      fail(
        `the user of DATABASE_URL, who does not own the tables, inherits ${TENANT_ROLE}: row-level security gives that user no rows at all`,
        `grant ${TENANT_ROLE} to that user with inherit false; before PostgreSQL 16 alter that user noinherit`,
      ),
    !role.isExempt &&
      role.open.length > 0 &&
      warn(
        `row-level security does not limit it in ${role.open.join(', ')}`,
        'see the migration tenant_role for what these tables had',
      ),
  ]);
}
