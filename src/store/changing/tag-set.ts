// Sets an object's tags as part of a change of the object, and returns the events.

import type { Executor } from '../connections/executor.ts';
import type { Table } from '../tables/table.ts';
import { insertRows } from './insert-rows.ts';
import type { ChangeRecord } from './records.ts';
import { findSnapshots } from './snapshots.ts';

/** The table whose rows apply tags to objects. */
type Applied = Table<{ id: bigint }>;
type Events = ChangeRecord['events'];

/** Applies tags to an object. */
export async function applyTags(
  tx: Executor,
  applied: Applied,
  workspaceId: bigint,
  objectId: bigint,
  tagIds: readonly bigint[],
): Promise<Events> {
  if (tagIds.length === 0) return [];
  const { name, parent } = applied;
  const rows = await insertRows<{ id: bigint }>(tx, {
    insert: `insert into ${name} (workspace_id, ${parent.column}, tag_id)`,
    workspaceId,
    types: ['bigint', 'bigint'],
    rows: [...new Set(tagIds)].map((tagId) => [objectId, tagId]),
    returning: 'id',
  });
  return eventsOf(tx, applied, 'created', workspaceId, rows);
}

/** Gives an object exactly these tags. */
export async function replaceTags(
  tx: Executor,
  applied: Applied,
  workspaceId: bigint,
  objectId: bigint,
  tagIds: readonly bigint[],
): Promise<Events> {
  const { name, parent } = applied;
  const there = await tx.$queryRawUnsafe<{ id: bigint; tag_id: bigint }[]>(
    `select a.id, a.tag_id from ${name} a where a.workspace_id = $1::bigint and a.${parent.column} = $2::bigint order by a.id`,
    workspaceId,
    objectId,
  );
  const gone = there.filter(({ tag_id }) => !tagIds.includes(tag_id));
  const removed = await eventsOf(tx, applied, 'deleted', workspaceId, gone);
  if (gone.length > 0)
    await tx.$executeRawUnsafe(
      `delete from ${name} a where a.workspace_id = $1::bigint and a.${parent.column} = $2::bigint and a.id = any($3::bigint[])`,
      workspaceId,
      objectId,
      gone.map(({ id }) => id),
    );
  const missing = tagIds.filter((tagId) => there.every(({ tag_id }) => tag_id !== tagId));
  return [...(await applyTags(tx, applied, workspaceId, objectId, missing)), ...removed];
}

async function eventsOf(
  tx: Executor,
  applied: Applied,
  name: 'created' | 'deleted',
  workspaceId: bigint,
  rows: readonly { readonly id: bigint }[],
): Promise<Events> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id).sort((one, other) => (one < other ? -1 : 1));
  const snapshots = await findSnapshots(tx, applied, workspaceId, ids);
  return ids.map((subjectId, index) => {
    const data = snapshots[index];
    if (data === undefined) throw new TypeError(`${applied.name}: a row is not there`);
    return { resource: applied.resource, name, subjectId, data };
  });
}
