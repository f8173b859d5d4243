// Adds to events the page and funnel where they happened, and defines the list of event types.
import { EVENT_TYPE_FIELDS, EVENT_TYPES } from '../../resources/event-types.ts';
import { funnel } from '../../resources/funnels.ts';
import { page } from '../../resources/pages.ts';
import { webhookEvent } from '../../resources/webhook-events.ts';
import * as webhookEvents from '../../services/webhooks/webhook-events.ts';
import { builder } from '../builder.ts';
import { nodeOf } from '../nouns.ts';
import { objectType } from '../resource-fields.ts';
import { subjectFields } from '../subjects.ts';

builder.objectFields(nodeOf(webhookEvent).ref, (t) => ({
  ...subjectFields(t, 'subject of the event'),
  page: nodeOf(page).field(t, 'pageId', webhookEvent.fields.page.description),
  funnel: nodeOf(funnel).field(t, 'funnelId', webhookEvent.fields.funnel.description),
}));

const WebhookEventType = objectType(
  'WebhookEventType',
  'A type of event to which webhook endpoints can subscribe.',
  EVENT_TYPE_FIELDS,
  (t) => ({ id: t.exposeString('id', { description: EVENT_TYPE_FIELDS.id.description }) }),
);

builder.queryField('webhookEventTypes', (t) =>
  t.field({
    type: [WebhookEventType],
    nullable: true,
    description:
      'All types of event to which webhook endpoints can subscribe, ordered by id. Any valid credential is enough; no scope is needed.',
    rows: EVENT_TYPES.length,
    resolve: (_root, _args, ctx) => webhookEvents.listTypes(ctx),
  }),
);
