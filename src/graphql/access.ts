// Refuses operations of anonymous clients that ask for data. The 401 names every scope that the operation needs, taken from the
// scopes that fields and types of the schema declare.
import {
  type DocumentNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { type Scope, unauthenticated } from '../auth/scopes.ts';
import type { GraphContext } from './context.ts';
import { scopeOf, typeOptions } from './field-options.ts';

/**
 * Requires credentials, unless the operation is introspection only.
 * @throws AppError `unauthenticated`, naming every scope that the operation's fields need, in alphabetical order
 */
export function requireCredentials(
  ctx: GraphContext,
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): void {
  if (ctx.actor.kind !== 'anonymous') return;
  const scopes = neededScopes(schema, document, operation);
  if (scopes !== null) throw unauthenticated(ctx.actor, [...scopes].sort().join(' ') || undefined);
}

/** The scopes that an operation's fields need, or null when it is introspection only. */
function neededScopes(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Set<string> | null {
  const scopes = new Set<string>();
  const visited = new Set<string>();
  let asksForData = false;

  function add(scope: Scope | null | undefined): void {
    if (scope != null) scopes.add(scope);
  }

  function narrow(from: GraphQLCompositeType, typeName: string | undefined): GraphQLCompositeType {
    const to = typeName === undefined ? from : schema.getType(typeName);
    if (!isCompositeType(to)) return from;
    // A fragment on a concrete type, for example below `node`, needs the scope of that type.
    if (isAbstractType(from)) add(typeOptions(to).scope);
    return to;
  }

  function visit(selections: SelectionSetNode, type: GraphQLCompositeType): void {
    for (const selection of selections.selections) {
      if (selection.kind === Kind.FIELD) {
        const field = selection.name.value.startsWith('__')
          ? undefined
          : schema.getField(type, selection.name.value);
        if (field === undefined) continue;
        asksForData = true;
        const returned = getNamedType(field.type);
        add(scopeOf(field));
        if (selection.selectionSet && isCompositeType(returned)) visit(selection.selectionSet, returned);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        visit(selection.selectionSet, narrow(type, selection.typeCondition?.name.value));
      } else {
        const name = selection.name.value;
        const fragment = document.definitions.find(
          (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name,
        );
        if (fragment?.kind !== Kind.FRAGMENT_DEFINITION) continue;
        const narrowed = narrow(type, fragment.typeCondition.name.value);
        // Before validation a fragment may contain itself.
        if (visited.has(name)) continue;
        visited.add(name);
        visit(fragment.selectionSet, narrowed);
      }
    }
  }

  const root = schema.getRootType(operation.operation);
  if (root) visit(operation.selectionSet, root);
  return asksForData ? scopes : null;
}
