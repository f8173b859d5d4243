// The scopes that the payload of a mutation needs besides that of the change: who may change objects but not read them sees their ids alone.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
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

/** What every caller sees of an object that it has changed. The cursor of an edge is made of the id. */
const IDS = new Set(['__typename', 'id', 'databaseId', 'publicId']);

/** A document that a mutation is selected in. */
interface Selected {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/** The scopes to read what is selected of the objects in the payload of a mutation. @param nodes where the mutation is selected */
export function scopesOfPayload(
  { schema, fragments }: Selected,
  mutation: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
): ReadonlySet<Scope> {
  const { scope: writeScope } = fieldOptions(mutation);
  const readScope = writeScope == null ? null : readScopeOf(writeScope);
  const needed = new Set<Scope>();
  const visited = new Set<string>();

  /** @param scope the scope to see more than ids; null: none, so what is below decides */
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
    if (scope !== null || field === undefined || selectionSet === undefined) return;
    const type = getNamedType(field.type);
    if (isLeafType(type)) return;
    // What is read after the change needs its scope anyway.
    const { scope: own } = fieldOptions(field);
    if (own != null) needed.add(own);
    else addSelections(selectionSet, type, scopeToSee(type));
  }

  function scopeToSee(type: GraphQLNamedType): Scope | null {
    const { scope } = typeOptions(type);
    if (scope !== undefined) return scope;
    const isNode = isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node');
    // Nouns without a scope are shown to every caller; an edge is as its node.
    return isNode || type.name.endsWith('Edge') ? null : readScope;
  }

  const payload = getNamedType(mutation.type);
  for (const { selectionSet } of nodes) if (selectionSet) addSelections(selectionSet, payload, null);
  return needed;
}
