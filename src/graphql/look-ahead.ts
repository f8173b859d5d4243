// Looking ahead: which columns a selection needs, read off the schema. A field shows one column, or says which ones its resolver
// looks at (`columns`), or leads on to parts of the same rows (`sameRows`). One field that says nothing makes it all of them.
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
import { columnShownBy, fieldOptions } from './field-options.ts';

/** What resolvers are told of the field that they resolve. */
export type ResolveInfo = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'returnType' | 'schema'>;

const known = new WeakMap<FieldNode, Projection>();

/** The columns that a field's selection needs of its objects, or of the nodes where it is a connection. */
export function lookAhead(info: ResolveInfo): Projection {
  const [node] = info.fieldNodes;
  if (node === undefined || info.fieldNodes.length > 1) return null;
  const found = known.get(node);
  if (found !== undefined) return found;
  const projection = new LookAhead(info).of(node, info.returnType);
  known.set(node, projection);
  return projection;
}

const keys = new WeakMap<readonly string[], string>();

/** What tells projections apart; put together once a field of a document. */
export function keyOf(projection: Projection): string {
  if (projection === null) return '*';
  const key = keys.get(projection) ?? projection.join(' ');
  keys.set(projection, key);
  return key;
}

class LookAhead {
  private readonly schema: GraphQLSchema;
  private readonly fragments: ResolveInfo['fragments'];
  private readonly columns = new Set<string>();
  private readonly spread = new Set<string>();

  constructor({ schema, fragments }: ResolveInfo) {
    this.schema = schema;
    this.fragments = fragments;
  }

  of(node: FieldNode, type: GraphQLOutputType): Projection {
    return this.addBelow(node, type) ? [...this.columns].sort() : null;
  }

  /** Adds what a field's selection needs, whichever type its objects are of; false when that cannot be told. */
  private addBelow({ selectionSet }: FieldNode, returned: GraphQLOutputType): boolean {
    const type = getNamedType(returned);
    if (selectionSet === undefined) return false;
    if (isObjectType(type)) return this.add(selectionSet, type);
    return (
      isAbstractType(type) &&
      this.schema.getPossibleTypes(type).every((possible) => this.add(selectionSet, possible))
    );
  }

  private add({ selections }: SelectionSetNode, on: GraphQLObjectType): boolean {
    return selections.every((selection) => {
      if (selection.kind === Kind.FIELD) return this.addField(selection, on);
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        // Once is enough: fragments in fragments may name each other very often.
        const key = `${selection.name.value} ${on.name}`;
        if (this.spread.has(key)) return true;
        this.spread.add(key);
      }
      const within =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : this.fragments[selection.name.value];
      if (within === undefined) return false;
      return !this.applies(on, within.typeCondition?.name.value) || this.add(within.selectionSet, on);
    });
  }

  private applies(on: GraphQLObjectType, condition: string | undefined): boolean {
    if (condition === undefined || condition === on.name) return true;
    const type = this.schema.getType(condition);
    return isAbstractType(type) && this.schema.isSubType(type, on);
  }

  private addField(node: FieldNode, on: GraphQLObjectType): boolean {
    if (node.name.value === '__typename') return true;
    const field = on.getFields()[node.name.value];
    if (field === undefined) return false;
    const { columns, sameRows } = fieldOptions(field);
    for (const column of columns ?? []) this.columns.add(column);
    if (sameRows === true) return this.addBelow(node, field.type);
    if (columns !== undefined) return true;
    const shown = columnShownBy(field);
    if (shown === null) return false;
    this.columns.add(shown);
    return true;
  }
}
