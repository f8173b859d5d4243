// What is special of deliveries: their attempts, and the mutations that make them due again, give them up and test endpoints.
import {
  attemptFields,
  deliveryDetailFields,
  MAX_ATTEMPTS_SHOWN,
  redeliveredFields,
  redeliveryFields,
  type WebhookAttempt as WebhookAttemptRow,
  webhookDelivery,
} from '../resources/webhook-deliveries.ts';
import { webhookEndpoint } from '../resources/webhook-endpoints.ts';
import * as webhookDeliveries from '../services/webhook-deliveries.ts';
import * as redelivery from '../services/webhook-redelivery.ts';
import { builder } from './builder.ts';
import { loadBatched } from './context.ts';
import { defineMutation, rowField } from './mutations.ts';
import { nodeOf } from './nouns.ts';
import { resourceFields } from './resource-fields.ts';

const { url, headers } = attemptFields.request.object;

const WebhookRequest = builder
  .objectRef<NonNullable<WebhookAttemptRow['request']>>('WebhookRequest')
  .implement({
    description: 'What was sent at an attempt, without its body.',
    fields: (t) => ({
      url: t.exposeString('url', { description: url.description }),
      headers: t.expose('headers', { type: 'JSON', description: headers.description }),
    }),
  });

const WebhookAttempt = builder.objectRef<WebhookAttemptRow>('WebhookAttempt').implement({
  description: 'An attempt to tell an endpoint of an event.',
  fields: (t) => ({
    ...resourceFields(t, attemptFields),
    request: t.field({
      type: WebhookRequest,
      nullable: true,
      description: attemptFields.request.description,
      resolve: ({ request }) => request,
    }),
  }),
});

const WebhookDelivery = nodeOf(webhookDelivery);
const WebhookEndpoint = nodeOf(webhookEndpoint);

builder.objectFields(WebhookDelivery.ref, (t) => ({
  attempts: t.field({
    type: [WebhookAttempt],
    nullable: true,
    description: deliveryDetailFields.attempts.description,
    scope: webhookDeliveries.scope,
    columns: ['id'],
    rows: MAX_ATTEMPTS_SHOWN,
    resolve: ({ id }, _args, ctx) =>
      loadBatched(ctx, 'WebhookDelivery.attempts', id, (ids) => webhookDeliveries.attemptsOf(ctx, ids)),
  }),
}));

const { writeScope: scope } = redelivery;

defineMutation('redeliverWebhookDelivery', {
  description:
    'Makes a delivery due again, now. Its attempts are counted on, and the waits between them begin anew. One that is pending, or whose endpoint is deactivated, is a CONFLICT.',
  scope,
  of: [WebhookDelivery],
  change: (ctx, [id = 0n], _input, options) => redelivery.redeliver(ctx, id, options),
  payload: (t) => ({ webhookDelivery: rowField(t, WebhookDelivery) }),
});

defineMutation('cancelWebhookDelivery', {
  description: 'Gives a delivery up. One that is not pending is a CONFLICT.',
  scope,
  of: [WebhookDelivery],
  change: (ctx, [id = 0n], _input, options) => redelivery.cancel(ctx, id, options),
  payload: (t) => ({ webhookDelivery: rowField(t, WebhookDelivery) }),
});

defineMutation('redeliverFailedWebhookDeliveries', {
  description: `Makes due again what has failed at an endpoint since a moment and, if that is wanted, sends what it has missed since then: the oldest ones, at most ${redelivery.MAX_REDELIVERED} at once. An endpoint that is deactivated is a CONFLICT.`,
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
    'Sends a test event to an endpoint, whatever it is subscribed to. An endpoint that is deactivated is a CONFLICT.',
  scope,
  of: [WebhookEndpoint],
  change: (ctx, [id = 0n], _input, options) => redelivery.test(ctx, id, options),
  payload: (t) => ({ webhookDelivery: rowField(t, WebhookDelivery) }),
});
