// Reads rows by id. If statements must name workspaces, it sends one for each workspace.
import type { RowBlock } from '../../rows/row-block.ts';
import type { Part } from '../shard-placement/placement.ts';
import type { KnownRows } from '../shard-placement/row-places.ts';
import { inWorkspace, type NamedStatement, type Values } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import type { Owners } from '../tenancy/row-owners.ts';
import { readRows } from './reads.ts';

/** The workspaces that one statement covers. */
export interface KnownIn {
  /** The suffix of the statement's name. */
  readonly suffix: string;
  /** The placeholder of its only workspace; null if it may cover several. */
  readonly workspace: string | null;
}

const ANYWHERE: KnownIn = { suffix: '', workspace: null };
const IN_WORKSPACE: KnownIn = { suffix: '_in_workspace', workspace: '$workspace_id' };

/** A read whose `$team` is the caller's team, and `$workspaces` those to which the caller is restricted. */
interface KnownRead {
  /** The rows to read; null for rows outside workspaces: direct children of teams. */
  readonly known: KnownRows | null;
  /** Its other values, by the names of the parameters. */
  readonly values: Values;
  readonly owners: Owners;
  statementOf(scope: KnownIn): NamedStatement;
}

/** Executes the read, and returns one block for each statement. @throws as `readRows` */
export async function readKnown(
  ctx: StoreContext,
  tenancy: Tenancy,
  { known, values, owners, statementOf }: KnownRead,
): Promise<readonly RowBlock[]> {
  const read = ({ teamId, workspaceIds, only }: Part) => {
    const statement = statementOf(only === null ? ANYWHERE : IN_WORKSPACE);
    const all = { team: teamId, workspaces: workspaceIds, workspace_id: only, ...values };
    return readRows(ctx, statement, all, tenancy, owners);
  };
  if (known === null) return [await read({ ...tenancy, only: null })];
  return Promise.all((await ctx.store.placement.splitByWorkspace(tenancy, known)).map(read));
}

/** Restricts a statement over the alias `t` to the workspace of a scope. */
export function inScope(text: string, { workspace }: KnownIn): string {
  return workspace === null ? text : `${inWorkspace(text, workspace)} and t.workspace_id = ${workspace}`;
}
