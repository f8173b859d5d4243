import { webhookEndpoint } from '../resources/webhook-endpoints.ts';
import * as webhookEndpoints from '../services/webhook-endpoints.ts';
import { pageOf, pageQuery } from './lists.ts';
import { objectOf, shown } from './responses.ts';
import { type Route, route } from './route.ts';

const objects = shown(webhookEndpoint);

export const webhookEndpointRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v2/workspaces/:workspace_id/webhooks/outgoing/endpoints',
    operationId: 'listWebhookEndpoints',
    summary: 'Lists the outgoing webhook endpoints of a workspace',
    resource: webhookEndpoint,
    scope: webhookEndpoints.scope,
    query: pageQuery,
    response: pageOf(objects),
    handle: ({ ctx, params, query }) => webhookEndpoints.list(ctx, params.workspace_id, query),
  }),
  route({
    method: 'GET',
    path: '/api/v2/webhooks/outgoing/endpoints/:id',
    operationId: 'getWebhookEndpoint',
    summary: 'Gets an outgoing webhook endpoint',
    resource: webhookEndpoint,
    scope: webhookEndpoints.scope,
    response: objectOf(objects, 'The webhook endpoint.'),
    handle: ({ ctx, params }) => webhookEndpoints.get(ctx, params.id),
  }),
];
