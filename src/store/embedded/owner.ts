// Makes the gateway's user a plain owner of the embedded database: it may log in and create roles, and is not a superuser. In a cluster of
// an earlier version it is the bootstrap superuser, which PostgreSQL does not allow to lose that right. There a new role becomes the owner
// of everything and takes the name, and the superuser becomes the administrator.
import pg from 'pg';
import { ADMINISTRATOR, OWNER } from './address.ts';
import { codeOf, messageOf } from './failure.ts';
import { claimExclusively, close, endClaim, LEASE_DATABASE } from './lease.ts';

/** The state of the gateway's user. */
export type OwnerState =
  | { readonly isPlain: true; readonly wasChanged: boolean }
  /** It is still a superuser. Everything works; the next start tries again. */
  | { readonly isPlain: false; readonly reason: string };

/** Connects to a database of the cluster as a user. */
type Connect = (user: string, database: string) => Promise<pg.Client>;

/** The temporary name of the gateway's new user. */
const SUCCESSOR = `${OWNER}_successor`;
/** Renames the superuser, which cannot rename itself. */
const HELPER = `${OWNER}_helper`;

/** How long a statement waits for other transactions. */
const LOCK_TIMEOUT = "set lock_timeout = '5s'";
/** How many statements are sent and committed together. Each keeps a lock until the commit. */
const BATCH = 100;

/** The superuser's statements that create the gateway's user and its database in a new cluster. @param password null: none */
export function ownerStatements(password: string | null): readonly string[] {
  return [`create role ${OWNER} ${rights(password)}`, `create database ${OWNER} owner ${OWNER}`];
}

function rights(password: string | null): string {
  return `login createrole${password === null ? '' : ` password ${pg.escapeLiteral(password)}`}`;
}

/**
 * Makes the gateway's user a plain owner, and creates its database if it is missing. It can be interrupted anywhere: the user remains a
 * superuser until the last transaction, and the next call repeats all steps.
 * @param lease this process's lease, which must be the only one meanwhile
 * @throws the driver's error if the user is already a plain owner and something else fails
 */
export async function ensurePlainOwner(
  lease: pg.Client,
  password: string | null,
  connect: Connect,
): Promise<OwnerState> {
  const { rows } = await lease.query<{ isSuper: boolean; hasHelper: boolean; hasDatabase: boolean }>(
    `select rolsuper as "isSuper", exists (select from pg_roles where rolname = '${HELPER}') as "hasHelper",
      exists (select from pg_database where datname = '${OWNER}') as "hasDatabase" from pg_roles where rolname = '${OWNER}'`,
  );
  const [found] = rows;
  if (found === undefined) throw new Error(`The embedded database has no user ${OWNER}.`);
  if (!found.hasDatabase)
    await createDatabase(await connect(found.isSuper ? OWNER : ADMINISTRATOR, LEASE_DATABASE));
  if (!found.isSuper) {
    if (found.hasHelper) await dropHelper(connect);
    return { isPlain: true, wasChanged: false };
  }
  if (!(await claimExclusively(lease))) return { isPlain: false, reason: 'other processes use the database' };
  try {
    await closingAfter(await connect(OWNER, OWNER), (superuser) => transferToSuccessor(superuser, password));
    await closingAfter(await connect(HELPER, OWNER), swapNames);
    await dropHelper(connect);
    return { isPlain: true, wasChanged: true };
  } catch (error) {
    return { isPlain: false, reason: messageOf(error) };
  } finally {
    await endClaim(lease);
  }
}

/** Creates the database, or accepts that another process has done so at the same time. */
function createDatabase(client: pg.Client): Promise<void> {
  return closingAfter(client, async () => {
    await client.query(`create database ${OWNER} owner ${OWNER}`).catch((error) => {
      // 42P04, or 23505 if both ran at the same time: another process has created it.
      if (!['42P04', '23505'].includes(codeOf(error))) throw error;
    });
  });
}

