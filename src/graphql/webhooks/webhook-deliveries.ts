// Adds to deliveries their attempts and event, and the mutations that redeliver, cancel and test.
import {
  attemptFields,
  deliveryDetailFields,
  MAX_ATTEMPTS_SHOWN,
  redeliveredFields,
  redeliveryFields,
  webhookDelivery,
} from '../../resources/webhook-deliveries.ts';
import { webhookEndpoint } from '../../resources/webhook-endpoints.ts';
import * as webhookDeliveries from '../../services/webhooks/webhook-deliveries.ts';
import * as redelivery from '../../services/webhooks/webhook-redelivery.ts';
import { builder } from '../builder.ts';
import { loadBatched } from '../context.ts';
import { defineChange, defineMutation, edgeField, rowField } from '../mutations.ts';
import { connectionOf, nodeOf } from '../nouns.ts';
import { objectFields, objectType } from '../resource-fields.ts';

const WebhookRequest = objectType(
  'WebhookRequest',
  'The HTTP request of an attempt, without its body.',
  attemptFields.request.object,
);

const WebhookAttempt = objectType(
  'WebhookAttempt',
  'One attempt to deliver an event to a webhook endpoint.',
  attemptFields,
  (t) => objectFields(t, attemptFields, { request: WebhookRequest }),
);

const WebhookDelivery = nodeOf(webhookDelivery);
const WebhookEndpoint = nodeOf(webhookEndpoint);

builder.objectField(WebhookDelivery.ref, 'attempts', (t) =>
  t.field({
    type: [WebhookAttempt],
    nullable: true,
    description: deliveryDetailFields.attempts.description,
    scope: webhookDeliveries.scope,
    columns: ['id'],
    rows: MAX_ATTEMPTS_SHOWN,
    resolve: ({ id }, _args, ctx) =>
      loadBatched(ctx, 'WebhookDelivery.attempts', id, (ids) => webhookDeliveries.attemptsOf(ctx, ids)),
  }),
);

const { writeScope: scope } = redelivery;

defineChange('redeliverWebhookDelivery', WebhookDelivery, {
  description:
    'Sends a delivery again at once. The attempt count continues, and the delays between attempts start over. If the delivery is pending or its endpoint is deactivated, the user error is NOT_ALLOWED_NOW.',
  scope,
  change: (ctx, id, _input, options) => redelivery.redeliver(ctx, id, options),
});

defineChange('cancelWebhookDelivery', WebhookDelivery, {
  description:
    'Cancels a pending delivery. If the delivery is not pending, the user error is NOT_ALLOWED_NOW.',
  scope,
  change: (ctx, id, _input, options) => redelivery.cancel(ctx, id, options),
});

defineMutation('redeliverFailedWebhookDeliveries', {
  description: `Sends an endpoint its failed deliveries since a certain time again and, on request, the events that it missed since then. The oldest come first, at most ${redelivery.MAX_REDELIVERED} per call. If the endpoint is deactivated, the user error is NOT_ALLOWED_NOW.`,
  scope,
  of: [WebhookEndpoint],
  fields: redeliveryFields,
  moment: 'creation',
  change: (ctx, [id = 0n], input, options) => redelivery.redeliverFailed(ctx, id, input, options),
  payload: (t) => ({
    count: t.int({ description: redeliveredFields.count.description, resolve: ({ result }) => result.count }),
    hasMore: t.boolean({
      description: redeliveredFields.hasMore.description,
      resolve: ({ result }) => result.hasMore,
    }),
  }),
});

defineMutation('testWebhookEndpoint', {
  description:
    'Sends a test event to an endpoint, regardless of its subscriptions. If the endpoint is deactivated, the user error is NOT_ALLOWED_NOW.',
  scope,
  of: [WebhookEndpoint],
  change: (ctx, [id = 0n], _input, options) => redelivery.test(ctx, id, options),
  payload: (t) => ({
    webhookDelivery: rowField(t, WebhookDelivery),
    webhookDeliveryEdge: edgeField(t, connectionOf(webhookDelivery)),
  }),
});
