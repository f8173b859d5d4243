// Determines from the catalogs which tables Citus should distribute, and which it does, so no list of tables is needed. A table whose
// primary key begins with `workspace_id` is distributed by it. Tables to which these refer, directly or indirectly, are copied to every
// node. The others stay on the coordinator: credentials, people, and other tables that are never joined with the rest.
import type pg from 'pg';

/** Where the rows of a table should be. */
type Placing = 'distributed' | 'everywhere' | 'coordinator';

export interface PlacedTable {
  readonly name: string;
  readonly wanted: Placing;
  /** `coordinator` also if Citus does not manage the table. */
  readonly actual: Placing;
}

/** The state of Citus in a database. */
export interface CitusFacts {
  /** null: the extension is not installed. */
  readonly version: string | null;
  readonly isCoordinator: boolean;
  /** Whether the coordinator is one of its own nodes, as tables on every node require. */
  readonly isKnown: boolean;
  /** The number of nodes that can hold shards. */
  readonly nodes: number;
  /** The number of shards of a distributed table; null if there is none. */
  readonly shards: number | null;
}

type Client = Pick<pg.ClientBase, 'query'>;

const HAS_CITUS = `select (select extversion from pg_extension where extname = 'citus') as version`;

const CITUS = `select coalesce((select groupid = 0 from pg_dist_local_group), true) as "isCoordinator",
    exists (select from pg_dist_node where groupid = 0 and isactive) as "isKnown",
    (select count(*)::int from pg_dist_node where isactive and shouldhaveshards and noderole = 'primary') as nodes,
    (select max(n)::int from (select count(*) as n from pg_dist_shard s join pg_dist_partition p using (logicalrelid)
      join pg_class c on c.oid = p.logicalrelid
      where p.partmethod = 'h' and c.relnamespace = current_schema()::regnamespace group by s.logicalrelid) t) as shards`;

/** Reads the state of Citus. @throws the driver's error */
export async function readCitusFacts(client: Client): Promise<CitusFacts> {
  const { rows } = await client.query<{ version: string | null }>(HAS_CITUS);
  const version = rows[0]?.version ?? null;
  if (version === null) return { version, isCoordinator: true, isKnown: false, nodes: 0, shards: null };
  const { rows: facts } = await client.query<Omit<CitusFacts, 'version'>>(CITUS);
  const [found] = facts;
  if (found === undefined) throw new Error('Citus says nothing of its nodes.');
  return { version, ...found };
}

/** The gateway's own tables. */
const OWN = `select c.oid, c.relname::text as name,
    coalesce((select a.attname = 'workspace_id' from pg_index i
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      where i.indrelid = c.oid and i.indisprimary), false) as below
  from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname <> '_prisma_migrations'
    and not exists (select from pg_depend d
      where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    and c.relname !~ '_\\d{6,}$'`;

const WANTED = `with recursive own as materialized (${OWN}),
  above as (
    select k.confrelid as oid from pg_constraint k join own on own.oid = k.conrelid
    where k.contype = 'f' and own.below and k.confrelid in (select oid from own where not below)
    union
    select k.confrelid from pg_constraint k join above on above.oid = k.conrelid where k.contype = 'f'
  )
  select own.oid, own.name, case when own.below then 'distributed' when own.oid in (select oid from above) then 'everywhere'
    else 'coordinator' end as wanted
  from own order by own.name`;

const ACTUAL = `select logicalrelid::oid as oid,
    case when partmethod = 'h' then 'distributed' when repmodel = 't' then 'everywhere' else 'coordinator' end as actual
  from pg_dist_partition`;

/** Reads the tables of a store, ordered by name. @throws the driver's error */
export async function readTables(client: Client): Promise<PlacedTable[]> {
  const { rows: tables } = await client.query<Pick<PlacedTable, 'name' | 'wanted'> & { oid: number }>(WANTED);
  const { version } = await readCitusFacts(client);
  const placed = version === null ? [] : (await client.query<{ oid: number; actual: Placing }>(ACTUAL)).rows;
  const actualOf = new Map(placed.map(({ oid, actual }) => [oid, actual]));
  return tables.map(({ oid, name, wanted }) => ({
    name,
    wanted,
    actual: actualOf.get(oid) ?? 'coordinator',
  }));
}

/**
 * Finds the tables on several nodes; none if the store is not distributed. Each statement of a script on these must be sent separately,
 * because Citus forwards some statements to its workers together with everything sent with them.
 * @throws the driver's error
 */
export async function findPlacedTables(client: Client): Promise<string[]> {
  const tables = await readTables(client);
  if (!tables.some(({ actual }) => actual === 'distributed')) return [];
  return tables.filter(({ actual }) => actual !== 'coordinator').map(({ name }) => name);
}

/** Whether a table is where it should be. */
export function isInPlace({ wanted, actual }: PlacedTable): boolean {
  return wanted === actual;
}
