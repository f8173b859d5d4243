// The scopes that the payload of a mutation needs in addition to that of the change: a caller with only the write scope sees only ids.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { readScopeOf, type Scope } from '../auth/scopes.ts';
import { fieldOptions, typeOptions } from './field-options.ts';

/** The fields of a changed object that every caller sees. The cursor of an edge is made from the id. */
const IDS = new Set(['__typename', 'id', 'databaseId', 'publicId']);

/** The document of a mutation. */
interface Selected {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/** The scopes that the selection in a mutation's payload needs. @param nodes the nodes of the mutation in the document */
export function scopesOfPayload(
  { schema, fragments }: Selected,
  mutation: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
): ReadonlySet<Scope> {
  const { scope: writeScope } = fieldOptions(mutation);
  const readScope = writeScope == null ? null : readScopeOf(writeScope);
  const needed = new Set<Scope>();
  const visited = new Set<string>();

  /** @param scope the scope to read more than ids; null: it depends on the fields below */
  function addSelections(
    { selections }: SelectionSetNode,
    type: GraphQLNamedType,
    scope: Scope | null,
  ): void {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) addField(selection, type, scope);
      else {
        const spread = selection.kind === Kind.FRAGMENT_SPREAD ? selection.name.value : null;
        const key = `${spread} ${type.name} ${scope}`;
        if (spread !== null && visited.has(key)) continue;
        visited.add(key);
        const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(spread ?? '') : selection;
        const narrowed = schema.getType(fragment?.typeCondition?.name.value ?? '');
        if (fragment !== undefined)
          addSelections(fragment.selectionSet, isCompositeType(narrowed) ? narrowed : type, scope);
      }
    }
  }

  function addField({ name, selectionSet }: FieldNode, parent: GraphQLNamedType, scope: Scope | null): void {
    if (IDS.has(name.value)) return;
    if (scope !== null) needed.add(scope);
    const field =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name.value] : undefined;
    if (scope !== null || field === undefined) return;
    // A field with a scope of its own checks it too, but only after the change.
    const { scope: own } = fieldOptions(field);
    if (own != null) needed.add(own);
    const type = getNamedType(field.type);
    if (own != null || selectionSet === undefined || isLeafType(type)) return;
    addSelections(selectionSet, type, scopeToSee(type));
  }

  function scopeToSee(type: GraphQLNamedType): Scope | null {
    const { scope } = typeOptions(type);
    if (scope !== undefined) return scope;
    const isNode = isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node');
    // Every caller may read nouns without a scope, and their open fields; an edge is treated like its node.
    return isNode || type.name.endsWith('Edge') ? null : readScope;
  }

  const payload = getNamedType(mutation.type);
  for (const { selectionSet } of nodes) if (selectionSet) addSelections(selectionSet, payload, null);
  return needed;
}

/** Whether a mutation's selection of a payload field has more of its objects than their ids. */
export function selectsMoreThanIds(
  { fieldNodes, fragments }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>,
  payloadField: string,
): boolean {
  /** Each fragment is visited once in a place: nested fragments may spread each other exponentially often. */
  const some = (
    selectionSet: SelectionSetNode | undefined,
    test: (field: FieldNode) => boolean,
    visited = new Set<string>(),
  ): boolean =>
    (selectionSet?.selections ?? []).some((selection) => {
      if (selection.kind === Kind.FIELD) return test(selection);
      if (selection.kind === Kind.INLINE_FRAGMENT) return some(selection.selectionSet, test, visited);
      const name = selection.name.value;
      if (visited.has(name)) return false;
      visited.add(name);
      return some(fragments[name]?.selectionSet, test, visited);
    });
  return fieldNodes.some(({ selectionSet }) =>
    some(
      selectionSet,
      ({ name, selectionSet: below }) =>
        name.value === payloadField && some(below, (field) => !IDS.has(field.name.value)),
    ),
  );
}
