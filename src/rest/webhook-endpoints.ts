import {
  activationFields,
  listedWebhookEndpoint,
  rotationFields,
  webhookEndpoint,
  webhookEndpointWithSecret,
} from '../resources/webhook-endpoints.ts';
import * as activation from '../services/webhook-activation.ts';
import * as webhookEndpoints from '../services/webhook-endpoints.ts';
import { bodyOf } from './body.ts';
import type { OwnRoutes } from './noun-routes.ts';
import { createdOf, objectOf, type Shown, secret, shown } from './responses.ts';
import { route } from './route.ts';

const scope = webhookEndpoints.writeScope;
const objects = shown(webhookEndpoint);
const withSecret = shown(webhookEndpointWithSecret);

export const webhookEndpointRoutes: OwnRoutes = {
  listed: listedWebhookEndpoint,
  created: secret(
    createdOf(
      withSecret as Shown<object> as Shown<{ id: bigint }>,
      '/api/v2/webhooks/outgoing/endpoints/',
      'The webhook endpoint that was created, with its secret, which is never shown again.',
    ),
  ),
  routes: [
    route({
      method: 'POST',
      path: '/api/v2/webhooks/outgoing/endpoints/:id/activate',
      operationId: 'activateWebhookEndpoint',
      summary:
        'Activates a webhook endpoint, so that it receives events again and, depending on `send_missed`, those that it has missed',
      resource: webhookEndpoint,
      scope,
      body: bodyOf(webhookEndpoint, 'change', activationFields, 'WebhookEndpointActivation'),
      response: objectOf(objects, 'The webhook endpoint as it is now.'),
      handle: async ({ ctx, params, body, options }) =>
        (await activation.activate(ctx, params.id, body, options)).row,
    }),
    route({
      method: 'POST',
      path: '/api/v2/webhooks/outgoing/endpoints/:id/deactivate',
      operationId: 'deactivateWebhookEndpoint',
      summary: 'Deactivates a webhook endpoint: nothing is sent to it until it is activated again',
      resource: webhookEndpoint,
      scope,
      response: objectOf(objects, 'The webhook endpoint as it is now.'),
      handle: async ({ ctx, params, options }) => (await activation.deactivate(ctx, params.id, options)).row,
    }),
    route({
      method: 'POST',
      path: '/api/v2/webhooks/outgoing/endpoints/:id/rotate_secret',
      operationId: 'rotateWebhookEndpointSecret',
      summary:
        'Gives a webhook endpoint a new secret; for a limited time, deliveries are also signed with the old one',
      resource: webhookEndpoint,
      scope,
      body: bodyOf(webhookEndpoint, 'change', rotationFields, 'WebhookEndpointRotation'),
      response: secret(
        objectOf(withSecret, 'The webhook endpoint with its new secret, which is never shown again.'),
      ),
      handle: async ({ ctx, params, body, options }) =>
        (await activation.rotateSecret(ctx, params.id, body, options)).row,
    }),
  ],
};
