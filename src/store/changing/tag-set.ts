// Sets an object's tags as part of a change of the object, and returns the events.

import type { Executor } from '../connections/executor.ts';
import type { Table } from '../tables/table.ts';
import { insertRows } from './insert-rows.ts';
import type { ChangeRecord } from './records.ts';
import { findSnapshotsById } from './snapshots.ts';

/** The table whose rows apply tags to objects. */
type AppliedTagTable = Table<{ id: bigint }>;
type Events = ChangeRecord['events'];

/** Applies tags to an object. */
export async function applyTags(
  tx: Executor,
  applied: AppliedTagTable,
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
  const ids = rows.map(({ id }) => id).sort((one, other) => (one < other ? -1 : 1));
  return eventsOf(applied, 'created', [...(await findSnapshotsById(tx, applied, workspaceId, ids))]);
}

/** Gives an object exactly these tags. */
export async function replaceTags(
  tx: Executor,
  applied: AppliedTagTable,
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
  const gone = there.filter(({ tag_id }) => !tagIds.includes(tag_id)).map(({ id }) => id);
  const removed = gone.length === 0 ? [] : await removeTags(tx, applied, workspaceId, objectId, gone);
  const missing = tagIds.filter((tagId) => there.every(({ tag_id }) => tag_id !== tagId));
  return [...(await applyTags(tx, applied, workspaceId, objectId, missing)), ...removed];
}

/** Removes applied tags. Those that disappeared meanwhile with their tag get no event. */
async function removeTags(
  tx: Executor,
  applied: AppliedTagTable,
  workspaceId: bigint,
  objectId: bigint,
  ids: readonly bigint[],
): Promise<Events> {
  const { name, parent } = applied;
  const [snapshots, removed] = await Promise.all([
    findSnapshotsById(tx, applied, workspaceId, ids),
    tx.$queryRawUnsafe<{ id: bigint }[]>(
      `delete from ${name} a where a.workspace_id = $1::bigint and a.${parent.column} = $2::bigint and a.id = any($3::bigint[]) returning a.id`,
      workspaceId,
      objectId,
      ids,
    ),
  ]);
  const isRemoved = new Set(removed.map(({ id }) => id));
  return eventsOf(
    applied,
    'deleted',
    [...snapshots].filter(([id]) => isRemoved.has(id)),
  );
}

function eventsOf(
  { resource }: AppliedTagTable,
  name: 'created' | 'deleted',
  snapshots: readonly (readonly [bigint, string])[],
): Events {
  return snapshots.map(([subjectId, data]) => ({ resource, name, subjectId, data }));
}
