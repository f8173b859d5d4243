import {
  listedWebhookEndpoint,
  rotationFields,
  webhookEndpoint,
  webhookEndpointWithSecret,
} from '../../resources/webhook-endpoints.ts';
import * as activation from '../../services/webhooks/webhook-activation.ts';
import * as webhookEndpoints from '../../services/webhooks/webhook-endpoints.ts';
import { bodyOf } from '../body.ts';
import type { OwnRoutes } from '../noun-routes.ts';
import { changedOf, createdOf, type OutputForm, outputOf, uncached } from '../responses.ts';
import { route } from '../route.ts';

const MEMBERS = '/api/v2/webhooks/outgoing/endpoints';
const changing = { method: 'POST', resource: webhookEndpoint, scope: webhookEndpoints.writeScope } as const;
const withSecret = outputOf(webhookEndpointWithSecret);

export const webhookEndpointRoutes: OwnRoutes = {
  listed: listedWebhookEndpoint,
  created: uncached(
    createdOf(withSecret as OutputForm<object> as OutputForm<{ id: bigint }>, `${MEMBERS}/`, {
      201: 'The created webhook endpoint, with its secret, which is never returned again.',
    }),
  ),
  routes: [
    route({
      ...changing,
      gatewayOnly: true,
      path: `${MEMBERS}/:id/rotate_secret`,
      operationId: 'rotateWebhookEndpointSecret',
      summary:
        'Replaces the secret of a webhook endpoint. For a limited time, deliveries are also signed with the old one',
      body: bodyOf(webhookEndpoint, 'change', rotationFields, 'WebhookEndpointRotation'),
      response: uncached(
        changedOf(withSecret, 'The webhook endpoint with its new secret, which is never returned again.'),
      ),
      handle: ({ ctx, params, body, options }) => activation.rotateSecret(ctx, params.id, body, options),
    }),
  ],
};
