// Whether Citus distributes a store (distribution/), and what differs then: a statement must name the workspaces of its rows, because these
// determine the shards. If only a row's id is known, these are all workspaces that the caller may access.
import type pg from 'pg';
import { once } from '../../concurrency/once.ts';
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
} from './row-workspaces.ts';

/** The workspaces of one statement. */
export interface Part extends Tenancy {
  /** Its only workspace; null where the store is on one PostgreSQL. Comparing it for equality leads to one shard, for every table of the statement. */
  readonly only: bigint | null;
}

/** What depends on where the rows are. */
type Forms<T> = Readonly<Record<Placement, T>>;

/** Where the rows of a store are: `sharded` where Citus distributes it. */
export type Placement = 'whole' | 'sharded';

export interface Distribution {
  /** The form for this store. Queried once: a store is distributed only while no gateway runs. @throws AppError `unavailable` */
  choose<T>(forms: Forms<T>): Promise<T>;
  /** Whether one statement can read below several parents: Citus has no lateral join from them. @throws AppError `unavailable` */
  joinsParents(): Promise<boolean>;
  /**
   * The tenancy as statements need it: in a distributed store with every workspace that the caller may access, otherwise unchanged.
   * @param known the rows that the statement reads; then only with their workspaces
   * @throws AppError `unavailable`
   */
  ownership(tenancy: Tenancy, known?: KnownRows): Promise<Tenancy>;
  /**
   * The same for rows that several statements may read: in a distributed store one part for each workspace.
   * @throws AppError `unavailable`
   */
  parts(tenancy: Tenancy, known: KnownRows): Promise<readonly Part[]>;
  /** Keeps the record of which workspace a row is in up to date, after a change of it was committed. Never fails. */
  follow(change: FollowedChange): Promise<void>;
}

/** For more workspaces than this, those of the rows are looked for first. */
const MAX_PARTS = 8;

const IS_DISTRIBUTED =
  "select exists (select from pg_dist_partition where logicalrelid = to_regclass('contacts')) as distributed";

const WORKSPACES: Statement = {
  name: 'workspaces.of_team',
  text: 'select t.id from workspaces t where t.team_id = $1::bigint order by t.id',
};

/** The workspaces of rows, from several shards: Citus could not show all columns of nouns from these. */
const among = (table: string): Statement =>
  statement(
    `${table}.workspaces_among`,
    () => `select distinct t.workspace_id as "workspaceId" from ${table} t
      where t.id = any($1::bigint[]) and t.workspace_id = any($2::bigint[])`,
  );

/** @param hasCitus whether the server has Citus; @param lookups finds the workspaces of a team */
export function createDistribution(
  pool: pg.Pool,
  hasCitus: () => Promise<boolean>,
  lookups: Pick<Readers, 'read'>,
): Distribution {
  const isDistributed = once(async () => {
    try {
      if (!(await hasCitus())) return false;
      const { rows } = await pool.query<{ distributed: boolean }>(IS_DISTRIBUTED);
      return rows[0]?.distributed === true;
    } catch (error) {
      throw toStoreError(error);
    }
  });
  const idsOf = async (text: Statement, values: unknown[]) => {
    const rows = await lookups.read(text, values);
    return rows.map((block, index) => BigInt(textOf(new BlockRow(block, index), 0) ?? 0));
  };
  const workspacesOf = async ({ teamId, workspaceIds }: Tenancy, known?: KnownRows) => {
    if (workspaceIds?.length === 1) return workspaceIds;
    const found = known === undefined ? null : await findWorkspaces(lookups, known);
    const own = found?.filter((id) => workspaceIds?.includes(id) ?? true);
    return own ?? workspaceIds ?? (await idsOf(WORKSPACES, [teamId]));
  };
  return {
    choose: async ({ whole, sharded }) => ((await isDistributed()) ? sharded : whole),
    joinsParents: async () => !(await isDistributed()),
    async ownership(tenancy, known) {
      const { teamId, workspaceIds } = tenancy;
      if (workspaceIds?.length === 1 || !(await isDistributed())) return tenancy;
      try {
        return { teamId, isSharded: true, workspaceIds: await workspacesOf(tenancy, known) };
      } catch (error) {
        throw toStoreError(error);
      }
    },
    async parts(tenancy, known) {
      if (!(await isDistributed())) return [{ ...tenancy, only: null }];
      try {
        const all = await workspacesOf(tenancy, known);
        const ids = all.length > MAX_PARTS ? await idsOf(among(known.table), [known.ids, all]) : all;
        return ids.map((only) => ({ teamId: tenancy.teamId, workspaceIds: [only], only }));
      } catch (error) {
        throw toStoreError(error);
      }
    },
    async follow(change) {
      if (await isDistributed()) await followChange(executorOf(pool), change);
    },
  };
}

/**
 * In a distributed store, the tenancy restricted to the workspace of a row, because only a row on one shard can be locked. Null where no
 * workspace of the tenancy has the row.
 * @param tenancy from `ownership`
 */
export async function inItsWorkspace(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  table: string,
  tenancy: Tenancy,
  id: bigint,
): Promise<Tenancy | null> {
  const { workspaceIds, isSharded = false } = tenancy;
  if (!isSharded || workspaceIds === null || workspaceIds.length === 1) return tenancy;
  const recorded = await findWorkspace(tx, table, id);
  if (recorded !== null && workspaceIds.includes(recorded)) return { ...tenancy, workspaceIds: [recorded] };
  const { text } = among(table);
  const [found] = await tx.$queryRawUnsafe<{ workspaceId: bigint }[]>(text, [id], workspaceIds);
  return found === undefined ? null : { ...tenancy, workspaceIds: [found.workspaceId] };
}
