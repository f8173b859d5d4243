// What a list hangs under: that the parent is the caller's, and which rows are below it. Pieces of SQL, whose `$1` is the
// caller's team, `$2` the workspaces that the caller is narrowed to, and `$3` the parent, or the parents.
import { BlockRow, textOf } from '../rows/row-block.ts';
import { statement } from './statements.ts';
import { readRows, type StoreContext } from './store.ts';
import { ownedWorkspace, type Table } from './tables.ts';
import type { Tenancy } from './tenancy.ts';

type Row = { id: bigint };

/** The greatest id that PostgreSQL can hold. */
export const MAX_ID = 2n ** 63n - 1n;

/** The workspace that the caller's own workspace or funnel with this id is or is in; null where it is not the caller's. */
export async function findWorkspace(
  ctx: StoreContext,
  parents: 'workspaces' | 'funnels',
  tenancy: Tenancy,
  id: bigint,
): Promise<bigint | null> {
  const workspace = parents === 'funnels' ? 'p.workspace_id' : 'p.id';
  const ofParent = statement(
    `${parents}.workspace`,
    () =>
      `select ${workspace} from ${parents} p where p.id = $3 and ${ownedWorkspace(workspace, '$1', '$2')}`,
  );
  const rows = await readRows(ctx, ofParent, [tenancy.teamId, tenancy.workspaceIds, id], tenancy.teamId);
  const [found] = rows.map((block, index) => textOf(new BlockRow(block, index), 0));
  return found == null ? null : BigInt(found);
}

type ParentTable = Table<Row>['parent']['table'];

/** That one parent is the caller's, given its workspace too. */
export function isOwned(parents: ParentTable, parent: string, workspace: string): string {
  return parents === 'teams' ? `${parent} = $1` : ownedWorkspace(workspace, '$1', '$2');
}

/** Those of many parents that are the caller's, as `p`. */
export const OWNED_PARENTS: Readonly<Record<ParentTable, string>> = {
  teams: '(select p.id from teams p where p.id = any($3::bigint[]) and p.id = $1) p',
  workspaces: `(select p.id from workspaces p where p.id = any($3::bigint[])
    and p.team_id = $1 and ($2::bigint[] is null or p.id = any($2))) p`,
  funnels: `(select p.id, p.workspace_id from unnest($3::bigint[]) i (id) join funnels p on p.id = i.id
    where ${ownedWorkspace('p.workspace_id', '$1', '$2')}) p`,
};

/**
 * The visible rows of one parent between two ids, both left out: one range of the index that begins with what they are compared
 * with. There is none on ids alone, so that the planner cannot think of a scan through other parents' rows.
 */
export function between<R extends Row>(
  table: Table<R>,
  parent: string,
  workspace: string,
  low: string,
  high: string,
): string {
  const inWorkspace = table.parent.table === 'funnels' ? `t.workspace_id = ${workspace} and ` : '';
  return `${inWorkspace}t.${table.parent.column} = ${parent} and t.id > ${low} and t.id < ${high} and ${table.visible}`;
}
