// Locks one row for a change in several steps.

import { wayToContact } from '../../resources/contact-ways.ts';
import type { Resource } from '../../resources/description/resource.ts';
import type { Executor } from '../connections/executor.ts';
import { restrictToRowWorkspace } from '../shard-placement/placement.ts';
import { lockContact } from '../sql/personal-data.ts';
import { inWorkspace } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { Table } from '../tables/table.ts';

/** A table, with its noun if its rows can show data of a contact. */
interface Lockable extends Pick<Table<{ id: bigint }>, 'name' | 'visible' | 'owned'> {
  readonly resource?: Resource;
}

interface Locked {
  readonly workspaceId: bigint;
}

/**
 * Locks a visible row that the caller owns until the transaction ends, and the contact whose data it can show, so that the contact is not
 * erased meanwhile. Null if there is no such row.
 * @param tenancy from `Placement.nameWorkspaces`
 * @param columns what to select of the row `t` in addition to its workspace
 */
export async function lockRow<Row extends Locked = Locked>(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  { name, visible, owned, resource }: Lockable,
  tenancy: Tenancy,
  id: bigint,
  columns = 't.id',
  strength: 'update' | 'no key update' | 'share' = 'update',
): Promise<Row | null> {
  const place = await restrictToRowWorkspace(tx, name, tenancy, id);
  if (place === null) return null;
  const [locked] = await tx.$queryRawUnsafe<Row[]>(
    `select t.workspace_id as "workspaceId", ${columns} from ${name} t
      where t.id = $1::bigint and ${inWorkspace(visible)} and ${owned('$2::bigint', '$3::bigint[]')} for ${strength} of t`,
    ...[id, place.teamId, place.workspaceIds],
  );
  if (locked === undefined) return null;
  const way = resource && wayToContact(resource);
  if (resource && way && way !== 'itself')
    await tx.$queryRawUnsafe(
      lockContact(resource, 't.workspace_id = $1::bigint and t.id = $2::bigint', '$1::bigint'),
      ...[locked.workspaceId, id],
    );
  return locked;
}
