// Refuses operations of anonymous clients that select data. The 401 lists every scope that the operation needs, from the scopes that
// fields and types of the schema declare.
import {
  type DocumentNode,
  type GraphQLSchema,
  isCompositeType,
  isInterfaceType,
  isIntrospectionType,
  type OperationDefinitionNode,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type Scope, unauthenticated } from '../auth/scopes.ts';
import type { GraphContext } from './context.ts';
import { scopeOf, typeOptions } from './field-options.ts';
import { fragmentsOf } from './fragments.ts';
import { scopesOfPayload } from './payload-scopes.ts';

/**
 * Requires credentials, unless the operation is introspection only. The document need not be valid.
 * @throws AppError `unauthenticated`, listing every scope that the operation's fields need, in alphabetical order
 */
export function requireCredentials(
  ctx: GraphContext,
  schema: GraphQLSchema,
  document: DocumentNode,
  { name }: OperationDefinitionNode,
): void {
  if (ctx.actor.kind !== 'anonymous') return;
  const scopes = new Set<Scope>();
  let asksForData = false;
  const add = (scope: Scope | null | undefined) => scope != null && scopes.add(scope);
  const types = new TypeInfo(schema);
  const fragments = fragmentsOf(document);

  /** A fragment on a concrete type, for example below `node`, needs the scope of that type. The field of a union says its scope itself. */
  function addScopeOfType(typeName: string | undefined): void {
    const to = typeName === undefined ? undefined : schema.getType(typeName);
    if (isInterfaceType(types.getParentType()) && isCompositeType(to)) add(typeOptions(to).scope);
  }

  // The operation and its fragments.
  const operationDocument = separateOperations(document)[name?.value ?? ''] ?? document;
  const visitor = visitWithTypeInfo(types, {
    Field(node) {
      const field = types.getFieldDef();
      const parent = types.getParentType();
      // Introspection returns no data.
      const isOfSchema = node.name.value.startsWith('__') || (parent && isIntrospectionType(parent));
      if (field == null || isOfSchema) return false;
      asksForData = true;
      add(scopeOf(field));
      if (parent === schema.getMutationType())
        for (const scope of scopesOfPayload({ schema, fragments }, field, [node])) add(scope);
      return undefined;
    },
    InlineFragment: ({ typeCondition }) => addScopeOfType(typeCondition?.name.value),
    FragmentSpread: (spread) => addScopeOfType(fragments.get(spread.name.value)?.typeCondition.name.value),
  });
  visit(operationDocument, visitor);
  if (asksForData) throw unauthenticated(ctx.actor, [...scopes].sort().join(' ') || undefined);
}
