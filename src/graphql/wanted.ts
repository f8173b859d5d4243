// Which columns a selection needs, read off the schema: a field shows one column, or says which ones its resolver looks
// at (`extensions.columns`). One field that says nothing makes it all of them.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  type InlineFragmentNode,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { WantedColumns } from '../services/reads.ts';

/** What resolvers are told of their place in the document. */
export type Place = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'returnType'>;

/** Fields of connections and edges that lead to their nodes. */
const TO_NODES = ['nodes', 'edges', 'node'];

const known = new WeakMap<FieldNode, WantedColumns>();

/** The columns that a field's selection needs of its objects, or of the nodes where it is a connection. */
export function wantedColumns({ fieldNodes, fragments, returnType }: Place): WantedColumns {
  const [node] = fieldNodes;
  if (node === undefined || fieldNodes.length > 1) return null;
  const found = known.get(node);
  if (found !== undefined) return found;
  const columns = new Set<string>();
  const spread = new Set<string>();
  const type = getNamedType(returnType);
  const complete =
    isObjectType(type) && node.selectionSet !== undefined && add(node.selectionSet, type, columns);
  const wanted = complete ? [...columns].sort() : null;
  known.set(node, wanted);
  return wanted;

  function add(set: SelectionSetNode, on: GraphQLObjectType, into: Set<string>): boolean {
    return set.selections.every((selection) => {
      if (selection.kind === Kind.FIELD) return addField(selection, on, into);
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        // Once is enough: fragments in fragments may name each other very often.
        if (spread.has(selection.name.value)) return true;
        spread.add(selection.name.value);
      }
      const within =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : (fragments[selection.name.value] ?? null);
      return within !== null && isFor(on, within) && add(within.selectionSet, on, into);
    });
  }

  function addField({ name, selectionSet }: FieldNode, on: GraphQLObjectType, into: Set<string>): boolean {
    if (name.value === '__typename') return true;
    const field = on.getFields()[name.value];
    if (field === undefined) return false;
    const inner = getNamedType(field.type);
    const { pothosExposedField: shown, columns: looksAt } = field.extensions;
    if (/(Connection|Edge)$/.test(on.name)) {
      if (!TO_NODES.includes(name.value)) {
        into.add('id');
        return true;
      }
      return isObjectType(inner) && selectionSet !== undefined && add(selectionSet, inner, into);
    }
    if (typeof shown === 'string' && field.resolve === undefined) into.add(shown);
    else if (Array.isArray(looksAt)) for (const column of looksAt) into.add(String(column));
    else return false;
    return true;
  }
}

/** Whether a fragment is for this very type; on any other it is not looked into. */
function isFor(
  on: GraphQLObjectType,
  { typeCondition }: FragmentDefinitionNode | InlineFragmentNode,
): boolean {
  return typeCondition === undefined || typeCondition.name.value === on.name;
}

const mentioned = new WeakMap<FieldNode, Set<string>>();

/** Whether a field's selection has a field of this name anywhere in it, fragments included. */
export function mentions(
  { fieldNodes, fragments }: Pick<Place, 'fieldNodes' | 'fragments'>,
  name: string,
): boolean {
  return fieldNodes.some((node) => {
    let names = mentioned.get(node);
    if (names === undefined) {
      names = namesIn(node, fragments);
      mentioned.set(node, names);
    }
    return names.has(name);
  });
}

function namesIn(node: FieldNode, fragments: Place['fragments']): Set<string> {
  const names = new Set<string>();
  const spread = new Set<string>();
  const waiting: (SelectionSetNode | undefined)[] = [node.selectionSet];
  for (let set = waiting.pop(); set !== undefined || waiting.length > 0; set = waiting.pop()) {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) names.add(selection.name.value);
      if (selection.kind !== Kind.FRAGMENT_SPREAD) waiting.push(selection.selectionSet);
      else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        waiting.push(fragments[selection.name.value]?.selectionSet);
      }
    }
  }
  return names;
}
