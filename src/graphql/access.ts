// Which scopes an operation needs, read off the schema: types carry the scope that their service asks for, and a field
// may name another one. Services decide who may; this only says it beforehand, for the challenge of a 401.
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
import { unauthenticated } from '../auth/scopes.ts';
import type { GraphContext } from './context.ts';

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

  function add({ scope }: { readonly scope?: unknown }): void {
    if (typeof scope === 'string') scopes.add(scope);
  }

  function narrow(from: GraphQLCompositeType, typeName: string | undefined): GraphQLCompositeType {
    const to = typeName === undefined ? from : schema.getType(typeName);
    if (!isCompositeType(to)) return from;
    // An object that was found by `node` needs the scope of what it turns out to be.
    if (isAbstractType(from)) add(to.extensions);
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
        add('scope' in field.extensions ? field.extensions : returned.extensions);
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
