// SQL about the parents of a list: that the caller owns the parent, and which rows are below it. `$team` is the caller's team, and
// `$workspaces` are those to which the caller is restricted.
import { BlockRow, textOf } from '../../rows/row-block.ts';
import { statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import { ownedWorkspace, type Table } from '../tables/table.ts';
import type { RowOwner } from '../tenancy/row-owners.ts';
import { readRows } from './reads.ts';

type Row = { id: bigint };
type ParentTable = Table<Row>['parent']['table'];

/** The SQL of the parent and its workspace. */
export interface PagePlaceholders {
  readonly parent: string;
  readonly workspace: string;
}

/** Whether the table's rows are below a workspace and have the column `workspace_id`. */
export function isBelowWorkspace(table: ParentTable): table is Exclude<ParentTable, 'teams' | 'workspaces'> {
  return table !== 'teams' && table !== 'workspaces';
}

/** The owner column of rows with ids of workspaces. */
const OF_WORKSPACE: readonly RowOwner[] = [{ of: 'workspace', field: 0, row: 0 }];

/** Finds the workspace that contains the row with this id (or the row itself, if it is a workspace); null if the caller does not own it. */
export async function findWorkspace(
  ctx: StoreContext,
  parents: Exclude<ParentTable, 'teams'>,
  tenancy: Tenancy,
  id: bigint,
): Promise<bigint | null> {
  const workspace = isBelowWorkspace(parents) ? 'p.workspace_id' : 'p.id';
  const ofParent = statement(
    `${parents}.workspace`,
    () =>
      `select ${workspace} from ${parents} p where p.id = $id and ${ownedWorkspace(workspace, '$team', '$workspaces')}`,
  );
  const { workspaceIds } = isBelowWorkspace(parents)
    ? await ctx.store.placement.nameWorkspaces(tenancy, { table: parents, ids: [id] })
    : tenancy;
  const values = { team: tenancy.teamId, workspaces: workspaceIds, id };
  const rows = await readRows(ctx, ofParent, values, tenancy, OF_WORKSPACE);
  const [found] = rows.map((block, index) => textOf(new BlockRow(block, index), 0));
  return found == null ? null : BigInt(found);
}

/**
 * The condition that the caller owns one parent. A scalar subquery is evaluated once, before any row; some stores cannot read `xmin` beside
 * a condition that is planned away (shard-placement/).
 * @param workspace the parameter for the parent's workspace
 */
export function isOwned(parents: ParentTable, parent: string, workspace: string): string {
  return parents === 'teams'
    ? `${parent} = $team`
    : `(select ${ownedWorkspace(workspace, '$team', '$workspaces')})`;
}

/** The parents `$parent_ids` that the caller owns, as `p`. */
export function ownedParents(parents: ParentTable): string {
  if (parents === 'teams')
    return '(select p.id from teams p where p.id = any($parent_ids::bigint[]) and p.id = $team) p';
  if (parents === 'workspaces')
    return `(select p.id from workspaces p where p.id = any($parent_ids::bigint[])
      and p.team_id = $team and ($workspaces::bigint[] is null or p.id = any($workspaces))) p`;
  return `(select p.id, p.workspace_id from unnest($parent_ids::bigint[]) i (id) join ${parents} p on p.id = i.id
    where ${ownedWorkspace('p.workspace_id', '$team', '$workspaces')}) p`;
}

/**
 * The rows `t` with the ids of a query, for a `from` clause, each found as `rowById` does. With `id = any(…)` PostgreSQL would read ids that
 * follow each other by one scan, a third faster, but it may read all rows of the workspace instead.
 * @param order the order of the rows, if any. Sorting here precedes the computed columns of a page
 */
export function rowsById(
  { name, parent }: Pick<Table<Row>, 'name' | 'parent'>,
  workspace: string,
  ids: string,
  order?: string,
): string {
  const inWorkspace = parent.table === 'teams' ? '' : `t.workspace_id = ${workspace} and `;
  const ordered = order === undefined ? '' : `order by ${order}`;
  return `(select t.* from (select distinct * from (${ids}) k) i (id)
    cross join lateral ${rowById(name, `${inWorkspace}t.id = i.id`)} ${ordered} offset 0) t`;
}

/**
 * The row `t` with an id, for a `from` clause. Its other conditions follow outside: `offset 0` is an optimization fence. Other indexes of the
 * workspace contain ids too, and PostgreSQL prefers one of them to the primary key if it expects few rows of a workspace and the index alone
 * has the columns; it then reads all rows of a workspace that has many. No index has `xmin`, which is never 0.
 * @param found the condition that it is the row
 */
export function rowById(table: string, found: string): string {
  return `(select t.* from ${table} t where ${found} and t.xmin <> 0 offset 0) t`;
}

/**
 * The visible rows of one parent within a range of ids or times: one range of the index that begins with the compared columns. No index
 * contains ids alone, so the planner cannot scan other parents' rows.
 */
export function between<R extends Row>(
  table: Table<R>,
  { parent, workspace }: PagePlaceholders,
  range: string,
): string {
  const inWorkspace = isBelowWorkspace(table.parent.table) ? `t.workspace_id = ${workspace} and ` : '';
  return `${inWorkspace}t.${table.parent.column} = ${parent} and ${range} and ${table.visible}`;
}
