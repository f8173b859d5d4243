// The tags of objects: one interface for the tags of all kinds of objects, and one connection, whose edges say when a tag was applied.
import type { FieldMap } from '@pothos/core';
import { encodeCursor } from '../cursors.ts';
import { type ConnectionArgs, parseConnectionArgs, partOf } from '../pagination.ts';
import type { Resource } from '../resources/description/resource.ts';
import type { TagFamily } from '../resources/tag-families.ts';
import { type TagOnObjectRow, tagOnObject } from '../resources/tags.ts';
import { joinedColumnName, layoutOf } from '../rows/columns.ts';
import { builder, rowOf, type Types } from './builder.ts';
import { KnownPageInfo, PageInfo } from './connection.ts';
import type { GraphContext } from './context.ts';
import { assumedValues } from './field-options.ts';
import { pageArguments } from './list-arguments.ts';
import { lookAhead } from './look-ahead.ts';
import type { NodeType } from './nodes.ts';
import { familyOf, Tag, Taggable } from './taggable.ts';

type AnyNode = NodeType<{ readonly id: bigint }>;
/** Finds the type of a noun's objects by the noun's `type`. */
type NodeOf = (type: string) => AnyNode;

/** A tag as the objects that have it show it, and the workspace of both. */
interface ShownTag extends TagOnObjectRow {
  readonly workspaceId: bigint;
}

/** A tag of one object. */
interface TagEdge {
  readonly tag: ShownTag;
  readonly appliedAt: Date;
  readonly of: AnyNode;
}

/** A page of the tags of one object. */
interface TagPage {
  readonly edges: readonly TagEdge[];
  readonly total: number;
  readonly hasPreviousPage: boolean;
  readonly hasNextPage: boolean;
}

/** In cursors. */
const KIND = 'applied_tags';

/** The properties of a tag that each object with the tag has; any other is read. */
const SHOWN: ReadonlySet<string> = new Set(['id', 'publicId', 'name', 'color', 'workspaceId']);

const Edge = builder.objectRef<TagEdge>('TagEdge').implement({
  description: 'A tag of an object, and when it was applied.',
  fields: (t) => ({
    cursor: t.string({
      description: 'The position in the list, for the arguments after and before.',
      columns: [],
      resolve: cursorOf,
    }),
    appliedAt: t.expose('appliedAt', {
      type: 'DateTime',
      description: tagOnObject.appliedAt.description,
      columns: [],
    }),
    node: t.field({
      type: Tag,
      description: 'The tag that was applied.',
      sameRows: true,
      resolve: (edge, _args, ctx, info) => rowOf<{ id: bigint }>(nodeOf(edge, ctx, lookAhead(info))),
    }),
  }),
});

const Connection = builder.objectRef<TagPage>('TagConnection').implement({
  description: 'A page of the tags of an object.',
  fields: (t) => ({
    edges: t.field({
      type: [Edge],
      description: 'The tags in order, each with its cursor and the time at which it was applied.',
      sameRows: true,
      rows: assumedValues(),
      resolve: ({ edges }) => edges,
    }),
    nodes: t.field({
      type: [Tag],
      description: 'The tags in order.',
      sameRows: true,
      rows: assumedValues(),
      resolve: ({ edges }, _args, ctx, info) => {
        const projection = lookAhead(info);
        return edges.map((edge) => rowOf<{ id: bigint }>(nodeOf(edge, ctx, projection)));
      },
    }),
    pageInfo: t.field({
      type: PageInfo,
      description: 'The start and end of the page, and whether more tags exist.',
      columns: [],
      resolve: ({ edges, hasPreviousPage, hasNextPage }) =>
        new KnownPageInfo({
          startCursor: edges[0] === undefined ? null : cursorOf(edges[0]),
          endCursor: edges.length === 0 ? null : cursorOf(edges.at(-1) as TagEdge),
          hasPreviousPage,
          hasNextPage,
        }),
    }),
    totalCount: t.int({
      description: 'The number of tags of the object.',
      columns: [],
      resolve: ({ total }) => total,
    }),
    totalCountIsExact: t.boolean({
      description: 'Whether totalCount is exact. The tags of an object always are counted completely.',
      columns: [],
      resolve: () => true,
    }),
  }),
});

function cursorOf({ tag: { appliedAt, id } }: TagEdge): string {
  return encodeCursor(KIND, id, 'updatedAt', appliedAt);
}

