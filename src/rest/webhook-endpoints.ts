import { webhookEndpoint } from '../resources/webhook-endpoints.ts';
import * as webhookEndpoints from '../services/webhook-endpoints.ts';
import { nounRoutes } from './noun-routes.ts';

export const webhookEndpointRoutes = nounRoutes(webhookEndpoint, webhookEndpoints, {
  parent: 'workspace',
  path: 'webhooks/outgoing/endpoints',
});
