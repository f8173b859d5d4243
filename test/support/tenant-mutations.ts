// Every mutation of the schema, with its input for a tenant, made from its input type.
import { type GraphQLInputField, GraphQLNonNull, type GraphQLObjectType, getNamedType } from 'graphql';
import type { App } from '../../src/context.ts';
import { schema } from '../../src/graphql/schema.ts';
import { NOUNS } from '../../src/resources/nouns.ts';
import { pluralOf } from '../../src/resources/resource.ts';
import * as factories from './factories.ts';
import { oauthGrant } from './grants.ts';
import { inputOf } from './graphql-input.ts';
import { givenOf } from './nouns.ts';
import type { Tenant } from './operations.ts';
import { prismaOf } from './prisma.ts';

/** The ids of a tenant's objects, by the type of the global id. */
export async function idsOf(app: App, tenant: Tenant): Promise<Record<string, string>> {
  const prisma = prismaOf(app.store);
  const teamId = tenant.team.id;
  const ids = {
    ...Object.fromEntries(Object.entries(tenant.rows).map(([type, { id }]) => [type, id])),
    Page: tenant.page.id,
    SplitTestStep: tenant.splitTest.id,
    PageStep: (
      await prisma.funnelStep.findFirstOrThrow({
        where: { funnelId: tenant.funnel.id, kind: 'page' },
        orderBy: { id: 'asc' },
      })
    ).id,
    ApiKey: (await factories.apiKey(app, { teamId })).id,
    OauthGrant: (await oauthGrant(app, { teamId, workspaceIds: [tenant.workspace.id] })).id,
    AppliedTag: `Contact:${tenant.contact.id}:${tenant.appliedTag.tagId}`,
    User: (await prisma.user.findFirstOrThrow({ where: { serviceTeamId: teamId } })).id,
  };
  return Object.fromEntries(Object.entries(ids).map(([type, id]) => [type, btoa(`${type}:${id}`)]));
}

/** The values of fields other than ids, for mutations of special nouns. */
const GIVEN: Readonly<Record<string, unknown>> = {
  emailAddress: 'new@example.com',
  since: '2026-01-01T00:00:00Z',
  productIds: [],
  name: 'New',
  place: { position: 0 },
  visits: [{ uuid: '0b9f2a38-6ad6-4a70-8cd9-0e1f3a5f5d10', visitorId: 'somebody' }],
};

/** The input of a mutation, besides the objects of the mutation. */
function givenTo(
  mutation: string,
  ids: Readonly<Record<string, string>>,
  { freePage }: Tenant,
): Readonly<Record<string, unknown>> {
  if (/SplitTest$/.test(mutation))
    return { variants: [{ pageId: ids['Page'] }, { pageId: btoa(`Page:${freePage.id}`) }] };
  if (mutation === 'reorderSteps') return { stepIds: [ids['PageStep'], ids['ConditionalSplitStep']] };
  const noun = NOUNS.find(({ type }) => mutation === `create${type}` || mutation === `update${type}`);
  if (noun === undefined) return GIVEN;
  return givenOf(noun, mutation.startsWith('create') ? 'creation' : 'change', 'New', (type) => ids[type]);
}

/** Every mutation, by name, with its input in a tenant. */
export function mutationsIn(
  tenant: Tenant,
  ids: Readonly<Record<string, string>>,
): { name: string; query: string; input: object }[] {
  const mutation = schema.getMutationType() as GraphQLObjectType;
  const idOf = (name: string, field: string) => {
    if (field === 'stepId') return ids['PageStep'];
    if (field === 'splitTestId') return ids['SplitTestStep'];
    if (field === 'splitId') return ids['ConditionalSplitStep'];
    if (field === 'grantId') return ids['OauthGrant'];
    if (name === 'cancelWebhookDelivery') return btoa(`WebhookDelivery:${tenant.pendingDelivery.id}`);
    if (name === 'removeTag' && field === 'tagId') return btoa(`Tag:${tenant.appliedTag.tagId}`);
    return ids[`${field[0]?.toUpperCase()}${field.slice(1, -2)}`];
  };
  const givenFor = (name: string, { name: field, type }: GraphQLInputField) => {
    const ordered = NOUNS.find((noun) => name === `reorder${pluralOf(noun.type)}`);
    if (ordered !== undefined && field === 'idsInOrder')
      return [tenant.rows[ordered.type]?.next, tenant.rows[ordered.type]].map((row) =>
        btoa(`${ordered.type}:${row?.id}`),
      );
    const given = givenTo(name, ids, tenant)[field];
    const isId = getNamedType(type).name === 'ID' && type instanceof GraphQLNonNull;
    return given === undefined && isId ? idOf(name, field) : given;
  };
  return Object.values(mutation.getFields()).map(({ name, args }) => {
    const type = getNamedType(args[0]?.type) as unknown as {
      readonly name: string;
      getFields(): Record<string, GraphQLInputField>;
    };
    const values = Object.values(type.getFields()).map((field) => [field.name, givenFor(name, field)]);
    return {
      name,
      query: `mutation ($input: ${type.name}!) { ${name}(input: $input) { __typename } }`,
      input: inputOf(name, Object.fromEntries(values.filter(([, value]) => value !== undefined))),
    };
  });
}
