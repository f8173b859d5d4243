import type { Context } from '../../context.ts';
import {
  deliveryDetailFields,
  redeliveredFields,
  redeliveryFields,
  type WebhookDeliveryRow,
  webhookDelivery,
} from '../../resources/webhook-deliveries.ts';
import { webhookEndpoint } from '../../resources/webhook-endpoints.ts';
import type { Writer } from '../../rows/resource-writer.ts';
import type { ChangeAnswer } from '../../services/changing/mutate.ts';
import * as webhookDeliveries from '../../services/webhooks/webhook-deliveries.ts';
import * as redelivery from '../../services/webhooks/webhook-redelivery.ts';
import { bodyOf } from '../body.ts';
import { changedOf, createdOf, objectOf, outputOf } from '../responses.ts';
import { type Route, route } from '../route.ts';

const MEMBERS = '/api/v2/webhooks/outgoing/deliveries';
const ENDPOINTS = '/api/v2/webhooks/outgoing/endpoints';

const details = outputOf({
  type: 'WebhookDeliveryDetail',
  description: `${webhookDelivery.description} Includes the attempts.`,
  fields: deliveryDetailFields,
});

const redelivered = outputOf({
  type: 'WebhookRedelivered',
  description: 'The number of deliveries that are sent again.',
  fields: redeliveredFields,
});

const changing = {
  method: 'POST',
  resource: webhookDelivery,
  scope: redelivery.writeScope,
  representation: details.write as Writer<never>,
} as const;

const changed = changedOf(details, 'The webhook delivery after the change.');

/** The result of a change, with the attempts of the delivery. */
async function detailed<D extends ChangeAnswer<WebhookDeliveryRow>>(ctx: Context, done: D) {
  return { ...done, row: await webhookDeliveries.detailOf(ctx, done.row) };
}

export const webhookDeliveryRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${MEMBERS}/:id`,
    operationId: 'getWebhookDelivery',
    summary: 'Gets a webhook delivery with its attempts',
    resource: webhookDelivery,
    scope: webhookDeliveries.scope,
    response: objectOf(details, 'The webhook delivery.'),
    handle: ({ ctx, params }) => webhookDeliveries.getDetail(ctx, params.id),
  }),
  route({
    ...changing,
    path: `${MEMBERS}/:id/redeliver`,
    operationId: 'redeliverWebhookDelivery',
    summary: 'Sends a webhook delivery again at once',
    response: changed,
    handle: async ({ ctx, params, options }) =>
      detailed(ctx, await redelivery.redeliver(ctx, params.id, options)),
  }),
  route({
    ...changing,
    path: `${MEMBERS}/:id/cancel`,
    operationId: 'cancelWebhookDelivery',
    summary: 'Cancels a pending webhook delivery',
    response: changed,
    handle: async ({ ctx, params, options }) =>
      detailed(ctx, await redelivery.cancel(ctx, params.id, options)),
  }),
  route({
    method: 'POST',
    path: `${ENDPOINTS}/:id/redeliver`,
    operationId: 'redeliverFailedWebhookDeliveries',
    summary:
      'Sends a webhook endpoint its failed deliveries again and, on request, the events that it has missed',
    resource: webhookEndpoint,
    scope: redelivery.writeScope,
    gatewayOnly: true,
    body: bodyOf(webhookDelivery, 'creation', redeliveryFields, 'WebhookRedelivery'),
    response: objectOf(
      redelivered,
      `The number of deliveries that are sent again. The oldest come first, at most ${redelivery.MAX_REDELIVERED} per request.`,
    ),
    handle: ({ ctx, params, body, options }) => redelivery.redeliverFailed(ctx, params.id, body, options),
  }),
  route({
    method: 'POST',
    path: `${ENDPOINTS}/:id/test`,
    operationId: 'testWebhookEndpoint',
    summary: 'Sends a test event to a webhook endpoint, regardless of its subscriptions',
    resource: webhookEndpoint,
    scope: redelivery.writeScope,
    gatewayOnly: true,
    response: createdOf(details, `${MEMBERS}/`, { 201: 'The delivery of the test event.' }),
    handle: async ({ ctx, params, options }) => detailed(ctx, await redelivery.test(ctx, params.id, options)),
  }),
];
