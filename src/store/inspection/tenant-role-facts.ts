// Reads from the catalogs what could bypass row-level security, to check that the tenant role (tenant-role.ts) is restricted to the rows
// of its tenant.
import type pg from 'pg';
import { readRules } from '../shard-placement/placement.ts';
import { TENANT_ROLE } from '../tenancy/tenant-role.ts';

export interface TenantRoleFacts {
  /** Whether callers' changes run as the role in this store (shard-placement/). */
  readonly isUsed: boolean;
  /** null: the role does not exist. */
  readonly role: {
    /** Whether it is a superuser, bypasses row-level security, or owns a table. */
    readonly isExempt: boolean;
    /** Whether the connection's user may switch to it. */
    readonly canEnter: boolean;
    /** Whether the role's policies always apply to the connection's user: it is neither owner nor superuser, and inherits the role. */
    readonly isInherited: boolean;
    /** Tables that it may read or change without a policy, or with row-level security disabled. */
    readonly open: readonly string[];
  } | null;
}

const FACTS = `with tenant as (select oid, rolsuper or rolbypassrls as exempt from pg_roles where rolname = '${TENANT_ROLE}'),
    tables as (select c.oid, c.relname, c.relowner, c.relrowsecurity from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')),
    opened as (select t.* from tables t, tenant where has_any_column_privilege(tenant.oid, t.oid, 'select, insert, update')
      or has_table_privilege(tenant.oid, t.oid, 'delete, truncate'))
  select (select json_build_object(
      'isExempt', tenant.exempt or exists (select from tables t where pg_has_role(tenant.oid, t.relowner, 'usage')),
      'canEnter', pg_has_role(tenant.oid,
        case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end),
      'isInherited', pg_has_role(tenant.oid, 'usage')
        and exists (select from opened t where not pg_has_role(t.relowner, 'usage')),
      'open', array(select t.relname from opened t where not t.relrowsecurity or not exists (
        select from pg_policy p where p.polrelid = t.oid and not p.polpermissive and tenant.oid = any (p.polroles)) order by 1))
      from tenant) as role`;

/** Reads the facts of a store. @throws the driver's error */
export async function readTenantRoleFacts(db: Pick<pg.ClientBase, 'query'>): Promise<TenantRoleFacts> {
  const { hasTenantRole: isUsed } = await readRules(db);
  const { rows } = await db.query<Omit<TenantRoleFacts, 'isUsed'>>(FACTS);
  const [facts] = rows;
  if (facts === undefined) throw new Error('The server says nothing of its roles.');
  return { isUsed, ...facts };
}
