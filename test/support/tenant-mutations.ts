// Every mutation of the schema, with its input for a tenant, made from its input type.
import {
  type GraphQLField,
  type GraphQLInputField,
  GraphQLNonNull,
  type GraphQLObjectType,
  getNamedType,
} from 'graphql';
import type { App } from '../../src/context.ts';
import { schema } from '../../src/graphql/schema.ts';
import { writableFields } from '../../src/resources/description/inputs.ts';
import { graphqlTypeNameOf, pluralOf } from '../../src/resources/description/names.ts';
import { NOUNS } from '../../src/resources/nouns.ts';
import * as factories from './factories.ts';
import { inputOf } from './graphql-input.ts';
import { givenOf, graphqlNameOfType, inGraphql } from './nouns.ts';
import { reorderedIds, type Tenant } from './operations.ts';
import { prismaOf } from './prisma.ts';
import { USER_ERRORS } from './user-errors.ts';

/** The ids of a tenant's objects, by the type of the global id. */
export async function idsOf(app: App, tenant: Tenant): Promise<Record<string, string>> {
  const prisma = prismaOf(app.store);
  const teamId = tenant.team.id;
  const ids = {
    ...Object.fromEntries(
      Object.entries(tenant.rows)
        .filter(([type]) => NOUNS.find((noun) => noun.type === type)?.graphql !== false)
        .map(([type, { id }]) => [graphqlNameOfType(type), id]),
    ),
    Page: tenant.page.id,
    SplitTest: tenant.splitTest.id,
    PageStep: (
      await prisma.funnelStep.findFirstOrThrow({
        where: { funnelId: tenant.funnel.id, kind: 'page' },
        orderBy: { id: 'asc' },
      })
    ).id,
    ApiKey: (await factories.apiKey(app, { teamId })).id,
    OauthGrant: (
      await factories.oauthGrant(app, {
        ...{ teamId, workspaceIds: [tenant.workspace.id] },
        userId: (await factories.user(app, { teamId, role: 'admin' })).id,
        clientId: (await factories.oauthClient(app)).id,
      })
    ).id,
    User: (await prisma.user.findFirstOrThrow({ where: { serviceTeamId: teamId } })).id,
  };
  return Object.fromEntries(
    Object.entries(ids).map(([type, id]) => {
      const name = graphqlNameOfType(type);
      return [name, btoa(`${name}:${id}`)];
    }),
  );
}

const FIELDS = Object.values((schema.getMutationType() as GraphQLObjectType).getFields());

/** The values of fields other than ids, for mutations of special nouns. */
const GIVEN: Readonly<Record<string, unknown>> = {
  emailAddress: 'new@example.com',
  since: '2026-01-01T00:00:00Z',
  startsAt: '2026-02-01T09:00:00Z',
  productIds: [],
  name: 'New',
  place: { onTopLevel: { position: 0 } },
  visits: [{ uuid: '0b9f2a38-6ad6-4a70-8cd9-0e1f3a5f5d10', visitorId: 'somebody' }],
};

/** The input of a mutation, besides the objects of the mutation. */
function givenTo(
  mutation: string,
  ids: Readonly<Record<string, string>>,
  { freePage, appliedTag }: Tenant,
): Readonly<Record<string, unknown>> {
  if (mutation === 'createSplitTest')
    return { leftPageId: ids['Page'], rightPageId: btoa(`Page:${freePage.id}`) };
  if (mutation === 'addTags') return { taggableIds: [ids['Contact']], tagIds: [ids['ContactTag']] };
  if (mutation === 'removeTags')
    return { taggableIds: [ids['Contact']], tagIds: [btoa(`ContactTag:${appliedTag.tagId}`)] };
  if (mutation === 'reorderSteps') return { stepIds: [ids['PageStep'], ids['ConditionalSplit']] };
  if (mutation === 'createApiKey') return { name: 'New', scopes: ['account:write'] };
  if (mutation === 'createOauthClient')
    return { name: 'New', scopes: ['account:write'], grantTypes: ['client_credentials'] };
  if (mutation === 'updateApiKey' || mutation === 'updateOauthClient') return { name: 'Other' };
  const [, verb, name] = /^(create|update)(\w+)$/.exec(mutation) ?? [];
  const noun = NOUNS.find((one) => graphqlTypeNameOf(one) === name);
  if (noun === undefined) return GIVEN;
  const moment = verb === 'create' ? 'creation' : 'change';
  return inGraphql(
    writableFields(noun, moment),
    givenOf(noun, moment, 'New', (type) => ids[graphqlNameOfType(type)]),
  );
}

interface MutationRequest {
  readonly name: string;
  readonly query: string;
  readonly input: object;
}

/** Every mutation, with its input in a tenant. */
export function mutationsIn(tenant: Tenant, ids: Readonly<Record<string, string>>): MutationRequest[] {
  return FIELDS.map((field) => requestFor(field, tenant, ids));
}

/** The mutation with this name, with its input in a tenant. */
export function mutationIn(
  tenant: Tenant,
  ids: Readonly<Record<string, string>>,
  name: string,
): MutationRequest {
  const field = FIELDS.find((one) => one.name === name);
  if (field === undefined) throw new Error(`There is no mutation ${name}.`);
  return requestFor(field, tenant, ids);
}

function requestFor(
  { name, args }: GraphQLField<unknown, unknown>,
  tenant: Tenant,
  ids: Readonly<Record<string, string>>,
): MutationRequest {
  const idOf = (name: string, field: string) => {
    if (field === 'stepId') return ids['PageStep'];
    if (field === 'splitTestId') return ids['SplitTest'];
    if (field === 'conditionalSplitId') return ids['ConditionalSplit'];
    if (field === 'priceId') return ids['ProductPrice'];
    if (field === 'oauthClientId') return ids['TeamOauthClient'];
    if (field === 'oauthGrantId') return ids['OauthGrant'];
    if (name === 'cancelWebhookDelivery') return btoa(`WebhookDelivery:${tenant.pendingDelivery.id}`);
    return ids[`${field[0]?.toUpperCase()}${field.slice(1, -2)}`];
  };
  const givenFor = (name: string, { name: field, type }: GraphQLInputField) => {
    const ordered = NOUNS.find((noun) => name === `reorder${pluralOf(graphqlTypeNameOf(noun))}`);
    if (ordered !== undefined && field === 'idsInOrder')
      return reorderedIds(tenant, ordered.type).map((id) => btoa(`${graphqlTypeNameOf(ordered)}:${id}`));
    const given = givenTo(name, ids, tenant)[field];
    const isId = getNamedType(type).name === 'ID' && type instanceof GraphQLNonNull;
    return given === undefined && isId ? idOf(name, field) : given;
  };
  const type = getNamedType(args[0]?.type) as unknown as {
    readonly name: string;
    getFields(): Record<string, GraphQLInputField>;
  };
  const values = Object.values(type.getFields()).map((field) => [field.name, givenFor(name, field)]);
  return {
    name,
    query: `mutation ($input: ${type.name}!) { ${name}(input: $input) { ${USER_ERRORS} } }`,
    input: inputOf(name, Object.fromEntries(values.filter(([, value]) => value !== undefined))),
  };
}
