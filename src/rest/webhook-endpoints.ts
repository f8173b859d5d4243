import { parsePageQuery } from '../pagination.ts';
import * as webhookEndpoints from '../services/webhook-endpoints.ts';
import { writeWebhookEndpoint } from '../views/webhook-endpoints.ts';
import { objectReply, pageReply } from './pagination.ts';
import { param, type Route } from './route.ts';

export const webhookEndpointRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v2/workspaces/:workspace_id/webhooks/outgoing/endpoints',
    async handle(request) {
      const { ctx, query, url } = request;
      const page = await webhookEndpoints.list(ctx, param(request, 'workspace_id'), () =>
        parsePageQuery(query),
      );
      return pageReply(page, writeWebhookEndpoint, url);
    },
  },
  {
    method: 'GET',
    path: '/api/v2/webhooks/outgoing/endpoints/:id',
    async handle(request) {
      return objectReply(await webhookEndpoints.get(request.ctx, param(request, 'id')), writeWebhookEndpoint);
    },
  },
];
