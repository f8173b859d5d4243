// Locks one row for a change in several steps.
import type { Executor } from '../connections/executor.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { Table } from '../tables/table.ts';

/**
 * Locks a visible row that the caller owns until the transaction ends; null if there is none. It first finds the workspace, because a
 * distributed store can lock a row only when it knows the shard.
 */
export async function lockRow(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  { name, visible, owned }: Table<{ id: bigint }>,
  { teamId, workspaceIds }: Tenancy,
  id: bigint,
): Promise<{ workspaceId: bigint } | null> {
  const [found] = await tx.$queryRawUnsafe<{ workspaceId: bigint }[]>(
    `select t.workspace_id as "workspaceId" from ${name} t where t.id = $1::bigint and ${owned('$2::bigint', '$3')}`,
    ...[id, teamId, workspaceIds],
  );
  if (found === undefined) return null;
  const locked = await tx.$queryRawUnsafe<{ id: bigint }[]>(
    `select t.id from ${name} t where t.workspace_id = $1::bigint and t.id = $2::bigint and ${visible} for update`,
    ...[found.workspaceId, id],
  );
  return locked.length > 0 ? found : null;
}
