// The outgoing webhook endpoint (spec §2 "Webhook endpoint (outgoing)").
import { funnel } from './funnels.ts';
import { page } from './pages.ts';
import { describe, type Field, type Fields, IDS, OF_WORKSPACE, type Row } from './resource.ts';
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
  description: 'How many deliveries a second are sent at most, from 1 to 1000; null for no limit.',
} as const satisfies Field;

/** The input for activating an endpoint. */
export const activationFields = {
  sendMissed: {
    type: 'bool',
    description: `Whether it is sent the events that it missed while it was deactivated: those of the last ${MISSED_DAYS} days, the oldest first, at most ${MAX_MISSED}. By default yes, unless it was deactivated because it answered 410, or because its subscriber lost the right to read the events. Pending deliveries are sent in any case.`,
  },
  maxDeliveriesPerSecond: {
    ...PACE,
    description:
      'How many deliveries a second are sent at most from now on, from 1 to 1000, missed events included. If it is not given, the limit stays as it was.',
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
  actions: {
    activate: {
      summary:
        'Activates a webhook endpoint, so that it receives events again and, if wanted, those that it has missed',
      fields: activationFields,
    },
    deactivate: {
      summary:
        'Deactivates a webhook endpoint: nothing is sent to it until it is activated again, and the list of events shows what happens in the meantime',
    },
  },
  wrapper: 'webhooks_outgoing_endpoint',
  description: `An address of the workspace’s owner that receives events. A workspace has at most ${MAX_ENDPOINTS}.`,
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    url: {
      type: 'text',
      writable: 'always',
      required: true,
      maxLength: 2_000,
      description:
        'The address that deliveries are sent to: http or https, without user name and password, and not in a private network.',
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
        'The types of event that it receives, each of the form `<resource>.<event>`; every type if it is empty.',
    },
    apiVersion: { type: 'int4', description: 'The version of the API that deliveries are written in.' },
    createdAt: { type: 'timestamp', description: 'When the endpoint was created.' },
    updatedAt: { type: 'timestamp', description: 'When the endpoint was last changed.' },
    pageIds: {
      type: 'int8[]',
      writable: 'always',
      default: [],
      refers: page,
      objectDescription: 'The pages it is limited to, without discarded ones.',
      maxLength: 1_000,
      description: 'The integer ids of the pages it is limited to; empty when it is not limited to pages.',
    },
    funnelIds: {
      type: 'int8[]',
      writable: 'always',
      default: [],
      refers: funnel,
      objectDescription: 'The funnels it is limited to.',
      maxLength: 1_000,
      description:
        'The integer ids of the funnels it is limited to; empty when it is not limited to funnels.',
    },
    strictOrder: {
      type: 'bool',
      writable: 'always',
      default: false,
      description:
        'Whether deliveries are sent one at a time, in the order of the events. One that fails holds back those behind it for an hour at most.',
    },
    maxDeliveriesPerSecond: PACE,
    deactivatedAt: {
      type: 'timestamp',
      nullable: true,
      description: 'Since when nothing is sent to it, or null while it is active.',
    },
    deactivationReason: {
      type: 'text',
      nullable: true,
      values: ['requested', 'failing', 'gone', 'unauthorized'],
      description:
        'Why nothing is sent: `requested`, `failing` when every attempt had failed for days, `gone` when it answered 410, `unauthorized` when its subscriber lost the right to read the events.',
    },
    failingSince: {
      type: 'timestamp',
      nullable: true,
      description: 'Since when every attempt has failed, or null when the last one has not.',
    },
  },
  topic: 'webhooks/outgoing/endpoint',
  events: ['deactivated', 'tested'],
  subjectType: 'Webhooks::Outgoing::Endpoint',
  sorts: ['updatedAt'],
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
        'The secret that signs deliveries: 64 hexadecimal digits, used as text. It is shown in this answer only.',
    },
  },
});

/** The input for replacing a secret. */
export const rotationFields = {
  overlapSeconds: {
    type: 'int4',
    range: [0, 604_800],
    default: 86_400,
    description: 'For how many seconds the old secret signs as well, from 0 to 604800. By default a day.',
  },
} as const satisfies Fields;

export interface WebhookEndpointRow extends Row<typeof webhookEndpoint> {}
export interface WebhookEndpointWithSecretRow extends Row<typeof webhookEndpointWithSecret> {}
