// The schema: every noun is imported for what it defines, then all is built.
import './scalars.ts';
import './teams.ts';
import './workspaces.ts';
import './contacts.ts';
import './funnels.ts';
import './funnel-steps.ts';
import './conditional-splits.ts';
import './pages.ts';
import './refine-filters.ts';
import './webhook-endpoints.ts';
import './api-keys.ts';
import './oauth-grants.ts';
import './viewer.ts';
import { defaultFieldResolver, type GraphQLField, isInterfaceType, isObjectType } from 'graphql';
import { requireScope, type Scope } from '../auth/scopes.ts';
import { invalid } from '../errors.ts';
import { builder } from './builder.ts';
import type { GraphContext } from './context.ts';
import { fieldOptions } from './field-options.ts';

type Field = GraphQLField<unknown, GraphContext>;

export const schema = builder.toSchema({ sortSchema: true });

/** It comes back in the answer as often as that asks for it. */
const MAX_CLIENT_MUTATION_ID_CHARS = 256;

for (const field of allFields()) {
  const { scope } = fieldOptions(field);
  if (scope != null) requireScopeOf(field, scope);
}
for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) boundMutationId(field);

function allFields(): Field[] {
  return Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) || isInterfaceType(type))
    .flatMap((type) => Object.values(type.getFields()));
}

/** The field's resolver is for callers who hold the scope, and its description says so. */
function requireScopeOf(field: Field, scope: Scope): void {
  const { resolve = defaultFieldResolver } = field;
  field.description = `${field.description} Needs ${scope}.`;
  field.resolve = (source, args, ctx, info) => {
    requireScope(ctx, scope);
    return resolve(source, args, ctx, info);
  };
}

/** Before anything is changed. */
function boundMutationId(field: Field): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, args: { input?: { clientMutationId?: string | null } }, ctx, info) => {
    if ((args.input?.clientMutationId?.length ?? 0) > MAX_CLIENT_MUTATION_ID_CHARS) {
      const most = `at most ${MAX_CLIENT_MUTATION_ID_CHARS} characters`;
      throw invalid('clientMutationId', `clientMutationId must have ${most}.`);
    }
    return resolve(source, args, ctx, info);
  };
}
