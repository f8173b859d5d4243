// The outgoing webhook endpoint (spec §2 "Webhook endpoint (outgoing)").
import { IDS, OF_WORKSPACE } from './description/common-fields.ts';
import type { Field, Fields } from './description/fields.ts';
import { describe, type Row } from './description/resource.ts';
import { funnel } from './funnels.ts';
import { page } from './pages.ts';
import { workspace } from './workspaces.ts';

/** The most endpoints per workspace. Each change of data writes a delivery for every subscribed, active endpoint. */
export const MAX_ENDPOINTS = 100;

/** The most missed events that are sent when an endpoint is activated, and for how many days back. */
export const MAX_MISSED = 10_000;
export const MISSED_DAYS = 7;

const PACE = {
  type: 'int4',
  nullable: true,
  writable: 'always',
  range: [1, 1_000],
  description: 'The maximum number of deliveries per second, from 1 to 1000; null for no limit.',
} as const satisfies Field;

/** The input for activating an endpoint. */
export const activationFields = {
  sendMissed: {
    type: 'bool',
    description: `Whether to send the events that the endpoint missed while it was deactivated: those of the last ${MISSED_DAYS} days, the oldest first, at most ${MAX_MISSED}. By default true, unless the endpoint was deactivated because it answered 410, or because its subscriber lost the right to read the events. Pending deliveries are always sent.`,
  },
  maxDeliveriesPerSecond: {
    ...PACE,
    description:
      'The new maximum number of deliveries per second, from 1 to 1000, including missed events. Without it, the limit stays unchanged.',
  },
} as const satisfies Fields;

export const webhookEndpoint = describe({
  type: 'WebhookEndpoint',
  title: 'Webhook endpoint',
  table: 'webhook_endpoints',
  number: 6n,
  parent: workspace,
  plural: 'webhookEndpoints',
  listDescription: 'The outgoing webhook endpoints of the workspace.',
  parentDescription: 'The workspace that the endpoint belongs to.',
  path: 'webhooks/outgoing/endpoints',
  scope: 'webhooks',
  verbs: ['create', 'update', 'remove'],
  gatewayOnly: ['activate', 'deactivate'],
  actions: {
    activate: {
      summary:
        'Activates a webhook endpoint, so that it receives events again and, optionally, the events that it has missed',
      fields: activationFields,
    },
    deactivate: {
      summary:
        'Deactivates a webhook endpoint: it receives no deliveries until it is activated again. Its missed events remain in the list of events',
    },
  },
  wrapper: 'webhooks_outgoing_endpoint',
  description: `A URL that receives the events of a workspace. A workspace can have at most ${MAX_ENDPOINTS} endpoints.`,
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    url: {
      type: 'text',
      writable: 'always',
      required: true,
      maxLength: 2_000,
      description:
        'The URL to which deliveries are sent: http or https, without user name and password, and not in a private network.',
    },
    name: {
      type: 'text',
      writable: 'always',
      required: true,
      maxLength: 255,
      description: 'The name of the endpoint.',
    },
    eventTypeIds: {
      type: 'text[]',
      writable: 'always',
      default: [],
      maxLength: 200,
      description:
        'The event types that the endpoint receives, each of the form `<resource>.<event>`. Empty means all types.',
    },
    apiVersion: { type: 'int4', description: 'The API version of deliveries.' },
    createdAt: { type: 'timestamp', description: 'When the endpoint was created.' },
    updatedAt: { type: 'timestamp', description: 'When the endpoint was last changed.' },
    pageIds: {
      type: 'int8[]',
      writable: 'always',
      default: [],
      refers: page,
      paged: true,
      objectDescription: 'The pages to which the endpoint is limited, without discarded ones.',
      maxLength: 1_000,
      description:
        'The integer ids of the pages to which the endpoint is limited. Empty means no limit to pages.',
    },
    funnelIds: {
      type: 'int8[]',
      writable: 'always',
      default: [],
      refers: funnel,
      paged: true,
      objectDescription: 'The funnels to which the endpoint is limited.',
      maxLength: 1_000,
      description:
        'The integer ids of the funnels to which the endpoint is limited. Empty means no limit to funnels.',
    },
    strictOrder: {
      graphqlName: 'hasStrictOrder',
      type: 'bool',
      writable: 'always',
      default: false,
      description:
        'Whether deliveries are sent one at a time, in the order of the events. A failing delivery delays the next ones by at most one hour.',
    },
    maxDeliveriesPerSecond: PACE,
    deactivatedAt: {
      type: 'timestamp',
      nullable: true,
      description: 'When the endpoint was deactivated. Null while it is active.',
    },
    deactivationReason: {
      type: 'text',
      nullable: true,
      values: ['requested', 'failing', 'gone', 'unauthorized'],
      valueDescriptions: {
        requested: 'A client deactivated the endpoint.',
        failing: 'All attempts had failed for days.',
        gone: 'The endpoint answered 410 Gone.',
        unauthorized: 'The subscriber of the endpoint lost the right to read the events.',
      },
      description:
        'Why the endpoint was deactivated: `requested`, `failing` if all attempts had failed for days, `gone` if it answered 410, or `unauthorized` if its subscriber lost the right to read the events.',
    },
    failingSince: {
      type: 'timestamp',
      nullable: true,
      description: 'Since when all attempts have failed. Null if the last attempt succeeded.',
    },
  },
  topic: 'webhooks/outgoing/endpoint',
  events: ['deactivated', 'tested'],
  subjectType: 'Webhooks::Outgoing::Endpoint',
  sorts: ['createdAt', 'updatedAt', 'name'],
  scannedSorts: ['createdAt', 'name'],
});

const { strictOrder, maxDeliveriesPerSecond, deactivatedAt, deactivationReason, failingSince, ...specified } =
  webhookEndpoint.fields;

/** An endpoint in REST's lists: exactly the eleven fields of the specification (spec §2). */
export const listedWebhookEndpoint = describe({
  ...webhookEndpoint,
  type: 'ListedWebhookEndpoint',
  fields: specified,
});

/** An endpoint with its secret, which is returned only when the endpoint is created or the secret is replaced. */
export const webhookEndpointWithSecret = describe({
  ...webhookEndpoint,
  type: 'WebhookEndpointWithSecret',
  fields: {
    ...webhookEndpoint.fields,
    webhookSecret: {
      type: 'text',
      description:
        'The secret that signs deliveries: 64 hexadecimal digits, used as text. Only this answer contains it.',
    },
  },
});

/** The input for replacing a secret. */
export const rotationFields = {
  overlapSeconds: {
    type: 'int4',
    range: [0, 604_800],
    default: 86_400,
    description:
      'For how many seconds the old secret also signs deliveries, from 0 to 604800. By default one day.',
  },
} as const satisfies Fields;

export interface WebhookEndpointRow extends Row<typeof webhookEndpoint> {}
export interface WebhookEndpointWithSecretRow extends Row<typeof webhookEndpointWithSecret> {}
