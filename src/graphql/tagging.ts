// The mutations that apply tags to many objects, or remove them.
import { brandWithType } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { coversScope, requireCaller, requireScope } from '../auth/scopes.ts';
import { type FieldError, invalidFields, mustBe, mustBeId } from '../errors.ts';
import { withArticle } from '../resources/description/names.ts';
import { MAX_TAGGED, MAX_TAGS_AT_ONCE, TAG_FAMILIES, type TagFamily } from '../resources/tag-families.ts';
import { changeTags, findTagged, tagReadScope } from '../services/tagging.ts';
import type { GraphContext } from './context.ts';
import { decodeGlobalId, type ObjectId } from './global-ids.ts';
import { lookAhead } from './look-ahead.ts';
import { defineMutation, type PayloadBuilder } from './mutations.ts';
import type { NodeType } from './nodes.ts';
import { nodeOf } from './nouns.ts';
import { selectsMoreThanIds } from './payload-scopes.ts';
import { Taggable } from './taggable.ts';

/** The most ids that are blamed. */
const MAX_ERRORS = 20;

type AnyNode = NodeType<{ id: bigint }>;
interface NamedFamily {
  readonly family: TagFamily;
  readonly object: AnyNode;
  readonly tag: AnyNode;
}

const FAMILIES: readonly NamedFamily[] = TAG_FAMILIES.map((family) => ({
  family,
  object: nodeOf(family.object) as object as AnyNode,
  tag: nodeOf(family.tag) as object as AnyNode,
}));
const NAMES = FAMILIES.map(({ object }) => object.name);
const TAG_NAMES = FAMILIES.map(({ tag }) => tag.name);
const ANY_OBJECT = `the id of ${withArticle(NAMES.slice(0, -1).join(', '))} or ${NAMES.at(-1)}`;

/** The objects whose tags were changed. */
interface Tagged extends NamedFamily {
  readonly objectIds: readonly bigint[];
}

for (const [name, what, description] of [
  [
    'addTags',
    'add',
    'Applies each of the tags to each of the objects. A tag that an object already has stays as it is.',
  ],
  [
    'removeTags',
    'remove',
    'Removes each of the tags from each of the objects. A tag that an object does not have is ignored.',
  ],
] as const)
  defineMutation(name, {
    description: `${description} All objects are of one kind, and the tags of that kind. Either everything is changed or nothing. It needs the scope to change the objects.`,
    scope: null,
    of: [],
    inputs: (t) => ({
      taggableIds: t.idList({
        required: true,
        description: `The global ids of at most ${MAX_TAGGED} objects of one kind, in one workspace: ${NAMES.join(', ')}.`,
      }),
      tagIds: t.idList({
        required: true,
        description: `The global ids of at most ${MAX_TAGS_AT_ONCE} tags of the same kind and workspace.`,
      }),
    }),
    async change(ctx, _ids, _input, options, given, info): Promise<Tagged> {
      const { named, objectIds, tagIds } = parseIds(
        given['taggableIds'] as readonly string[],
        given['tagIds'] as readonly string[],
      );
      requirePayloadScope(ctx, named.family, info);
      await changeTags(ctx, what, named.family, objectIds, tagIds, options);
      return { ...named, objectIds: [...new Set(objectIds)] };
    },
    payload: (t) => ({ taggables: taggablesField(t) }),
  });

/** The objects after the change. */
function taggablesField(t: PayloadBuilder<Tagged>) {
  return t.field({
    type: [Taggable],
    nullable: true,
    description:
      'The objects after the change, each once, in the order of the input. Fields other than their ids need the scope to read them.',
    scope: null,
    rowsOf: 'taggableIds',
    async resolve({ result: { family, object, objectIds } }, _args, ctx, info) {
      const projection = lookAhead(info);
      const rows = mayRead(ctx, family)
        ? await Promise.all(objectIds.map((id) => object.load(ctx, id, projection)))
        : await findTagged(ctx, family, objectIds);
      const found = rows.filter((row) => row !== null);
      for (const row of found) brandWithType(row, object.typeOf(row));
      return found as never;
    },
  });
}

function mayRead({ actor }: GraphContext, family: TagFamily): boolean {
  return coversScope(requireCaller({ actor }).scopes, tagReadScope(family));
}

/** Refuses a payload that the caller may not read before anything is changed. @throws AppError `insufficient_scope` */
function requirePayloadScope(ctx: GraphContext, family: TagFamily, info: GraphQLResolveInfo): void {
  if (selectsMoreThanIds(info, 'taggables')) requireScope(ctx, tagReadScope(family));
}

/** @throws AppError `invalid` with each id of another kind than the first object and its tags */
function parseIds(taggables: readonly string[], tags: readonly string[]) {
  const objects = taggables.map(decodeGlobalId);
  const named = FAMILIES.find(({ object }) => object.name === objects[0]?.typeName);
  const objectKind = named?.object.name;
  const tagKind = named?.tag.name;
  const errors: FieldError[] = [
    ...(taggables.length > 0 && named === undefined
      ? [{ ...mustBeId(ANY_OBJECT), field: 'taggableIds[0]' }]
      : []),
    ...(objectKind === undefined
      ? []
      : objects.flatMap((id, index) => wrongKinds(id, objectKind, NAMES, `taggableIds[${index}]`))),
    ...(tagKind === undefined
      ? []
      : tags.flatMap((id, index) => wrongKinds(decodeGlobalId(id), tagKind, TAG_NAMES, `tagIds[${index}]`))),
  ];
  if (errors.length > 0) throw invalidFields(errors.slice(0, MAX_ERRORS));
  const idsOf = (ids: readonly (ObjectId | null)[]) => ids.map((id) => id?.id ?? 0n);
  // Without any object, the service says what is missing.
  const [first] = FAMILIES;
  if (first === undefined) throw new TypeError('No object has tags');
  return { named: named ?? first, objectIds: idsOf(objects), tagIds: idsOf(tags.map(decodeGlobalId)) };
}

/** @param kinds those of all families: a person may mix them, while other ids are the program's mistake */
function wrongKinds(
  id: ObjectId | null,
  expected: string,
  kinds: readonly string[],
  field: string,
): FieldError[] {
  const typeName = id?.typeName ?? '';
  if (typeName === expected) return [];
  const text = `the id of ${withArticle(expected)}`;
  return [
    kinds.includes(typeName) ? { ...mustBe(text), code: 'wrong_kind', field } : { ...mustBeId(text), field },
  ];
}