/** Transfers everything to the successor, as the superuser who owns it. */
async function transferToSuccessor(superuser: pg.Client, password: string | null): Promise<void> {
  await superuser.query(LOCK_TIMEOUT);
  const { rows: roles } = await superuser.query<{ name: string }>(
    `select rolname as name from pg_roles where rolname in ('${SUCCESSOR}', '${HELPER}')`,
  );
  const isThere = (role: string) => roles.some(({ name }) => name === role);
  if (!isThere(SUCCESSOR)) await superuser.query(`create role ${SUCCESSOR} ${rights(password)}`);
  if (!isThere(HELPER)) await superuser.query(`create role ${HELPER} superuser ${rights(password)}`);
  for (const statements of [GRANTS, SETTINGS, OWNERS]) {
    const { rows } = await superuser.query<{ statement: string }>(statements);
    for (let first = 0; first < rows.length; first += BATCH)
      await superuser.query(
        rows
          .slice(first, first + BATCH)
          .map(({ statement }) => statement)
          .join(';'),
      );
  }
}

/** Grants the gateway's other roles to the successor, as if it had created them. The superuser needed no grants. */
const GRANTS = `select format('grant %I to ${SUCCESSOR} with admin option, inherit false, set true', rolname) as statement
  from pg_roles where rolname like '${OWNER.replaceAll('_', '\\_')}\\_%' and rolname not in ('${SUCCESSOR}', '${HELPER}')`;

/** Copies the settings of the superuser's sessions from the current session. */
const SETTINGS = `select distinct format('alter role ${SUCCESSOR} set %s from current', split_part(setting, '=', 1)) as statement
  from pg_db_role_setting, unnest(setconfig) setting where setrole = '${OWNER}'::regrole`;

/**
 * Every object of the superuser whose owner can be set and does not follow another object's. Excludes PostgreSQL's own objects, which have
 * lower ids, and those of extensions.
 */
const OWNERS = `with objects as (
    select 'pg_namespace'::regclass as class, oid, 1 as turn, nspowner as owner, format('schema %I', nspname) as name
      from pg_namespace where nspname !~ '^pg_'
    union all
    select 'pg_class'::regclass, c.oid, 2, relowner,
        case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' when 'f' then 'foreign table'
          else 'table' end || ' ' || c.oid::regclass
      from pg_class c where relkind in ('r', 'p', 'v', 'm', 'S', 'f') and relpersistence <> 't'
        and not (relkind = 'S' and exists (select from pg_depend d
          where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i')))
    union all
    select 'pg_proc'::regclass, oid, 3, proowner, 'routine ' || oid::regprocedure from pg_proc
    union all
    select 'pg_type'::regclass, t.oid, 4, typowner, 'type ' || t.oid::regtype
      from pg_type t where typtype in ('d', 'e', 'r')
        or typtype = 'c' and (select relkind from pg_class c where c.oid = typrelid) = 'c'
    union all
    select 'pg_statistic_ext'::regclass, oid, 5, stxowner, format('statistics %s.%I', stxnamespace::regnamespace, stxname)
      from pg_statistic_ext
    union all
    select 'pg_database'::regclass, oid, 6, datdba, format('database %I', datname) from pg_database where datname = current_database())
  select format('alter %s owner to ${SUCCESSOR}', name) as statement from objects o
  where owner = '${OWNER}'::regrole and oid >= 16384
    and not exists (select from pg_depend d where d.classid = o.class and d.objid = o.oid and d.deptype = 'e')
  order by turn, oid`;

/** Swaps the names in one transaction, so that a user of this name exists at any time. */
async function swapNames(helper: pg.Client): Promise<void> {
  await helper.query(`begin; alter role ${OWNER} rename to ${ADMINISTRATOR};
    alter role ${SUCCESSOR} rename to ${OWNER}; commit`);
}

async function dropHelper(connect: Connect): Promise<void> {
  await closingAfter(await connect(ADMINISTRATOR, LEASE_DATABASE), (client) =>
    client.query(`drop role if exists ${HELPER}`),
  );
}

async function closingAfter(client: pg.Client, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  try {
    await work(client);
  } finally {
    await close(client);
  }
}
