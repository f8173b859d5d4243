// Checks whether migrations can create the role for tenants (../tenancy/tenant-role.ts), and what an administrator must run if not.
import type pg from 'pg';
import { StartupError } from '../../errors.ts';
import { TENANT_ROLE } from '../tenancy/tenant-role.ts';
import { withoutComments } from './split.ts';

/** The state of the role in a store. */
export interface TenantRoleState {
  /** Whether the connection's user can switch to it, or can make that possible. */
  readonly isAttainable: boolean;
  /** SQL statements for an administrator to run; empty if none are needed. */
  readonly remedy: readonly string[];
}

/** Also works in an empty database. Before PostgreSQL 16, users who may create roles may grant any role. */
const STATE = `with me as (select rolsuper as super, rolcreaterole as maker, quote_ident(rolname) as name from pg_roles
      where rolname = current_user),
    server as (select current_setting('server_version_num')::int >= 160000 as "is16"),
    tenant as (select oid from pg_roles where rolname = '${TENANT_ROLE}')
  select me.name as user, exists (select from tenant) as "isThere",
    me.super or coalesce(
      (select pg_has_role(oid, case when is16 then 'set' else 'member' end)
        or pg_has_role(oid, 'member with admin option') or (not is16 and maker) from tenant),
      maker) as "isAttainable"
  from me, server`;

/** Reads the state of the role in a database. @throws the driver's error */
export async function readTenantRoleState(db: Pick<pg.Pool, 'query'>): Promise<TenantRoleState> {
  const { rows } = await db.query<TenantRoleState & { user: string; isThere: boolean }>(STATE);
  const [state] = rows;
  if (state === undefined) throw new Error('The server says nothing of its roles.');
  const { isAttainable, isThere, user } = state;
  const remedy = [
    ...(isThere ? [] : [`create role ${TENANT_ROLE} nologin;`]),
    `grant ${TENANT_ROLE} to ${user};`,
  ];
  return { isAttainable, remedy: isAttainable ? [] : remedy };
}

/** The problem if the role is needed and cannot be used: it is missing, or this user may not switch to it. */
export const ROLE_IS_OUT_OF_REACH = `the user of DATABASE_URL may neither make nor take the role that callers' changes run as, ${TENANT_ROLE}`;

/** The error if the role is needed and cannot be used. */
export function missingRoleError({ remedy }: TenantRoleState): StartupError {
  return new StartupError(
    `Nothing was changed: ${ROLE_IS_OUT_OF_REACH}. Have an administrator of the server run
  ${remedy.join('\n  ')}
and start the same command again.`,
  );
}

/**
 * Whether a statement uses the role. Statements that create functions do not count, because PostgreSQL does not check their bodies before
 * they run.
 */
function isOfTenants(statement: string): boolean {
  const text = withoutComments(statement);
  if (/^create\s+(or\s+replace\s+)?(function|procedure)\b/i.test(text)) return false;
  return (
    /^call\s+open_to_tenants\b/i.test(text) ||
    /^(create|alter|drop)\s+policy\b/i.test(text) ||
    /^alter\s+table\b.*\brow\s+level\s+security$/is.test(text) ||
    text.includes(TENANT_ROLE)
  );
}

const OPENED = /^call\s+open_to_tenants\s*\(\s*'(\w+)'/i;

/**
 * Whether a store with tables on several servers needs a statement. Such a store has no role, but it needs the statement that opens a new
 * table to the role, which places the table instead.
 * @param placed the tables that are already placed
 */
export function isForPlaced(statement: string, placed: readonly string[]): boolean {
  if (!isOfTenants(statement)) return true;
  const [, opened] = OPENED.exec(withoutComments(statement)) ?? [];
  return opened !== undefined && !placed.includes(opened);
}
