// Reading rows that are known by their ids: in a distributed store a statement for each workspace that they are in.
import type { Part } from './distribution.ts';
import type { StoreContext } from './store.ts';
import type { Table } from './tables.ts';
import type { Tenancy } from './tenancy.ts';

/** In a distributed store the workspaces in which rows of the table are; what hangs below teams is on every node, or the coordinator's. */
export async function partsOf<R extends { id: bigint }>(
  { store }: StoreContext,
  { name, parent }: Table<R>,
  tenancy: Tenancy,
  ids: readonly bigint[],
): Promise<readonly Part[]> {
  return parent.table === 'teams'
    ? [{ ...tenancy, only: null }]
    : store.distribution.parts(tenancy, { table: name, ids });
}

/** A statement about one workspace, `$4`: said inside the columns' subqueries too, where it is not inferred. */
export function inWorkspace(text: string, only: Part['only']): string {
  return only === null ? text : `${text.replaceAll('= t.workspace_id', '= $4')} and t.workspace_id = $4`;
}
