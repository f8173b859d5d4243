// Locks one row for a change in several steps.
import type { Executor } from '../connections/executor.ts';
import { inItsWorkspace } from '../shard-placement/distribution.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { Table } from '../tables/table.ts';

/** Locks a visible row that the caller owns until the transaction ends; null if there is none. */
export async function lockRow(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  { name, visible, owned }: Table<{ id: bigint }>,
  tenancy: Tenancy,
  id: bigint,
): Promise<{ workspaceId: bigint } | null> {
  const place = await inItsWorkspace(tx, name, tenancy, id);
  if (place === null) return null;
  const [locked = null] = await tx.$queryRawUnsafe<{ workspaceId: bigint }[]>(
    `select t.workspace_id as "workspaceId" from ${name} t
      where t.id = $1::bigint and ${visible} and ${owned('$2::bigint', '$3::bigint[]')} for update of t`,
    ...[id, place.teamId, place.workspaceIds],
  );
  return locked;
}
