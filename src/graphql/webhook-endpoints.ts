// What is special of outgoing webhook endpoints: their secrets, and activating and deactivating them.
import {
  activationFields,
  rotationFields,
  type WebhookEndpointWithSecretRow,
  webhookEndpoint,
  webhookEndpointWithSecret,
} from '../resources/webhook-endpoints.ts';
import * as activation from '../services/webhook-activation.ts';
import * as webhookEndpoints from '../services/webhook-endpoints.ts';
import { builder, type Types } from './builder.ts';
import { defineMutation, rowField } from './mutations.ts';
import { createdPayloadOf, nodeOf } from './nouns.ts';

const WebhookEndpoint = nodeOf(webhookEndpoint);

/** The secret, in the payload of the mutations that make one. */
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

builder.objectField(
  createdPayloadOf<WebhookEndpointWithSecretRow>(webhookEndpoint),
  'webhookSecret',
  secretField,
);

defineMutation('activateWebhookEndpoint', {
  description: 'Sends to a webhook endpoint again, and what it has missed unless told otherwise.',
  scope: webhookEndpoints.writeScope,
  of: [WebhookEndpoint],
  fields: activationFields,
  change: (ctx, [id = 0n], input, options) => activation.activate(ctx, id, input, options),
  payload: (t) => ({ webhookEndpoint: rowField(t, WebhookEndpoint) }),
});

defineMutation('deactivateWebhookEndpoint', {
  description:
    'Sends nothing more to a webhook endpoint until it is activated again. What happens meanwhile is in the list of events.',
  scope: webhookEndpoints.writeScope,
  of: [WebhookEndpoint],
  change: (ctx, [id = 0n], _input, options) => activation.deactivate(ctx, id, options),
  payload: (t) => ({ webhookEndpoint: rowField(t, WebhookEndpoint) }),
});

defineMutation('rotateWebhookEndpointSecret', {
  description: 'Gives a webhook endpoint another secret. For a while the one before signs as well.',
  scope: webhookEndpoints.writeScope,
  of: [WebhookEndpoint],
  fields: rotationFields,
  change: (ctx, [id = 0n], input, options) => activation.rotateSecret(ctx, id, input, options),
  payload: (t) => ({
    webhookEndpoint: rowField(t, WebhookEndpoint),
    webhookSecret: secretField(t),
  }),
});
