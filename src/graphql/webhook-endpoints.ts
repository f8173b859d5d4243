// Outgoing webhook endpoints of a workspace.
import { webhookEndpoint } from '../resources/webhook-endpoints.ts';
import * as webhookEndpoints from '../services/webhook-endpoints.ts';
import { builder } from './builder.ts';
import { defineConnection } from './connection.ts';
import type { GraphContext } from './context.ts';
import { Funnel } from './funnels.ts';
import { defineNode, type NodeType } from './nodes.ts';
import { Page } from './pages.ts';
import { Workspace } from './workspaces.ts';

/** @public Other nouns may hang below it. */
export const WebhookEndpoint = defineNode(webhookEndpoint, {
  ...webhookEndpoints,
  fields: (t) => ({
    pages: t.field({
      type: [Page.ref],
      nullable: true,
      description: 'The pages it is limited to, without discarded ones.',
      scope: Page.scope,
      columns: ['pageIds'],
      resolve: ({ pageIds }, _args, ctx) => loadExisting(ctx, Page, pageIds),
    }),
    funnels: t.field({
      type: [Funnel.ref],
      nullable: true,
      description: 'The funnels it is limited to.',
      scope: Funnel.scope,
      columns: ['funnelIds'],
      resolve: ({ funnelIds }, _args, ctx) => loadExisting(ctx, Funnel, funnelIds),
    }),
    workspace: Workspace.field(t, 'workspaceId', 'The workspace that the endpoint belongs to.'),
  }),
});

async function loadExisting<Row>(
  ctx: GraphContext,
  type: NodeType<Row>,
  ids: readonly bigint[],
): Promise<Row[]> {
  const rows = await Promise.all(ids.map((id) => type.load(ctx, id)));
  return rows.filter((row) => row !== null);
}

const WebhookEndpointConnection = defineConnection(WebhookEndpoint, webhookEndpoint, webhookEndpoints);

builder.objectField(Workspace.ref, 'webhookEndpoints', (t) =>
  WebhookEndpointConnection.field(t, 'The outgoing webhook endpoints of the workspace.'),
);
