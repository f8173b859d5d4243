// Which columns a selection needs, read off the schema: a field shows one column, or says which ones its resolver looks
// at (`extensions.columns`), or leads to parts of the same rows (`extensions.sameRows`). One field that says nothing
// makes it all of them.
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
import type { WantedColumns } from '../services/reads.ts';

/** What resolvers are told of their place in the document. */
export type Place = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'returnType' | 'schema'>;

const known = new WeakMap<FieldNode, WantedColumns>();

/** The columns that a field's selection needs of its objects, or of the nodes where it is a connection. */
export function wantedColumns(place: Place): WantedColumns {
  const [node] = place.fieldNodes;
  if (node === undefined || place.fieldNodes.length > 1) return null;
  const found = known.get(node);
  if (found !== undefined) return found;
  const wanted = new Wanted(place).of(node, place.returnType);
  known.set(node, wanted);
  return wanted;
}

const keys = new WeakMap<readonly string[], string>();

/** What tells wanted columns apart; put together once a field of a document. */
export function keyOf(wanted: WantedColumns): string {
  if (wanted === null) return '*';
  const key = keys.get(wanted) ?? wanted.join(' ');
  keys.set(wanted, key);
  return key;
}

class Wanted {
  private readonly schema: GraphQLSchema;
  private readonly fragments: Place['fragments'];
  private readonly columns = new Set<string>();
  private readonly spread = new Set<string>();

  constructor({ schema, fragments }: Place) {
    this.schema = schema;
    this.fragments = fragments;
  }

  of(node: FieldNode, type: GraphQLOutputType): WantedColumns {
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
    const { pothosExposedField: shown, columns: looksAt, sameRows } = field.extensions;
    if (Array.isArray(looksAt)) for (const column of looksAt) this.columns.add(String(column));
    if (sameRows === true) return this.addBelow(node, field.type);
    if (Array.isArray(looksAt)) return true;
    if (typeof shown !== 'string' || field.resolve !== undefined) return false;
    this.columns.add(shown);
    return true;
  }
}
