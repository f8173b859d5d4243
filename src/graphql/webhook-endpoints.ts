// Outgoing webhook endpoints of a workspace.
import { requireScope } from '../auth/scopes.ts';
import * as webhookEndpoints from '../services/webhook-endpoints.ts';
import { builder } from './builder.ts';
import { connectionArgs, defineConnection } from './connection.ts';
import type { GraphContext } from './context.ts';
import { Funnel } from './funnels.ts';
import { defineNode, type NodeType } from './nodes.ts';
import { Page } from './pages.ts';
import { Workspace } from './workspaces.ts';

const WebhookEndpoint = defineNode<webhookEndpoints.WebhookEndpointRow>('WebhookEndpoint', {
  description: 'An address of the workspace’s owner that is told about events.',
  scope: webhookEndpoints.scope,
  loadMany: webhookEndpoints.getMany,
  fields: (t) => ({
    url: t.exposeString('url', { description: 'The address that deliveries are sent to.' }),
    name: t.exposeString('name', { description: 'The name of the endpoint.' }),
    eventTypeIds: t.exposeStringList('eventTypeIds', {
      description: 'The types of event it is told about, each of the form `<resource>.<event>`.',
    }),
    apiVersion: t.exposeInt('apiVersion', {
      description: 'The version of the API that deliveries are written in.',
    }),
    pageIds: t.expose('pageIds', {
      type: ['BigInt'],
      description: 'The `databaseId`s of the pages it is limited to; empty when it is not limited to pages.',
    }),
    pages: t.field({
      type: [Page.ref],
      nullable: true,
      description: 'The pages it is limited to, without discarded ones. Needs funnels:read.',
      resolve: ({ pageIds }, _args, ctx) => loadExisting(ctx, Page, pageIds),
    }),
    funnelIds: t.expose('funnelIds', {
      type: ['BigInt'],
      description:
        'The `databaseId`s of the funnels it is limited to; empty when it is not limited to funnels.',
    }),
    funnels: t.field({
      type: [Funnel.ref],
      nullable: true,
      description: 'The funnels it is limited to. Needs funnels:read.',
      resolve: ({ funnelIds }, _args, ctx) => loadExisting(ctx, Funnel, funnelIds),
    }),
    workspaceId: t.expose('workspaceId', {
      type: 'BigInt',
      description: 'The `databaseId` of its workspace.',
    }),
    workspace: t.field({
      type: Workspace.ref,
      nullable: true,
      description: 'The workspace that the endpoint belongs to. Needs account:read.',
      extensions: { columns: ['workspaceId'] },
      resolve: ({ workspaceId }, _args, ctx) => Workspace.load(ctx, workspaceId),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the endpoint was created.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When the endpoint was last changed.',
    }),
  }),
});

async function loadExisting<Row>(
  ctx: GraphContext,
  type: NodeType<Row>,
  ids: readonly bigint[],
): Promise<Row[]> {
  // Also for an empty list: what is missing must not depend on what is there.
  requireScope(ctx, type.scope);
  const rows = await Promise.all(ids.map((id) => type.load(ctx, id)));
  return rows.filter((row) => row !== null);
}

const WebhookEndpointConnection = defineConnection(WebhookEndpoint, {
  kind: 'webhook_endpoints',
  reads: webhookEndpoints,
});

builder.objectField(Workspace.ref, 'webhookEndpoints', (t) =>
  t.field({
    type: WebhookEndpointConnection.ref,
    nullable: true,
    description: 'The outgoing webhook endpoints of the workspace. Needs webhooks:read.',
    args: connectionArgs,
    extensions: { columns: ['id'] },
    resolve: (workspace, args, ctx, info) => WebhookEndpointConnection.load(ctx, workspace.id, args, info),
  }),
);
