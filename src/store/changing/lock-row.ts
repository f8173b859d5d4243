// Locks one row for a change in several steps.
import type { Executor } from '../connections/executor.ts';
import { inItsWorkspace } from '../shard-placement/distribution.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { Table } from '../tables/table.ts';

interface Locked {
  readonly workspaceId: bigint;
}

/**
 * Locks a visible row that the caller owns until the transaction ends; null if there is none.
 * @param tenancy from `ownership`
 * @param columns what is selected of the row `t` besides its workspace
 */
export async function lockRow<Row extends Locked = Locked>(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  { name, visible, owned }: Pick<Table<{ id: bigint }>, 'name' | 'visible' | 'owned'>,
  tenancy: Tenancy,
  id: bigint,
  columns = 't.id',
  strength: 'update' | 'no key update' | 'share' = 'update',
): Promise<Row | null> {
  const place = await inItsWorkspace(tx, name, tenancy, id);
  if (place === null) return null;
  const [locked = null] = await tx.$queryRawUnsafe<Row[]>(
    `select t.workspace_id as "workspaceId", ${columns} from ${name} t
      where t.id = $1::bigint and ${visible} and ${owned('$2::bigint', '$3::bigint[]')} for ${strength} of t`,
    ...[id, place.teamId, place.workspaceIds],
  );
  return locked;
}
