// Adds the secret to the payloads of mutations of outgoing webhook endpoints.
import {
  rotationFields,
  type WebhookEndpointWithSecretRow,
  webhookEndpoint,
  webhookEndpointWithSecret,
} from '../../resources/webhook-endpoints.ts';
import * as activation from '../../services/webhooks/webhook-activation.ts';
import * as webhookEndpoints from '../../services/webhooks/webhook-endpoints.ts';
import { builder, type Types } from '../builder.ts';
import { defineMutation, rowField } from '../mutations.ts';
import { nodeOf } from '../nouns.ts';

const WebhookEndpoint = nodeOf(webhookEndpoint);

/** The secret, in the payload of the mutations that create one. */
function secretField(
  t: PothosSchemaTypes.ObjectFieldBuilder<
    Types,
    { readonly result: { readonly row: WebhookEndpointWithSecretRow } }
  >,
) {
  return t.string({
    description: webhookEndpointWithSecret.fields.webhookSecret.description,
    resolve: ({ result }) => result.row.webhookSecret,
  });
}

// The Relay plugin makes this payload type, so Pothos cannot infer its name.
builder.objectField('CreateWebhookEndpointPayload' as never, 'webhookSecret', secretField as never);

defineMutation('rotateWebhookEndpointSecret', {
  description:
    'Replaces the secret of a webhook endpoint. For a limited time, deliveries are also signed with the old one.',
  scope: webhookEndpoints.writeScope,
  of: [WebhookEndpoint],
  fields: rotationFields,
  change: (ctx, [id = 0n], input, options) => activation.rotateSecret(ctx, id, input, options),
  payload: (t) => ({
    webhookEndpoint: rowField(t, WebhookEndpoint),
    webhookSecret: secretField(t),
  }),
});
