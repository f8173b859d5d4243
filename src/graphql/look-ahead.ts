// Look-ahead: computes which columns a selection needs, from the options of its fields (field-options.ts). A field exposes one column,
// lists the columns that its resolver reads (`columns`), or returns the same rows (`sameRows`). If a field declares none of these, all
// columns are read.
import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNamedType,
  isAbstractType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Projection } from '../services/reading/reads.ts';
import { exposedColumn, fieldOptions, typeOptions } from './field-options.ts';
import { fragmentApplies } from './fragments.ts';

/** The part of a resolver's `info` that look-ahead needs. */
export type ResolveInfo = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'returnType' | 'schema'>;

const projections = new WeakMap<FieldNode, Projection>();

/**
 * The columns that a field's selection needs of the rows that the field returns (for a connection: of its nodes); null for all columns.
 * Computed once for each field of a cached document.
 */
export function lookAhead(info: ResolveInfo): Projection {
  const [node] = info.fieldNodes;
  if (node === undefined || info.fieldNodes.length > 1) return null;
  const cached = projections.get(node);
  if (cached !== undefined) return cached;
  const projection = columnsOf(info, node, info.returnType);
  projections.set(node, projection);
  return projection;
}

/** The entry of a projection for rows below a field: `field(columns)`. The parent's own columns have no parentheses. */
const nestedEntry = (field: string, columns: readonly string[]) => `${field}(${columns.join(' ')})`;

const keys = new WeakMap<readonly string[], string>();

/** A key for the projection, built once for each. */
export function projectionKey(projection: Projection): string {
  if (projection === null) return '*';
  const key = keys.get(projection) ?? projection.join(' ');
  keys.set(projection, key);
  return key;
}

/** The columns that a field's selection needs; null for all columns. @param isJoined the rows are joined to others, and nothing to them */
function columnsOf(
  info: Pick<ResolveInfo, 'schema' | 'fragments'>,
  node: FieldNode,
  type: GraphQLOutputType,
  isJoined = false,
): Projection {
  const { schema, fragments } = info;
  const columns = new Set<string>();
  const visited = new Set<string>();
  /**
   * By the name of a field with the option `below`, or the column of `joins`: its node in the document, and the projection of its rows. The
   * projection is null if the field is selected more than once.
   */
  const below = new Map<string, { readonly node: FieldNode; readonly projection: Projection }>();

  /** Adds the columns of a field's selection on every possible type; false when all columns are needed. */
  function addSelectionOf({ selectionSet }: FieldNode, returned: GraphQLOutputType): boolean {
    const type = getNamedType(returned);
    if (selectionSet === undefined) return false;
    if (isObjectType(type)) return addSelections(selectionSet, type);
    if (!isAbstractType(type)) return false;
    const { kindBy } = typeOptions(type);
    if (kindBy !== undefined) columns.add(kindBy);
    return schema.getPossibleTypes(type).every((possible) => addSelections(selectionSet, possible));
  }

  function addSelections({ selections }: SelectionSetNode, type: GraphQLObjectType): boolean {
    return selections.every((selection) => {
      if (selection.kind === Kind.FIELD) return addField(selection, type);
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        // Visit each fragment once per type: nested fragments may spread each other exponentially often.
        const key = `${selection.name.value} ${type.name}`;
        if (visited.has(key)) return true;
        visited.add(key);
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value];
      if (fragment === undefined) return false;
      return (
        !fragmentApplies(schema, type, fragment.typeCondition?.name.value) ||
        addSelections(fragment.selectionSet, type)
      );
    });
  }

  function addField(node: FieldNode, type: GraphQLObjectType): boolean {
    if (node.name.value === '__typename') return true;
    const field = type.getFields()[node.name.value];
    if (field === undefined) return false;
    const { columns: own, sameRows, below: isBelow, joins } = fieldOptions(field);
    if (!isJoined && isBelow === true) addBelow(node.name.value, node, field.type);
    if (!isJoined && joins !== undefined) addBelow(joins, node, field.type, true);
    for (const column of own ?? []) columns.add(column);
    if (sameRows === true) return addSelectionOf(node, field.type);
    if (own !== undefined) return true;
    const exposed = exposedColumn(field);
    if (exposed === null) return false;
    columns.add(exposed);
    return true;
  }

  function addBelow(name: string, node: FieldNode, type: GraphQLOutputType, isJoined = false): void {
    const known = below.get(name);
    // The types of an interface share the field.
    if (known?.node === node) return;
    below.set(name, { node, projection: known === undefined ? columnsOf(info, node, type, isJoined) : null });
  }

  if (!addSelectionOf(node, type)) return null;
  for (const [field, { projection }] of below)
    if (projection !== null) columns.add(nestedEntry(field, projection));
  return [...columns].sort();
}
