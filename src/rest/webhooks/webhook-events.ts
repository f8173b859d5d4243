import { EVENT_TYPE_FIELDS } from '../../resources/event-types.ts';
import { webhookEvent } from '../../resources/webhook-events.ts';
import * as webhookEvents from '../../services/webhooks/webhook-events.ts';
import { arrayOf } from '../lists.ts';
import { wholeQuery } from '../page-query.ts';
import { outputOf } from '../responses.ts';
import { type Route, route } from '../route.ts';

const types = outputOf({
  type: 'WebhookEventType',
  description: 'A type of event to which webhook endpoints can subscribe.',
  fields: EVENT_TYPE_FIELDS,
});

export const webhookEventRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v2/webhooks/outgoing/event_types',
    operationId: 'listWebhookEventTypes',
    summary: 'Lists the event types, to which webhook endpoints can subscribe',
    resource: webhookEvent,
    query: wholeQuery,
    response: arrayOf(types, 'All event types, ordered by id. The list has no pages.'),
    handle: async ({ ctx }) => webhookEvents.listTypes(ctx),
  }),
];
