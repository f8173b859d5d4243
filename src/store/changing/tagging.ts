// Applies tags to many objects of a workspace, or removes them, in steps of one transaction. The number of statements does not depend on
// the number of objects, only on that of the rows that are recorded (insert-rows.ts).
import type { TagFamily } from '../../resources/tag-families.ts';
import type { Executor } from '../connections/executor.ts';
import { inWorkspace, statement } from '../sql/statements.ts';
import { existingIds, type Table } from '../tables/table.ts';
import { tableOf } from '../tables/tables.ts';
import { insertRows } from './insert-rows.ts';
import { changeRows } from './other-rows.ts';
import { type ChangeRecord, isNotified, type RowAction, timeOf, versionColumns } from './records.ts';
import { findContactsOf, findSnapshotsById } from './snapshots.ts';
import { updateTaggedFunnels } from './tagged-funnels.ts';
import { updateTaggedProducts } from './tagged-products.ts';

type Noun = Table<{ id: bigint }>;

/** The objects and the tags of one change, each once, all in one workspace. */
export interface Tagging {
  readonly workspaceId: bigint;
  readonly objectIds: readonly bigint[];
  readonly tagIds: readonly bigint[];
}

/** Objects do not allow the change: nothing is changed. */
export class UntaggableObjects extends Error {
  readonly reason: 'missing' | 'too_many';
  readonly ids: readonly bigint[];

  /** @param reason they do not exist any more, or would have more tags than an object can have */
  constructor(reason: UntaggableObjects['reason'], ids: readonly bigint[]) {
    super(reason);
    this.reason = reason;
    this.ids = ids;
  }
}

/**
 * Applies each tag to each object that does not have it.
 * @param hasTriggers whether triggers keep the tables of tagged objects up to date
 * @returns the records of what changed, as of a change of each alone
 * @throws UntaggableObjects; the database's error
 */
export async function addTags(
  tx: Executor,
  family: TagFamily,
  tagging: Tagging,
  hasTriggers: boolean,
): Promise<ChangeRecord[]> {
  await lockObjects(tx, family, tagging);
  if (family.applied === null) return setTagLists(tx, family, tagging, 'add', hasTriggers);
  const { workspaceId, objectIds, tagIds } = tagging;
  const applied: Noun = tableOf(family.applied);
  const { column } = applied.parent;
  const [there, counts] = await Promise.all([
    findApplied(tx, applied, tagging),
    tx.$queryRawUnsafe<{ objectId: bigint; count: number }[]>(
      `select a.${column} as "objectId", count(*)::int as count from ${applied.name} a
        where a.workspace_id = $1::bigint and a.${column} = any($2::bigint[]) group by 1`,
      ...[workspaceId, objectIds],
    ),
  ]);
  const has = new Set(there.map(({ objectId, tagId }) => `${objectId} ${tagId}`));
  const missing = objectIds.flatMap((objectId) =>
    tagIds.filter((tagId) => !has.has(`${objectId} ${tagId}`)).map((tagId) => [objectId, tagId] as const),
  );
  const after = new Map(counts.map(({ objectId, count }) => [objectId, count]));
  const changed = new Set<bigint>();
  for (const [objectId] of missing) {
    after.set(objectId, (after.get(objectId) ?? 0) + 1);
    changed.add(objectId);
  }
  const tooMany = [...changed].filter((id) => (after.get(id) ?? 0) > family.most);
  if (tooMany.length > 0) throw new UntaggableObjects('too_many', tooMany);
  if (missing.length === 0) return [];
  await touch(tx, tableOf(family.object), workspaceId, [...changed]);
  const inserted = await insertRows<{ id: bigint }>(tx, {
    insert: `insert into ${applied.name} (workspace_id, ${column}, tag_id)`,
    workspaceId,
    types: ['bigint', 'bigint'],
    rows: missing,
    returning: 'id',
  });
  const ids = inserted.map(({ id }) => id).sort((one, other) => (one < other ? -1 : 1));
  const [snapshots, contacts] = await Promise.all([
    findSnapshotsById(tx, applied, workspaceId, ids),
    findContactsOf(tx, applied, workspaceId, ids),
  ]);
  return recordsOf(applied, workspaceId, 'created', ids, snapshots, contacts);
}

/** Removes each tag from each object that has it. @param hasTriggers @returns @throws as `addTags` */
export async function removeTags(
  tx: Executor,
  family: TagFamily,
  tagging: Tagging,
  hasTriggers: boolean,
): Promise<ChangeRecord[]> {
  await lockObjects(tx, family, tagging);
  if (family.applied === null) return setTagLists(tx, family, tagging, 'remove', hasTriggers);
  const { workspaceId } = tagging;
  const applied: Noun = tableOf(family.applied);
  const there = await findApplied(tx, applied, tagging);
  if (there.length === 0) return [];
  const known = there.map(({ id }) => id);
  const [snapshots, contacts, removed] = await Promise.all([
    findSnapshotsById(tx, applied, workspaceId, known),
    findContactsOf(tx, applied, workspaceId, known),
    tx.$queryRawUnsafe<{ id: bigint; objectId: bigint }[]>(
      `delete from ${applied.name} a where a.workspace_id = $1::bigint and a.id = any($2::bigint[])
        returning a.id, a.${applied.parent.column} as "objectId"`,
      ...[workspaceId, known],
    ),
  ]);
  // Some may have gone with their tag meanwhile.
  if (removed.length === 0) return [];
  const isRemoved = new Set(removed.map(({ id }) => id));
  await touch(tx, tableOf(family.object), workspaceId, [...new Set(removed.map(({ objectId }) => objectId))]);
  const ids = known.filter((id) => isRemoved.has(id));
  return recordsOf(applied, workspaceId, 'deleted', ids, snapshots, contacts);
}

