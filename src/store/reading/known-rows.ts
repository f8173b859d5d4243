// Reading rows that are known by their ids: in a distributed store a statement for each workspace that they are in.
import type { RowBlock } from '../../rows/row-block.ts';
import type { Part } from '../shard-placement/distribution.ts';
import type { KnownRows } from '../shard-placement/places.ts';
import type { Statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import { withWorkspace } from '../tables/table.ts';
import type { Owners } from '../tenancy/row-owners.ts';
import { readRows } from './reads.ts';

/** How one statement says what it is about. */
export interface KnownIn {
  /** What its name ends with. */
  readonly suffix: string;
  /** The placeholder of the only workspace that it is about; null where it may be about several. */
  readonly workspace: string | null;
}

const ANYWHERE: KnownIn = { suffix: '', workspace: null };
const IN_WORKSPACE: KnownIn = { suffix: '_in_workspace', workspace: '$4' };

/** A read whose `$1` is the caller's team, and `$2` the workspaces that the caller is narrowed to. */
interface KnownRead {
  /** The rows that it is about; null where they are of no shard: what hangs below teams is on every node, or the coordinator's. */
  readonly known: KnownRows | null;
  /** Its `$3`. */
  readonly value: unknown;
  readonly owners: Owners;
  statementOf(scope: KnownIn): Statement;
}

/** The rows of a read, of each of its statements. @throws as `readRows` */
export async function readKnown(
  ctx: StoreContext,
  tenancy: Tenancy,
  { known, value, owners, statementOf }: KnownRead,
): Promise<readonly RowBlock[]> {
  const read = ({ teamId, workspaceIds, only }: Part) =>
    only === null
      ? readRows(ctx, statementOf(ANYWHERE), [teamId, workspaceIds, value], tenancy, owners)
      : readRows(ctx, statementOf(IN_WORKSPACE), [teamId, workspaceIds, value, only], tenancy, owners);
  const { distribution } = ctx.store;
  if (known === null || !(await distribution.isDistributed()))
    return [await read({ ...tenancy, only: null })];
  return Promise.all((await distribution.parts(tenancy, known)).map(read));
}

/** The text of a statement whose conditions are over alias `t`, about the workspace of a scope. */
export function inScope(text: string, { workspace }: KnownIn): string {
  return workspace === null ? text : `${withWorkspace(text, workspace)} and t.workspace_id = ${workspace}`;
}
