// Makes the GraphQL fields for other objects from a noun's description: the objects that it refers to (`page` for `pageId`, `pages` for `pageIds`)
// and its children.
import type { FieldMap } from '@pothos/core';
import { typeOf } from '../resources/description/field-types.ts';
import type { Field, Fields } from '../resources/description/fields.ts';
import { graphqlNameOf, referenceFieldName } from '../resources/description/names.ts';
import { childLists } from '../resources/description/resource.ts';
import { isPermanent, NOUNS } from '../resources/nouns.ts';
import type { Types } from './builder.ts';
import type { GraphContext } from './context.ts';
import { assumedRows } from './field-options.ts';
import { yieldToEventLoop } from './limits/long-work.ts';
import type { NodeType } from './nodes.ts';
import { isShown } from './resource-fields.ts';

type FieldBuilder<Row> = PothosSchemaTypes.ObjectFieldBuilder<Types, Row>;
/** The properties of a row that refer to other objects: the id of one, the ids of several, or the rows of its children. */
type WithId = Readonly<Record<string, bigint | null>>;
type WithIds = Readonly<Record<string, readonly bigint[]>>;
type WithChildren = Readonly<Record<string, readonly object[]>>;

/**
 * The fields with the objects that a noun refers to. An object that is deleted, hidden or not accessible to the caller is null, and
 * is left out of lists. A field is non-null if this cannot happen.
 * @param nodeOf the type of node of a noun
 * @param isReadable whether every caller that may read the noun may read objects of a type
 */
export function referenceFields(
  t: object,
  fields: Fields,
  nodeOf: (type: string) => NodeType<object>,
  isReadable: (node: NodeType<object>) => boolean,
): FieldMap {
  const shown = Object.entries(fields).filter(
    // Long lists are connections (nouns.ts).
    ([, field]) => field.refers !== undefined && field.paged === undefined && isShown(field),
  );
  return Object.fromEntries(
    shown.map(([property, field]) => {
      const node = nodeOf(field.refers?.type ?? '');
      const made = typeOf(field.type).isList
        ? listField(t as FieldBuilder<WithIds>, property, field, node, isReadable(node))
        : objectField(t as FieldBuilder<WithId>, property, field, node, isReadable(node));
      return [referenceFieldName(graphqlNameOf(property, field)), made];
    }),
  );
}

/** The lists of children that are part of a noun. They are read with its rows. @param nodeOf the type of node of a noun */
export function childFields(t: object, fields: Fields, nodeOf: (type: string) => NodeType<object>): FieldMap {
  const lists = childLists({ fields }).filter(([, field]) => isShown(field));
  const shown = lists.map(([property, { children, description, maxLength, graphqlName = property }]) => {
    const node = nodeOf(children?.type ?? '');
    const field = (t as FieldBuilder<WithChildren>).field({
      type: [node.ref],
      description: `${description} Not paginated: there are at most ${maxLength}.`,
      // The children are part of the object and need no scope of their own.
      scope: null,
      columns: [property],
      below: true,
      rows: assumedRows(maxLength),
      resolve: (row) => row[property] as readonly object[],
    });
    return [graphqlName, field];
  });
  return Object.fromEntries(shown);
}

/** The description of the object in place of its id; undefined if the one of the id says nothing about it. */
function ofId({ description }: Field): string | undefined {
  const [, object] = /^The integer id of t(he .*)$/s.exec(description) ?? [];
  return object && `T${object}`;
}

function objectField(
  t: FieldBuilder<WithId>,
  property: string,
  field: Field,
  node: NodeType<object>,
  isReadable: boolean,
): FieldMap[string] {
  const { refers, nullable = false } = field;
  const description = field.objectDescription ?? ofId(field) ?? `The ${refers?.title.toLowerCase()}.`;
  const noun = NOUNS.find(({ type }) => type === refers?.type);
  const always = isReadable && !nullable && noun !== undefined && isPermanent(noun);
  return node.field(t, property, description, { isJoined: true, always });
}

function listField(
  t: FieldBuilder<WithIds>,
  property: string,
  field: Field,
  node: NodeType<object>,
  isReadable: boolean,
): FieldMap[string] {
  return t.field({
    type: [node.ref],
    // Pothos cannot infer whether a boolean variable is true.
    nullable: !isReadable as true,
    description:
      field.objectDescription ??
      field.description.replace(/^The integer ids of (.)/, (_, first: string) => first.toUpperCase()),
    ...(node.scope !== null && { scope: node.scope }),
    columns: [property],
    rows: assumedRows(field.maxLength),
    idsIn: property,
    resolve: (row, _args, ctx) => loadExisting(ctx, node, row[property] as readonly bigint[]),
  });
}

/** The most objects of one list that are loaded at once. */
const IDS_AT_ONCE = 250;

/** The objects with these ids, without those that are deleted, hidden or not accessible to the caller. */
export async function loadExisting<Row>(
  ctx: GraphContext,
  type: NodeType<Row>,
  ids: readonly bigint[],
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
    // Lists of usual length are loaded in one batch with other lists.
    if (ids.length > IDS_AT_ONCE) await yieldToEventLoop();
    const some = await Promise.all(ids.slice(start, start + IDS_AT_ONCE).map((id) => type.load(ctx, id)));
    rows.push(...some.filter((row) => row !== null));
  }
  return rows;
}
