// Events of a workspace, and the types of event that endpoints can be told about.
import { EVENT_TYPE_FIELDS, EVENT_TYPES, type EventType } from '../resources/event-types.ts';
import { webhookEvent } from '../resources/webhook-events.ts';
import * as webhookEvents from '../services/webhook-events.ts';
import { builder } from './builder.ts';
import { defineConnection } from './connection.ts';
import { Funnel } from './funnels.ts';
import { defineNode } from './nodes.ts';
import { Page } from './pages.ts';
import { Workspace } from './workspaces.ts';

/** @public Other nouns may hang below it. */
export const WebhookEvent = defineNode(webhookEvent, {
  ...webhookEvents,
  fields: (t) => ({
    page: Page.field(t, 'pageId', webhookEvent.fields.page.description),
    funnel: Funnel.field(t, 'funnelId', webhookEvent.fields.funnel.description),
    workspace: Workspace.field(t, 'workspaceId', 'The workspace that it happened in.'),
  }),
});

const WebhookEventConnection = defineConnection(WebhookEvent, webhookEvent, webhookEvents);

builder.objectField(Workspace.ref, 'webhookEvents', (t) =>
  WebhookEventConnection.field(t, 'What happened in the workspace, as webhook endpoints are told of it.'),
);

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
