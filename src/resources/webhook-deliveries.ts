// The delivery of one event to one webhook endpoint, and its attempts.
import { IDS, OF_WORKSPACE } from './description/common-fields.ts';
import type { Fields, RowOf } from './description/fields.ts';
import { describe, type Row } from './description/resource.ts';
import { webhookEndpoint } from './webhook-endpoints.ts';
import { webhookEvent } from './webhook-events.ts';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'canceled'] as const;

/** The most attempts in the output of a delivery. */
export const MAX_ATTEMPTS_SHOWN = 20;

export const webhookDelivery = describe({
  type: 'WebhookDelivery',
  title: 'Webhook delivery',
  table: 'webhook_deliveries',
  number: 16n,
  parent: webhookEndpoint,
  parentKey: 'endpointId',
  plural: 'deliveries',
  parentDescription: 'The endpoint that receives the event.',
  listDescription: 'The deliveries to the endpoint, one for each event.',
  path: 'deliveries',
  members: 'webhooks/outgoing/deliveries',
  scope: 'webhooks',
  gatewayOnly: true,
  numerous: true,
  description:
    'The delivery of one event to one endpoint. It is attempted until an attempt succeeds or the last attempt has failed.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    endpointId: { type: 'int8', description: 'The integer id of the endpoint.' },
    eventId: {
      type: 'int8',
      refers: webhookEvent,
      objectDescription: 'The event. Null once it is no longer kept.',
      description: 'The integer id of the event.',
    },
    eventTypeId: { type: 'text', description: 'The type of the event, such as `contact.created`.' },
    status: {
      type: 'text',
      values: DELIVERY_STATUSES,
      valueDescriptions: {
        pending: 'The delivery is waiting for its next attempt.',
        delivered: 'The endpoint has accepted the event: an attempt succeeded.',
        failed: 'The last attempt failed, and no further attempt is made.',
        canceled:
          'The event is not sent: its endpoint was removed or lost the right to it, or its data was erased.',
      },
      description:
        'The status of the delivery: `pending` until an attempt succeeds (`delivered`), the last attempt has failed (`failed`), or the delivery is canceled (`canceled`).',
    },
    attemptCount: { type: 'int4', description: 'The number of attempts so far.' },
    nextAttemptAt: {
      type: 'timestamp',
      nullable: true,
      description: 'When the next attempt is due. Null unless the delivery is pending.',
    },
    responseCode: {
      type: 'int4',
      nullable: true,
      description: 'The HTTP status of the last answer; null if there was none.',
    },
    deliveredAt: { type: 'timestamp', nullable: true, description: 'When an attempt succeeded.' },
    createdAt: {
      type: 'timestamp',
      description: 'When the event happened, or later if the endpoint had missed it.',
    },
    updatedAt: { type: 'timestamp', description: 'When the delivery was last attempted or changed.' },
  },
  topic: 'webhooks/outgoing/delivery',
  subjectType: 'Webhooks::Outgoing::Delivery',
  filters: {
    eventId: { unique: true, index: 'webhook_deliveries_workspace_id_event_id_idx' },
    status: { index: 'webhook_deliveries_workspace_id_endpoint_id_status_id_idx' },
  },
});

export interface WebhookDeliveryRow extends Row<typeof webhookDelivery> {}

const ECHO =
  'Null for a caller who may not read the subject of the event: contacts and their tags need `contacts:read`.';

export const attemptFields = {
  number: { type: 'int4', description: 'The number of the attempt, from 1.' },
  startedAt: { type: 'timestamp', description: 'When the attempt began.' },
  durationMs: { type: 'int4', description: 'The duration of the attempt in milliseconds.' },
  responseCode: {
    type: 'int4',
    nullable: true,
    description: 'The HTTP status of the answer; null if there was none.',
  },
  error: { type: 'text', nullable: true, description: 'Why there was no answer; null if there was one.' },
  responseStart: {
    type: 'text',
    nullable: true,
    description: `The start of the answer’s body; null once it was erased. ${ECHO}`,
  },
  request: {
    type: 'json',
    nullable: true,
    object: {
      url: { type: 'text', description: 'The URL of the request.' },
      headers: {
        type: 'json',
        description: 'The headers of the request, as an object with a member for each.',
      },
    },
    description: `The request, without its body, which is the event. ${ECHO}`,
  },
} as const satisfies Fields;

export interface WebhookAttempt extends RowOf<typeof attemptFields> {}

/** A single delivery with its attempts. Lists omit the attempts, since a page of them could have megabytes. */
export const deliveryDetailFields = {
  ...webhookDelivery.fields,
  attempts: {
    type: 'json',
    items: attemptFields,
    description: `The attempts in order; only the last ${MAX_ATTEMPTS_SHOWN} if there are more.`,
  },
} as const satisfies Fields;

export interface WebhookDeliveryDetail extends RowOf<typeof deliveryDetailFields> {}

/** The input for redelivering all failed deliveries. */
export const redeliveryFields = {
  since: {
    type: 'timestamp',
    required: true,
    description:
      'Only deliveries whose last attempt failed at this time or later; of missed events, only those that happened at this time or later.',
  },
  missed: {
    graphqlName: 'sendMissed',
    type: 'bool',
    default: false,
    description:
      'Whether to also send missed events: events that the endpoint is subscribed to and that happened while it was deactivated.',
  },
} as const satisfies Fields;

/** The result of redelivering all failed deliveries. */
export const redeliveredFields = {
  count: { type: 'int4', description: 'The number of deliveries that are sent again.' },
  hasMore: { type: 'bool', description: 'Whether more remain. Repeat the request to send them.' },
} as const satisfies Fields;

export interface Redelivered extends RowOf<typeof redeliveredFields> {}
