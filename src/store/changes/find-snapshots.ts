// What REST shows of rows, within a transaction that changes them.
import type { Executor } from '../executor.ts';
import { statement } from '../statements.ts';
import { type Table, withWorkspace } from '../tables.ts';
import { snapshot } from './snapshots.ts';

/** The JSON of rows of a workspace, those that are hidden too, in the ids' order; what is not there is left out. */
export async function findSnapshots(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  { name, resource, columns }: Table<{ id: bigint }>,
  workspaceId: bigint,
  ids: readonly bigint[],
): Promise<string[]> {
  const { text } = statement(
    `${name}.${resource.type}.snapshots`,
    () => `select ${withWorkspace(snapshot(resource, columns), '$1::bigint')}::text as snapshot
      from unnest($2::bigint[]) with ordinality i (id, place)
        join ${name} t on t.workspace_id = $1::bigint and t.id = i.id
      order by i.place`,
  );
  const found = await tx.$queryRawUnsafe<{ snapshot: string }[]>(text, workspaceId, ids);
  return found.map((row) => row.snapshot);
}
