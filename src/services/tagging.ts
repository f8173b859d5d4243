// Applies tags to many objects of one kind, or removes them: all or nothing, with the events and audit entries of each change alone.
import { type Permitted, requireScope, type Scope, scopeFor } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import {
  AppError,
  type Fault,
  type FieldError,
  invalid,
  invalidFields,
  moreThan,
  NO_ENTRY,
  noSuch,
  parseAll,
  tooManyItems,
} from '../errors.ts';
import { withArticle } from '../resources/description/names.ts';
import { MAX_TAGGED, MAX_TAGS_AT_ONCE, type TagFamily } from '../resources/tag-families.ts';
import { execute } from '../store/changing/changes.ts';
import type { ChangeRecord, Unchanged } from '../store/changing/records.ts';
import { addTags, removeTags, type Tagging, UntaggableObjects } from '../store/changing/tagging.ts';
import { withSql } from '../store/changing/transactions.ts';
import { violationOf } from '../store/connections/failures.ts';
import { findByIds } from '../store/reading/rows.ts';
import { tableOf } from '../store/tables/tables.ts';
import { mutate } from './changing/mutate.ts';
import type { WriteOptions } from './input/write-options.ts';

/** The most members that are blamed. */
const MAX_ERRORS = 20;
/** The client's names of the two lists. */
const OBJECTS = 'taggableIds';
const TAGS = 'tagIds';

const CHANGES = { add: addTags, remove: removeTags };

/** The scope to change the tags of these objects. */
export function tagWriteScope({ object }: TagFamily): Scope {
  return scopeFor(object, 'write');
}

/** The scope to read these objects. */
export function tagReadScope({ object }: TagFamily): Scope {
  return scopeFor(object, 'read');
}

/** The ids of objects whose tags the caller may change; null for what does not exist. */
export async function findTagged(
  ctx: Context,
  family: TagFamily,
  ids: readonly bigint[],
): Promise<({ id: bigint } | null)[]> {
  const { tenancy } = requireScope(ctx, tagWriteScope(family));
  return findByIds(ctx, tableOf(family.object), tenancy, ids, ['id', 'publicId']);
}

/**
 * Applies tags to objects, or removes them. What is so already stays unchanged.
 * @param objectIds ids of objects of the family, as the client gave them @param tagIds ids of its tags
 * @throws AppError `invalid` for too many ids, or ids that name nothing in the workspace of the first object, or more tags than an object
 *   can have; then nothing was changed
 */
export async function changeTags(
  ctx: Context,
  what: keyof typeof CHANGES,
  family: TagFamily,
  objectIds: readonly bigint[],
  tagIds: readonly bigint[],
  options: WriteOptions,
): Promise<void> {
  const by = requireScope(ctx, tagWriteScope(family));
  parseAll({
    objects: () => requireLength(OBJECTS, objectIds, MAX_TAGGED),
    tags: () => requireLength(TAGS, tagIds, MAX_TAGS_AT_ONCE),
  });
  const table = tableOf(family.object);
  await mutate(ctx, {
    by,
    options,
    outcome: 'updated',
    request: [`${what}_tags`, table.name, objectIds, tagIds],
    subject: { table, id: objectIds[0] ?? null },
    async change(recorded) {
      const tagging = await findOwn(ctx, by, family, objectIds, tagIds);
      const { hasTriggers } = await ctx.store.placement.rules();
      try {
        return await execute(ctx, recorded, withSql, async (tx) =>
          toRecord(await CHANGES[what](tx, family, tagging, hasTriggers), tagging),
        );
      } catch (error) {
        throw toInvalid(error, family, objectIds);
      }
    },
    toRow: () => null,
  });
}

/** One record with all others below it. */
function toRecord(
  [first, ...others]: readonly ChangeRecord[],
  { workspaceId }: Tagging,
): ChangeRecord | Unchanged {
  if (first === undefined) return { workspaceId, unchanged: '{}' };
  const events = [first, ...others].flatMap((each) => each.events);
  return { ...first, events, children: others, rows: others.length };
}

function requireLength(field: string, ids: readonly bigint[], most: number): void {
  if (ids.length === 0) throw invalid(field, NO_ENTRY);
  if (ids.length > most) throw invalid(field, tooManyItems(most));
}

/**
 * The objects and tags, each once. All must be in the workspace of the first object that exists.
 * @throws AppError `invalid`, blaming each id that names nothing there
 */
async function findOwn(
  ctx: Context,
  { tenancy }: Permitted,
  { object, tag }: TagFamily,
  objectIds: readonly bigint[],
  tagIds: readonly bigint[],
): Promise<Tagging> {
  const [objects, tags] = (await Promise.all([
    findByIds(ctx, tableOf(object), tenancy, objectIds, ['id']),
    findByIds(ctx, tableOf(tag), tenancy, tagIds, ['id']),
  ])) as unknown as readonly (readonly ({ readonly workspaceId: bigint } | null)[])[];
  const workspaceId = objects?.find((row) => row !== null)?.workspaceId ?? null;
  const elsewhere: Fault = { code: 'not_allowed', message: 'is in another workspace than the first one' };
  const errors = [
    ...(objects ?? []).map((row, index): FieldError | null => {
      const field = `${OBJECTS}[${index}]`;
      if (row === null) return { ...noSuch(object.title), field };
      return row.workspaceId === workspaceId ? null : { ...elsewhere, field };
    }),
    ...(tags ?? []).map((row, index) =>
      row !== null && (workspaceId === null || row.workspaceId === workspaceId)
        ? null
        : { ...noSuch(tag.title), field: `${TAGS}[${index}]` },
    ),
  ].filter((error) => error !== null);
  if (errors.length > 0 || workspaceId === null) throw invalidFields(errors.slice(0, MAX_ERRORS));
  return { workspaceId, objectIds: [...new Set(objectIds)], tagIds: [...new Set(tagIds)] };
}

/** Blames the ids for what the locked rows do not allow, and the tags for one that was deleted meanwhile. */
function toInvalid(error: unknown, { object, tag, most }: TagFamily, objectIds: readonly bigint[]): unknown {
  if (error instanceof UntaggableObjects) {
    const { reason, ids } = error;
    const fault =
      reason === 'missing'
        ? noSuch(object.title)
        : moreThan(withArticle(object.title.toLowerCase()), most, 'tags');
    return invalidFields(
      ids.slice(0, MAX_ERRORS).map((id) => ({ ...fault, field: `${OBJECTS}[${objectIds.indexOf(id)}]` })),
    );
  }
  const isTagGone = !(error instanceof AppError) && violationOf(error)?.kind === 'reference';
  return isTagGone ? invalid(TAGS, noSuch(tag.title), { cause: error }) : error;
}
