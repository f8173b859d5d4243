// The rules for statements, which depend on where this store's rows are. One PostgreSQL has no restrictions. If Citus distributes the store
// (distribution/), a statement must name the workspaces of its rows, because these determine the shards; for a row with only an id, it
// names all workspaces that the caller can access. Other folders need no knowledge of Citus: they read a rule, or get the workspaces to
// name from here.
import type pg from 'pg';
import { memoize } from '../../concurrency/memoize.ts';
import { BlockRow, textOf } from '../../rows/row-block.ts';
import { type Executor, executorOf } from '../connections/executor.ts';
import { toStoreError } from '../connections/failures.ts';
import type { Readers } from '../pipelining/readers.ts';
import { type Statement, statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import {
  type FollowedChange,
  findWorkspace,
  findWorkspaces,
  followChange,
  type KnownRows,
} from './row-places.ts';

/** What statements can and must do in a store. */
export interface PlacementRules {
  /** A statement that writes or locks rows compares `workspace_id` with one value, also in its subqueries. */
  readonly namesWorkspace: boolean;
  /** A statement that writes rows of one table neither writes nor returns rows of another one. */
  readonly writesAlone: boolean;
  /**
   * The ids and times of a change come from the coordinator: a change draws them first, and passes them to the statements that write them.
   */
  readonly drawsFirst: boolean;
  /** One statement can read the lists of several parents, by a lateral join. */
  readonly joinsParents: boolean;
  /** A recursive statement can step through an index, from one workspace to the next. */
  readonly stepsThroughIndexes: boolean;
  /** Triggers update rows of other tables; otherwise the change itself does. */
  readonly hasTriggers: boolean;
  /** Row-level security limits a caller's changes to the caller's rows. */
  readonly hasTenantRole: boolean;
  /** Lists can be read from replicas. */
  readonly readsReplicas: boolean;
  /** Lists can be searched: the functions for it know tables, not their shards (sql/search.ts). */
  readonly searches: boolean;
}

/** The rules of one PostgreSQL. */
export const ON_ONE_SERVER: PlacementRules = {
  namesWorkspace: false,
  writesAlone: false,
  drawsFirst: false,
  joinsParents: true,
  stepsThroughIndexes: true,
  hasTriggers: true,
  hasTenantRole: true,
  readsReplicas: true,
  searches: true,
};

/** The rules of a store that Citus distributes. */
export const ON_SHARDS: PlacementRules = {
  namesWorkspace: true,
  writesAlone: true,
  drawsFirst: true,
  joinsParents: false,
  stepsThroughIndexes: false,
  hasTriggers: false,
  hasTenantRole: false,
  readsReplicas: false,
  searches: false,
};

/**
 * Why a store lacks `readsReplicas`: a list ends at the high-water mark that a replica has replayed, and the replicas of shards replay
 * independently.
 */
export const NO_REPLICAS = 'replicas are not read of a store that Citus distributes';

/** Why a store lacks `searches`. */
export const NO_SEARCH = 'is not available, because Citus distributes this store';

/** The consequence for a store without `hasTenantRole`. */
export const NO_TENANT_ROLE =
  'row-level security is not used with Citus: a change without its owner check would not be stopped';

/** The workspaces of one statement. */
export interface Part extends Tenancy {
  /** The only workspace of the statement, which it must name; null if it need not. */
  readonly only: bigint | null;
}

export interface Placement {
  /** The rules of this store. They are read once, because they change only while no gateway runs. @throws AppError `unavailable` */
  rules(): Promise<PlacementRules>;
  /**
   * The tenancy in the form that statements need: if they name workspaces, with every workspace that the caller can access; otherwise
   * unchanged.
   * @param known the rows that the statement reads, to limit the workspaces to theirs
   * @throws AppError `unavailable`
   */
  nameWorkspaces(tenancy: Tenancy, known?: KnownRows): Promise<Tenancy>;
  /**
   * The same for rows that several statements can read: if statements name workspaces, one part for each workspace.
   * @throws AppError `unavailable`
   */
  splitByWorkspace(tenancy: Tenancy, known: KnownRows): Promise<readonly Part[]>;
  /** Updates the record of a row's workspace after a change of the row was committed. Never fails. */
  follow(change: FollowedChange): Promise<void>;
}

/** With more workspaces than this, finds those of the rows first. */
const MAX_PARTS = 8;

const HAS_CITUS: Statement = {
  name: 'placement.has_citus',
  text: "select exists (select from pg_extension where extname = 'citus') as citus",
};

/** One transaction distributes all tables, so that one distributed table suffices. */
const IS_DISTRIBUTED = `select exists (select from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
  where p.partmethod = 'h' and c.relnamespace = current_schema()::regnamespace) as distributed`;

/** Finds the workspaces of rows on several shards. From several shards, Citus could not return all columns of nouns. */
const workspacesAmong = (table: string): Statement =>
  statement(
    `${table}.workspaces_among`,
    () => `select distinct t.workspace_id as "workspaceId" from ${table} t
      where t.id = any($1::bigint[]) and t.workspace_id = any($2::bigint[])`,
  );

interface Sources {
  readonly pool: pg.Pool;
  readonly lookups: Pick<Readers, 'read'>;
  /** The statement for the ids of all workspaces of the team `$1`, in their order. */
  readonly workspacesOfTeam: Statement;
}

/** Reads the rules of a store from the catalogs. @throws the driver's error */
export async function readRules(db: Pick<pg.ClientBase, 'query'>): Promise<PlacementRules> {
  const { rows } = await db.query<{ citus: boolean }>({ ...HAS_CITUS });
  if (rows[0]?.citus !== true) return ON_ONE_SERVER;
  const { rows: state } = await db.query<{ distributed: boolean }>(IS_DISTRIBUTED);
  return state[0]?.distributed === true ? ON_SHARDS : { ...ON_ONE_SERVER, hasTenantRole: false };
}

/** Creates a placement. The first call opens a connection. */
export function createPlacement({ pool, lookups, workspacesOfTeam }: Sources): Placement {
  const rules = memoize(async () => {
    try {
      return await readRules(pool);
    } catch (error) {
      throw toStoreError(error);
    }
  });
  const namesWorkspace = async () => (await rules()).namesWorkspace;
  const idsOf = async (text: Statement, values: unknown[]) => {
    const rows = await lookups.read(text, values);
    return rows.map((block, index) => BigInt(textOf(new BlockRow(block, index), 0) ?? 0));
  };
  const workspacesOf = async ({ teamId, workspaceIds }: Tenancy, known?: KnownRows) => {
    if (workspaceIds?.length === 1) return workspaceIds;
    const found = known === undefined ? null : await findWorkspaces(lookups, known);
    const own = found?.filter((id) => workspaceIds?.includes(id) ?? true);
    return own ?? workspaceIds ?? (await idsOf(workspacesOfTeam, [teamId]));
  };
  return {
    rules,
    async nameWorkspaces(tenancy, known) {
      const { teamId, workspaceIds } = tenancy;
      if (workspaceIds?.length === 1 || !(await namesWorkspace())) return tenancy;
      try {
        return { teamId, namesWorkspaces: true, workspaceIds: await workspacesOf(tenancy, known) };
      } catch (error) {
        throw toStoreError(error);
      }
    },
    async splitByWorkspace(tenancy, known) {
      if (!(await namesWorkspace())) return [{ ...tenancy, only: null }];
      try {
        const all = await workspacesOf(tenancy, known);
        const ids =
          all.length > MAX_PARTS ? await idsOf(workspacesAmong(known.table), [known.ids, all]) : all;
        return ids.map((only) => ({ teamId: tenancy.teamId, workspaceIds: [only], only }));
      } catch (error) {
        throw toStoreError(error);
      }
    },
    async follow(change) {
      if (await namesWorkspace()) await followChange(executorOf(pool), change);
    },
  };
}

/**
 * If statements name workspaces, restricts the tenancy to the workspace of a row, because only a row on one shard can be locked. Null if no
 * workspace of the tenancy has the row.
 * @param tenancy from `nameWorkspaces`
 */
export async function restrictToRowWorkspace(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  table: string,
  tenancy: Tenancy,
  id: bigint,
): Promise<Tenancy | null> {
  const { workspaceIds, namesWorkspaces = false } = tenancy;
  if (!namesWorkspaces || workspaceIds === null || workspaceIds.length === 1) return tenancy;
  const recorded = await findWorkspace(tx, table, id);
  if (recorded !== null && workspaceIds.includes(recorded)) return { ...tenancy, workspaceIds: [recorded] };
  const { text } = workspacesAmong(table);
  const [found] = await tx.$queryRawUnsafe<{ workspaceId: bigint }[]>(text, [id], workspaceIds);
  return found === undefined ? null : { ...tenancy, workspaceIds: [found.workspaceId] };
}
