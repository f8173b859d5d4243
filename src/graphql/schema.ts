// Builds the schema from the types that the imported files define, and wraps each resolver with the check of its field's scope.
import './scalars.ts';
import './nouns.ts';
import './accounts/teams.ts';
import './accounts/users.ts';
import './contacts/contacts.ts';
import './tagging.ts';
import './fulfillment-locations.ts';
import './funnels/funnel-steps.ts';
import './funnels/conditional-splits.ts';
import './funnels/pages.ts';
import './funnels/page-places.ts';
import './funnels/themes.ts';
import './emails/email-settings.ts';
import './funnels/split-tests.ts';
import './orders/order-line-item-changes.ts';
import './orders/order-line-items.ts';
import './orders/order-restocks.ts';
import './blogs/blog-posts.ts';
import './funnels/page-stats.ts';
import './contacts/refine-filters.ts';
import './funnels/visits.ts';
import './sales/opportunities.ts';
import './webhooks/webhook-endpoints.ts';
import './webhooks/webhook-events.ts';
import './webhooks/webhook-deliveries.ts';
import './accounts/api-keys.ts';
import './products/product-collections.ts';
import './products/product-variants.ts';
import './products/product-prices.ts';
import './accounts/memberships.ts';
import './accounts/oauth-grants.ts';
import './accounts/team-oauth-clients.ts';
import './accounts/viewer.ts';
import './accounts/audit-entries.ts';
import {
  defaultFieldResolver,
  type GraphQLField,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isObjectType,
} from 'graphql';
import { requireScope, type Scope } from '../auth/scopes.ts';
import { builder } from './builder.ts';
import type { GraphContext } from './context.ts';
import { fieldOptions, scopeOf, typeOptions } from './field-options.ts';
import { requireGlobalIds } from './id-arguments.ts';
import { scopesOfPayload } from './payload-scopes.ts';
import { DIRECTIVES } from './print.ts';
import { isRefusal } from './user-errors.ts';

type Field = GraphQLField<unknown, GraphContext>;

export const schema = builder.toSchema({ sortSchema: true, directives: [...DIRECTIVES] });

for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) requirePayloadScopes(field);
for (const type of typesWithFields()) {
  for (const field of Object.values(type.getFields())) {
    requireGlobalIds(field);
    if (isListOfObjects(field)) boundList(field);
    const { scope } = fieldOptions(field);
    if (scope == null) continue;
    checkScope(field, scope);
    if (scope !== typeOptions(type).scope) field.description = `${field.description} Needs ${scope}.`;
  }
}
for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) makeRefusable(field);

function typesWithFields() {
  return Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) || isInterfaceType(type))
    .filter((type) => !isIntrospectionType(type));
}

/** Every scope that a field of the schema needs. */
export function schemaScopes(): readonly Scope[] {
  return typesWithFields()
    .flatMap((type) => Object.values(type.getFields()))
    .map((field) => scopeOf(field))
    .filter((scope) => scope !== null);
}

function isListOfObjects({ type }: Field): boolean {
  return isListType(getNullableType(type)) && isCompositeType(getNamedType(type));
}

/** Counts the objects of a list, and spreads their completion by the full executor over several ticks of the event loop. */
function boundList(field: Field): void {
  const { resolve } = field;
  if (resolve === undefined) throw new TypeError(`${field.name} is a list without a resolver.`);
  const { rows, idsIn, sameRows } = fieldOptions(field);
  field.resolve = (source, args, ctx, info) => {
    const { longLists, pace } = ctx.state;
    const isCounted = rows !== undefined && sameRows !== true;
    if (isCounted && idsIn !== undefined)
      longLists.count(ctx, info, (Reflect.get(source as object, idsIn) as readonly unknown[]).length, rows);
    const finish = (items: unknown) => {
      if (!Array.isArray(items)) return items;
      if (isCounted && idsIn === undefined) longLists.count(ctx, info, items.length, rows);
      // Leave promises to the executor, which handles their rejections.
      return pace === null || items[0] instanceof Promise ? items : pace.spread(items);
    };
    const items = resolve(source, args, ctx, info);
    return items instanceof Promise ? items.then(finish) : finish(items);
  };
}

/** Checks the scope before the field's resolver is called. */
function checkScope(field: Field, scope: Scope): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, args, ctx, info) => {
    requireScope(ctx, scope);
    return resolve(source, args, ctx, info);
  };
}

/** Checks, before the change, the scopes that the selection in the payload needs. */
function requirePayloadScopes(field: Field): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, args, ctx, info) => {
    const fragments = new Map(Object.entries(info.fragments));
    for (const scope of scopesOfPayload(
      { schema, fragments },
      field as GraphQLField<unknown, unknown>,
      info.fieldNodes,
    ))
      requireScope(ctx, scope);
    return resolve(source, args, ctx, info);
  };
}

/** Answers null for the payload's other fields when there are `userErrors`. Last: a refused change has nothing that a scope protects. */
function makeRefusable({ name, type }: Field): void {
  const payload = getNamedType(type);
  if (!isObjectType(payload) || payload.getFields()['userErrors'] === undefined)
    throw new TypeError(`The payload of ${name} has no userErrors.`);
  for (const field of Object.values(payload.getFields())) {
    if (field.name === 'userErrors') continue;
    const { resolve = defaultFieldResolver } = field;
    field.type = getNullableType(field.type);
    field.resolve = (result, args, ctx, info) =>
      isRefusal(result) ? null : resolve(result, args, ctx, info);
  }
}
