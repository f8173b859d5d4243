// What is special of events: where they happened, and the types of event that endpoints can be told about.
import { EVENT_TYPE_FIELDS, EVENT_TYPES, type EventType } from '../resources/event-types.ts';
import { funnel } from '../resources/funnels.ts';
import { page } from '../resources/pages.ts';
import { webhookEvent } from '../resources/webhook-events.ts';
import * as webhookEvents from '../services/webhook-events.ts';
import { builder } from './builder.ts';
import { nodeOf } from './nouns.ts';

builder.objectFields(nodeOf(webhookEvent).ref, (t) => ({
  page: nodeOf(page).field(t, 'pageId', webhookEvent.fields.page.description),
  funnel: nodeOf(funnel).field(t, 'funnelId', webhookEvent.fields.funnel.description),
}));

const { id, topic, scope } = EVENT_TYPE_FIELDS;

const WebhookEventType = builder.objectRef<EventType>('WebhookEventType').implement({
  description: 'A type of event that webhook endpoints can be told about.',
  fields: (t) => ({
    id: t.exposeString('id', { description: id.description }),
    topic: t.exposeString('topic', { description: topic.description }),
    scope: t.exposeString('scope', { description: scope.description }),
  }),
});

builder.queryField('webhookEventTypes', (t) =>
  t.field({
    type: [WebhookEventType],
    nullable: true,
    description:
      'Every type of event that webhook endpoints can be told about, in the order of their ids. Any valid credential will do, whatever its scopes.',
    rows: EVENT_TYPES.length,
    resolve: (_root, _args, ctx) => webhookEvents.listTypes(ctx),
  }),
);
