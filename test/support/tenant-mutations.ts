// Every mutation of the schema, with what it needs of a tenant: made from its input type.
import { type GraphQLInputField, GraphQLNonNull, type GraphQLObjectType, getNamedType } from 'graphql';
import type { App } from '../../src/context.ts';
import { schema } from '../../src/graphql/schema.ts';
import * as factories from './factories.ts';
import { oauthGrant } from './grants.ts';
import type { Tenant } from './operations.ts';

/** What a tenant has, by the type of its global id. */
export async function idsOf(app: App, tenant: Tenant): Promise<Record<string, string>> {
  const { prisma } = app.store;
  const teamId = tenant.team.id;
  const ofWorkspace = { where: { workspaceId: tenant.workspace.id } };
  const ids = {
    Team: teamId,
    Workspace: tenant.workspace.id,
    Contact: tenant.contact.id,
    Funnel: tenant.funnel.id,
    RefineFilter: tenant.refineFilter.id,
    WebhookEndpoint: tenant.webhookEndpoint.id,
    WebhookEvent: tenant.webhookEvent.id,
    WebhookDelivery: tenant.webhookDelivery.id,
    AuditEntry: tenant.auditEntry.id,
    ConditionalSplitStep: tenant.split.id,
    Page: (await prisma.page.findFirstOrThrow(ofWorkspace)).id,
    PageStep: (
      await prisma.funnelStep.findFirstOrThrow({ where: { funnelId: tenant.funnel.id, kind: 'page' } })
    ).id,
    ApiKey: (await factories.apiKey(app, { teamId })).id,
    OauthGrant: (await oauthGrant(app, { teamId, workspaceIds: [tenant.workspace.id] })).id,
    Tag: tenant.tag.id,
    ContactAppliedTag: tenant.appliedTag.id,
    AppliedTag: `Contact:${tenant.contact.id}:${tenant.appliedTag.tagId}`,
    User: (await prisma.user.findFirstOrThrow({ where: { serviceTeamId: teamId } })).id,
  };
  return Object.fromEntries(Object.entries(ids).map(([type, id]) => [type, btoa(`${type}:${id}`)]));
}

/** What other fields than ids are given. */
const GIVEN: Readonly<Record<string, unknown>> = {
  name: 'New',
  firstName: 'New',
  emailAddress: 'new@example.com',
  url: 'https://hooks.example.com/new',
  eventTypeIds: ['contact.created'],
  since: '2026-01-01T00:00:00Z',
};

/** Every mutation, by name, with its input in a tenant. */
export function mutationsIn(
  tenant: Tenant,
  ids: Readonly<Record<string, string>>,
): { name: string; query: string; input: object }[] {
  const mutation = schema.getMutationType() as GraphQLObjectType;
  const idOf = (name: string, field: string) => {
    if (field === 'splitId') return ids['ConditionalSplitStep'];
    if (field === 'grantId') return ids['OauthGrant'];
    if (name === 'cancelWebhookDelivery') return btoa(`WebhookDelivery:${tenant.pendingDelivery.id}`);
    if (name === 'removeTag' && field === 'tagId') return btoa(`Tag:${tenant.appliedTag.tagId}`);
    return ids[`${field[0]?.toUpperCase()}${field.slice(1, -2)}`];
  };
  const givenFor = (name: string, { name: field, type }: GraphQLInputField) => {
    if (getNamedType(type).name === 'ID' && type instanceof GraphQLNonNull) return idOf(name, field);
    return GIVEN[field];
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
      input: Object.fromEntries(values.filter(([, value]) => value !== undefined)),
    };
  });
}
