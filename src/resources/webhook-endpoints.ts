// What an outgoing webhook endpoint is (spec §2 "Webhook endpoint (outgoing)").
import { describe, IDS, OF_WORKSPACE, type Row } from './resource.ts';

export const webhookEndpoint = describe({
  type: 'WebhookEndpoint',
  title: 'Webhook endpoint',
  table: 'webhook_endpoints',
  description: 'An address of the workspace’s owner that is told about events.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    url: { type: 'text', description: 'The address that deliveries are sent to.' },
    name: { type: 'text', description: 'The name of the endpoint.' },
    eventTypeIds: {
      type: 'text[]',
      description: 'The types of event it is told about, each of the form `<resource>.<event>`.',
    },
    apiVersion: { type: 'int4', description: 'The version of the API that deliveries are written in.' },
    createdAt: { type: 'timestamp', description: 'When the endpoint was created.' },
    updatedAt: { type: 'timestamp', description: 'When the endpoint was last changed.' },
    pageIds: {
      type: 'int8[]',
      description: 'The integer ids of the pages it is limited to; empty when it is not limited to pages.',
    },
    funnelIds: {
      type: 'int8[]',
      description:
        'The integer ids of the funnels it is limited to; empty when it is not limited to funnels.',
    },
  },
});

export interface WebhookEndpointRow extends Row<typeof webhookEndpoint> {}
