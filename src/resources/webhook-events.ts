// The event: something that happened in a workspace, in the form that webhook endpoints receive.
import { describe, type Fields, IDS, OF_WORKSPACE, type Row } from './resource.ts';
import { workspace } from './workspaces.ts';

/** The page or funnel of an event. */
const SUMMARY = { ...IDS, name: { type: 'text', description: 'Its name.' } } as const satisfies Fields;

export const webhookEvent = describe({
  type: 'WebhookEvent',
  title: 'Webhook event',
  table: 'events',
  number: 15n,
  parent: workspace,
  plural: 'webhookEvents',
  listDescription: 'What happened in the workspace, as webhook endpoints are told of it.',
  parentDescription: 'The workspace that it happened in.',
  path: 'webhooks/outgoing/events',
  scope: 'webhooks',
  numerous: true,
  description:
    'Something that happened in a workspace. Events are recorded whether or not endpoints are subscribed to them, and kept for a time (30 days, unless the operator changes that).',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    uuid: {
      type: 'text',
      format: 'uuid',
      description: 'The `event_id` of its deliveries, the same at every attempt.',
    },
    eventTypeId: { type: 'text', description: 'What happened, such as `contact.created`.' },
    subjectId: { type: 'int8', description: 'The integer id of what it happened to.' },
    subjectType: {
      type: 'text',
      description: 'What it happened to, such as `Contact` or `Contacts::AppliedTag`.',
    },
    data: {
      type: 'jsonb',
      nullable: true,
      description:
        'The subject as REST showed it then. Null once it was erased, and for a caller who may not read such objects: contacts and their tags need `contacts:read`.',
    },
    apiVersion: { type: 'int4', description: 'The version of the API that `data` is written in.' },
    createdAt: { type: 'timestamp', description: 'When it happened.' },
    page: {
      type: 'json',
      object: SUMMARY,
      nullable: true,
      description: 'The page where it happened, if there is one; shown to callers who may read `data`.',
    },
    funnel: {
      type: 'json',
      object: SUMMARY,
      nullable: true,
      description: 'The funnel where it happened, if there is one; shown to callers who may read `data`.',
    },
    pageId: { type: 'int8', nullable: true, internal: true, description: 'The integer id of the page.' },
    funnelId: { type: 'int8', nullable: true, internal: true, description: 'The integer id of the funnel.' },
  },
  unchanging: true,
});

export interface WebhookEventRow extends Row<typeof webhookEvent> {}
