// Which scopes an operation needs, read off the schema: a field says what it needs, or its type does. The challenge of a 401
// names all of them.
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
 * Lets everyone see the schema and known callers see data.
 * @throws AppError `unauthenticated`, naming every scope that the operation's fields need, in alphabetical order
 */
export function requireCaller(
  ctx: GraphContext,
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): void {
  if (ctx.actor.kind !== 'anonymous') return;
  const scopes = neededScopes(schema, document, operation);
  if (scopes !== null) throw unauthenticated(ctx.actor, [...scopes].sort().join(' ') || undefined);
}

/** The scopes that an operation's fields need, or null when it asks for nothing but the schema. */
function neededScopes(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Set<string> | null {
  const scopes = new Set<string>();
  const seen = new Set<string>();
  let asksForData = false;

  function add(scope: Scope | null | undefined): void {
    if (scope != null) scopes.add(scope);
  }

  function narrow(from: GraphQLCompositeType, typeName: string | undefined): GraphQLCompositeType {
    const to = typeName === undefined ? from : schema.getType(typeName);
    if (!isCompositeType(to)) return from;
    // An object that was found by `node` needs the scope of what it turns out to be.
    if (isAbstractType(from)) add(typeOptions(to).scope);
    return to;
  }

  function walk(selections: SelectionSetNode, type: GraphQLCompositeType): void {
    for (const selection of selections.selections) {
      if (selection.kind === Kind.FIELD) {
        const field = selection.name.value.startsWith('__')
          ? undefined
          : schema.getField(type, selection.name.value);
        if (field === undefined) continue;
        asksForData = true;
        const returned = getNamedType(field.type);
        add(scopeOf(field));
        if (selection.selectionSet && isCompositeType(returned)) walk(selection.selectionSet, returned);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        walk(selection.selectionSet, narrow(type, selection.typeCondition?.name.value));
      } else {
        const name = selection.name.value;
        const fragment = document.definitions.find(
          (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name,
        );
        if (fragment?.kind !== Kind.FRAGMENT_DEFINITION) continue;
        const narrowed = narrow(type, fragment.typeCondition.name.value);
        // The document may not have been validated: a fragment may contain itself.
        if (seen.has(name)) continue;
        seen.add(name);
        walk(fragment.selectionSet, narrowed);
      }
    }
  }

  const root = schema.getRootType(operation.operation);
  if (root) walk(operation.selectionSet, root);
  return asksForData ? scopes : null;
}