/** The tag of an edge: as the object shows it or, for more of its fields, from one statement for all. */
function nodeOf({ tag, of }: TagEdge, ctx: GraphContext, projection: readonly string[] | null) {
  if (projection?.every((column) => SHOWN.has(column))) return { ...tag, tagType: of.name };
  return of.load(ctx, tag.id, projection).then((row) => row && Object.assign(row, { tagType: of.name }));
}

const DESCRIPTION = 'The tags of the object, in the order in which they were applied.';
const COLUMNS = ['id', 'workspaceId'] as const;

builder.interfaceField(Taggable, 'tags', (t) =>
  t.field({
    type: Connection,
    description: DESCRIPTION,
    args: pageArguments,
    columns: ['id'],
    resolve: () => {
      throw new TypeError('Each type has a resolver of its own');
    },
  }),
);

interface TaggedRow {
  readonly id: bigint;
  readonly workspaceId: bigint;
  readonly tags?: readonly TagOnObjectRow[];
}

/** The name of the column that has an object's tags, if they are read with it. */
const JOINED = joinedColumnName('tags');

/** The field `tags` of a noun whose objects can have tags. */
export function tagsField(t: object, noun: Pick<Resource, 'type'>, nodeOfNoun: NodeOf): FieldMap {
  const family = familyOf(noun);
  if (family === undefined) return {};
  const isShown = showsTags(family);
  const field = (t as PothosSchemaTypes.ObjectFieldBuilder<Types, TaggedRow>).field({
    type: Connection,
    description: DESCRIPTION,
    args: pageArguments,
    columns: isShown ? [...COLUMNS, 'tags'] : COLUMNS,
    ...(!isShown && { below: true as const }),
    resolve: (row, args, ctx) => {
      const of = nodeOfNoun(family.tag.type);
      const tags = isShown ? row.tags : joinedTags(row);
      if (tags !== undefined) return pageOf(row, tags, args, of);
      return nodeOfNoun(noun.type)
        .load(ctx, row.id, ['id', 'workspaceId', 'tags()'])
        .then((read) => pageOf(row, (read && joinedTags(read)) ?? [], args, of));
    },
  });
  return { tags: field };
}

/** Whether REST shows the tags of an object with the times at which they were applied, so that its row always has them. */
function showsTags({ object }: TagFamily): boolean {
  const { tags }: Resource['fields'] = object.fields;
  return tags?.items === tagOnObject;
}

function joinedTags(row: object): readonly TagOnObjectRow[] | undefined {
  if (layoutOf(row)?.has(JOINED) !== true) return undefined;
  return (row as Readonly<Record<string, readonly TagOnObjectRow[]>>)[JOINED];
}

/** @throws AppError `invalid` for what is wrong with the arguments */
function pageOf(
  { workspaceId }: TaggedRow,
  tags: readonly TagOnObjectRow[],
  args: ConnectionArgs,
  of: AnyNode,
): TagPage {
  const request = parseConnectionArgs(KIND, args, 'asc', { sort: 'updatedAt' });
  const { after, afterValue, before, beforeValue } = request;
  const all = tags.toSorted(compare);
  const start =
    after === null
      ? 0
      : countWhile(all, (tag) => compare(tag, { id: after, appliedAt: afterValue as Date }) <= 0);
  const end =
    before === null
      ? all.length
      : countWhile(all, (tag) => compare(tag, { id: before, appliedAt: beforeValue as Date }) < 0);
  const { from, to, ...info } = partOf(all.length, start, end, request);
  return {
    edges: all.slice(from, to).map((tag) => ({
      tag: withWorkspace(tag, workspaceId),
      appliedAt: tag.appliedAt,
      of,
    })),
    total: all.length,
    ...info,
  };
}

function withWorkspace(
  { id, publicId, name, color, appliedAt }: TagOnObjectRow,
  workspaceId: bigint,
): ShownTag {
  return { id, publicId, name, color, appliedAt, workspaceId };
}

/** By the time of application, then by the id of the tag. */
function compare(
  one: Pick<TagOnObjectRow, 'id' | 'appliedAt'>,
  other: Pick<TagOnObjectRow, 'id' | 'appliedAt'>,
): number {
  const times = one.appliedAt.getTime() - other.appliedAt.getTime();
  return times !== 0 ? times : Number(one.id > other.id) - Number(one.id < other.id);
}

function countWhile<T>(list: readonly T[], test: (item: T) => boolean): number {
  const index = list.findIndex((item) => !test(item));
  return index < 0 ? list.length : index;
}