/** Locks the objects in the order of their ids, so that two such changes do not wait for each other in a circle. @throws UntaggableObjects */
async function lockObjects(
  tx: Executor,
  { object }: TagFamily,
  { workspaceId, objectIds }: Tagging,
): Promise<void> {
  const { name, visible }: Noun = tableOf(object);
  const { text } = statement(
    `${name}.lock_tagged`,
    () => `select t.id from ${name} t where t.workspace_id = $1::bigint and t.id = any($2::bigint[])
      and (${inWorkspace(visible, '$1::bigint')}) order by t.id for update of t`,
  );
  const locked = await tx.$queryRawUnsafe<{ id: bigint }[]>(text, workspaceId, objectIds);
  const isLocked = new Set(locked.map(({ id }) => id));
  const missing = objectIds.filter((id) => !isLocked.has(id));
  if (missing.length > 0) throw new UntaggableObjects('missing', missing);
}

interface AppliedTag {
  readonly id: bigint;
  readonly objectId: bigint;
  readonly tagId: bigint;
}

/** Which of the tags the objects have. */
async function findApplied(
  tx: Executor,
  { name, parent }: Noun,
  { workspaceId, objectIds, tagIds }: Tagging,
): Promise<AppliedTag[]> {
  return tx.$queryRawUnsafe<AppliedTag[]>(
    `select a.id, a.${parent.column} as "objectId", a.tag_id as "tagId" from ${name} a
      where a.workspace_id = $1::bigint and a.${parent.column} = any($2::bigint[]) and a.tag_id = any($3::bigint[]) order by a.id`,
    ...[workspaceId, objectIds, tagIds],
  );
}

/** Changes objects of which only the tags change. */
async function touch(tx: Executor, table: Noun, workspaceId: bigint, ids: readonly bigint[]): Promise<void> {
  const now = await timeOf(tx, table);
  await tx.$executeRawUnsafe(
    `update ${table.name} c set ${versionColumns('$3')} where c.workspace_id = $1::bigint and c.id = any($2::bigint[])`,
    ...[workspaceId, ids, now],
  );
}

function recordsOf(
  { resource }: Noun,
  workspaceId: bigint,
  action: RowAction & ('created' | 'deleted'),
  ids: readonly bigint[],
  snapshots: ReadonlyMap<bigint, string>,
  contacts: ReadonlyMap<bigint, bigint>,
): ChangeRecord[] {
  return ids.map((subjectId) => {
    const json = snapshots.get(subjectId) ?? '{}';
    const contactId = contacts.get(subjectId) ?? null;
    return {
      ...{ workspaceId, resource, action, outcome: 'updated', subjectId, contactId },
      before: action === 'deleted' ? json : null,
      after: action === 'created' ? json : null,
      events: isNotified(resource, action)
        ? [{ resource, name: action, subjectId, contactId, data: json }]
        : [],
    };
  });
}

/** In stores without the triggers that keep the tables of tagged objects. */
const UPDATES = { products: updateTaggedProducts, funnels: updateTaggedFunnels };

/** Changes the lists `tag_ids` of objects. Ids of deleted tags are dropped, as by a client that sends back what it was shown. */
async function setTagLists(
  tx: Executor,
  { object, tag, most }: TagFamily & { readonly applied: null },
  { workspaceId, objectIds, tagIds }: Tagging,
  what: 'add' | 'remove',
  hasTriggers: boolean,
): Promise<ChangeRecord[]> {
  const table: Noun = tableOf(object);
  const existing = inWorkspace(existingIds(tag.table, 't.tag_ids'), '$1::bigint');
  const rows = await tx.$queryRawUnsafe<{ id: bigint; count: number; matching: number }[]>(
    `select t.id, cardinality(e.ids) as count,
        (select count(distinct i)::int from unnest(e.ids) i where i = any($3::bigint[])) as matching
      from ${table.name} t cross join lateral (select ${existing} as ids) e
      where t.workspace_id = $1::bigint and t.id = any($2::bigint[])`,
    ...[workspaceId, objectIds, tagIds],
  );
  const isChanged = (matching: number) => (what === 'add' ? matching < tagIds.length : matching > 0);
  const changed = rows.filter(({ matching }) => isChanged(matching));
  const tooMany =
    what === 'remove' ? [] : changed.filter(({ count, matching }) => count + tagIds.length - matching > most);
  if (tooMany.length > 0) {
    const ids = tooMany.map(({ id }) => id);
    throw new UntaggableObjects('too_many', ids);
  }
  const kept = existingIds(tag.table, 'c.tag_ids').replaceAll('$row_workspace', '$1::bigint');
  const set = {
    add: `tag_ids = ${kept} || array(select n.id from unnest($4::bigint[]) with ordinality n (id, place) where n.id <> all(c.tag_ids) order by n.place)`,
    remove: `tag_ids = array(select k.id from unnest(${kept}) with ordinality k (id, place) where k.id <> all($4::bigint[]) order by k.place)`,
  };
  const isListed = new Set(changed.map(({ id }) => id));
  const ids = objectIds.filter((id) => isListed.has(id));
  const records = await changeRows(tx, table, workspaceId, ids, set[what], [], undefined, [tagIds]);
  if (!hasTriggers) await Promise.all(ids.map((id) => UPDATES[object.table](tx, workspaceId, id)));
  return records;
}
