// Outgoing webhook endpoints of a workspace.
import {
  activationFields,
  rotationFields,
  type WebhookEndpointWithSecretRow,
  webhookEndpoint,
  webhookEndpointWithSecret,
} from '../resources/webhook-endpoints.ts';
import type { Done } from '../services/mutate.ts';
import * as activation from '../services/webhook-activation.ts';
import * as webhookEndpoints from '../services/webhook-endpoints.ts';
import { builder } from './builder.ts';
import { defineConnection } from './connection.ts';
import { defineChanges, defineMutation, type PayloadBuilder, rowField } from './mutations.ts';
import { defineNode } from './nodes.ts';
import { Workspace } from './workspaces.ts';

/** @public Other nouns may hang below it. */
export const WebhookEndpoint = defineNode(webhookEndpoint, {
  ...webhookEndpoints,
  fields: (t) => ({
    workspace: Workspace.field(t, 'workspaceId', 'The workspace that the endpoint belongs to.'),
  }),
});

/** The secret, in the payload of the mutations that make one. */
function secretField(t: PayloadBuilder<Done<WebhookEndpointWithSecretRow>>) {
  return t.string({
    description: webhookEndpointWithSecret.fields.webhookSecret.description,
    resolve: ({ result }) => result.row.webhookSecret,
  });
}

const WebhookEndpointConnection = defineConnection(WebhookEndpoint, webhookEndpoint, webhookEndpoints);

defineChanges(
  WebhookEndpoint,
  webhookEndpoint,
  webhookEndpoints,
  Workspace,
  WebhookEndpointConnection,
  (t) => ({ webhookSecret: secretField(t) }),
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

builder.objectField(Workspace.ref, 'webhookEndpoints', (t) =>
  WebhookEndpointConnection.field(t, 'The outgoing webhook endpoints of the workspace.'),
);
