// Look-ahead: computes which columns a selection needs, from the options of its fields (field-options.ts). A field exposes one column,
// names the columns that its resolver reads (`columns`), or returns the same rows (`sameRows`). If one field declares none of these, all
// columns are read.
import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { Projection } from '../services/reads.ts';
import { exposedColumn, fieldOptions } from './field-options.ts';

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
  const projection = new LookAhead(info).columnsOf(node, info.returnType);
  projections.set(node, projection);
  return projection;
}

const keys = new WeakMap<readonly string[], string>();

/** A key for the projection, built once for each. */
export function projectionKey(projection: Projection): string {
  if (projection === null) return '*';
  const key = keys.get(projection) ?? projection.join(' ');
  keys.set(projection, key);
  return key;
}

class LookAhead {
  readonly schema: GraphQLSchema;
  readonly fragments: ResolveInfo['fragments'];
  private readonly columns = new Set<string>();
  private readonly visited = new Set<string>();

  constructor({ schema, fragments }: Pick<ResolveInfo, 'schema' | 'fragments'>) {
    this.schema = schema;
    this.fragments = fragments;
  }

  columnsOf(node: FieldNode, type: GraphQLOutputType): Projection {
    if (!this.addSelectionOf(node, type)) return null;
    return [...this.columns].sort();
  }

  /** Adds the columns of a field's selection on every possible type; false when all columns are needed. */
  private addSelectionOf({ selectionSet }: FieldNode, returned: GraphQLOutputType): boolean {
    const type = getNamedType(returned);
    if (selectionSet === undefined) return false;
    if (isObjectType(type)) return this.addSelections(selectionSet, type);
    return (
      isAbstractType(type) &&
      this.schema.getPossibleTypes(type).every((possible) => this.addSelections(selectionSet, possible))
    );
  }

  private addSelections({ selections }: SelectionSetNode, type: GraphQLObjectType): boolean {
    return selections.every((selection) => {
      if (selection.kind === Kind.FIELD) return this.addField(selection, type);
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        // Visit each fragment once per type: nested fragments may spread each other exponentially often.
        const key = `${selection.name.value} ${type.name}`;
        if (this.visited.has(key)) return true;
        this.visited.add(key);
      }
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : this.fragments[selection.name.value];
      if (fragment === undefined) return false;
      return (
        !this.typeConditionApplies(type, fragment.typeCondition?.name.value) ||
        this.addSelections(fragment.selectionSet, type)
      );
    });
  }

  private typeConditionApplies(type: GraphQLObjectType, condition: string | undefined): boolean {
    if (condition === undefined || condition === type.name) return true;
    const abstract = this.schema.getType(condition);
    return isAbstractType(abstract) && this.schema.isSubType(abstract, type);
  }

  private addField(node: FieldNode, type: GraphQLObjectType): boolean {
    if (node.name.value === '__typename') return true;
    const field = type.getFields()[node.name.value];
    if (field === undefined) return false;
    const { columns, sameRows } = fieldOptions(field);
    for (const column of columns ?? []) this.columns.add(column);
    if (sameRows === true) return this.addSelectionOf(node, field.type);
    if (columns !== undefined) return true;
    const exposed = exposedColumn(field);
    if (exposed === null) return false;
    this.columns.add(exposed);
    return true;
  }
}
