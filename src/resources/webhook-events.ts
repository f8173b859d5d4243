// The event: something that happened in a workspace, in the form that webhook endpoints receive.
import { IDS, OF_WORKSPACE } from './description/common-fields.ts';
import type { Fields } from './description/fields.ts';
import { describe, type Row } from './description/resource.ts';
import { OF_TAGGING } from './tagging.ts';
import { workspace } from './workspaces.ts';

/** The page or funnel of an event. */
const SUMMARY = {
  ...IDS,
  name: { type: 'text', description: 'The name of the page or funnel.' },
} as const satisfies Fields;

export const webhookEvent = describe({
  type: 'WebhookEvent',
  title: 'Webhook event',
  table: 'events',
  number: 15n,
  parent: workspace,
  plural: 'webhookEvents',
  listDescription: 'The events of the workspace, in the form that webhook endpoints receive.',
  parentDescription: 'The workspace in which the event happened.',
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
      description: 'The id that its deliveries carry, the same at every attempt.',
    },
    eventTypeId: { type: 'text', description: 'The type of the event, such as `contact.created`.' },
    subjectId: { type: 'int8', graphql: false, description: 'The integer id of the event’s subject.' },
    ...OF_TAGGING,
    subjectType: {
      graphql: false,
      type: 'text',
      description: 'The type of the event’s subject, such as `Contact` or `Contacts::AppliedTag`.',
    },
    data: {
      type: 'jsonb',
      nullable: true,
      description:
        'The subject at the time of the event, in its REST form. Null if the data was erased, or if the caller may not read such objects: contacts and their tags need `contacts:read`.',
    },
    apiVersion: { type: 'int4', description: 'The API version of `data`.' },
    createdAt: { type: 'timestamp', description: 'When the event happened.' },
    page: {
      type: 'json',
      object: SUMMARY,
      nullable: true,
      description: 'The page where the event happened, if any. Null if the caller may not read `data`.',
    },
    funnel: {
      type: 'json',
      object: SUMMARY,
      nullable: true,
      description: 'The funnel where the event happened, if any. Null if the caller may not read `data`.',
    },
    pageId: { type: 'int8', nullable: true, internal: true, description: 'The integer id of the page.' },
    funnelId: { type: 'int8', nullable: true, internal: true, description: 'The integer id of the funnel.' },
  },
  unchanging: true,
});

export interface WebhookEventRow extends Row<typeof webhookEvent> {}
