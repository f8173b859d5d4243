// The mutations as data: which change of REST each one is, and what it is given in a tenant.
import type { Tenant } from './operations.ts';

/** The global id of an object. */
const globalId = (type: string, id: bigint) => btoa(`${type}:${id}`);
export const contactId = ({ contact }: Tenant) => globalId('Contact', contact.id);
const workspaceId = ({ workspace }: Tenant) => globalId('Workspace', workspace.id);
const tagId = ({ tag }: Tenant) => globalId('Tag', tag.id);

/** A mutation, and what it is given in a tenant. */
export type Mutation = readonly [field: string, input: (tenant: Tenant) => object];
const removeTag: Mutation = [
  'removeTag',
  (t) => ({ contactId: contactId(t), tagId: globalId('Tag', t.appliedTag.tagId) }),
];
const removeSplit: Mutation = [
  'removeConditionalSplit',
  ({ funnel, split }) => ({
    funnelId: globalId('Funnel', funnel.id),
    splitId: globalId('ConditionalSplitStep', split.id),
  }),
];
const updateContact: Mutation = ['updateContact', (t) => ({ contactId: contactId(t), firstName: 'Other' })];
const updateTag: Mutation = ['updateTag', (t) => ({ tagId: tagId(t), name: 'Other' })];

const endpointId = ({ webhookEndpoint }: Tenant) => globalId('WebhookEndpoint', webhookEndpoint.id);
const updateEndpoint: Mutation = [
  'updateWebhookEndpoint',
  (t) => ({ webhookEndpointId: endpointId(t), name: 'Other', eventTypeIds: ['contact.created'] }),
];
const ENDPOINT = '/api/v2/webhooks/outgoing/endpoints/:id';
const DELIVERY = '/api/v2/webhooks/outgoing/deliveries/:id';

/** What GraphQL calls each change of REST. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'POST /api/v2/workspaces/:workspace_id/contacts': [
    'createContact',
    (t) => ({ workspaceId: workspaceId(t), firstName: 'New' }),
  ],
  'POST /api/v2/workspaces/:workspace_id/contacts/upsert': [
    'upsertContact',
    (t) => ({ workspaceId: workspaceId(t), emailAddress: 'new@example.com' }),
  ],
  'PUT /api/v2/contacts/:id': updateContact,
  'PATCH /api/v2/contacts/:id': updateContact,
  'DELETE /api/v2/contacts/:id': ['deleteContact', (t) => ({ contactId: contactId(t) })],
  'DELETE /api/v2/contacts/:id/gdpr_destroy': ['eraseContact', (t) => ({ contactId: contactId(t) })],
  'POST /api/v2/workspaces/:workspace_id/contacts/tags': [
    'createTag',
    (t) => ({ workspaceId: workspaceId(t), name: 'New' }),
  ],
  'PUT /api/v2/contacts/tags/:id': updateTag,
  'PATCH /api/v2/contacts/tags/:id': updateTag,
  'DELETE /api/v2/contacts/tags/:id': ['deleteTag', (t) => ({ tagId: tagId(t) })],
  'POST /api/v2/contacts/:contact_id/applied_tags': [
    'applyTag',
    (t) => ({ contactId: contactId(t), tagId: tagId(t) }),
  ],
  'DELETE /api/v2/contacts/applied_tags/:id': removeTag,
  'DELETE /api/v2/contacts/:contact_id/applied_tags/:tag_id': removeTag,
  'POST /api/v2/workspaces/:workspace_id/webhooks/outgoing/endpoints': [
    'createWebhookEndpoint',
    (t) => ({
      ...{ workspaceId: workspaceId(t), url: 'https://hooks.example.com/new', name: 'New' },
      eventTypeIds: ['contact.created'],
    }),
  ],
  [`PUT ${ENDPOINT}`]: updateEndpoint,
  [`PATCH ${ENDPOINT}`]: updateEndpoint,
  [`DELETE ${ENDPOINT}`]: ['deleteWebhookEndpoint', (t) => ({ webhookEndpointId: endpointId(t) })],
  [`POST ${ENDPOINT}/activate`]: ['activateWebhookEndpoint', (t) => ({ webhookEndpointId: endpointId(t) })],
  [`POST ${ENDPOINT}/deactivate`]: [
    'deactivateWebhookEndpoint',
    (t) => ({ webhookEndpointId: endpointId(t) }),
  ],
  [`POST ${ENDPOINT}/rotate_secret`]: [
    'rotateWebhookEndpointSecret',
    (t) => ({ webhookEndpointId: endpointId(t) }),
  ],
  [`POST ${ENDPOINT}/redeliver`]: [
    'redeliverFailedWebhookDeliveries',
    (t) => ({ webhookEndpointId: endpointId(t), since: '2026-01-01T00:00:00Z' }),
  ],
  [`POST ${ENDPOINT}/test`]: ['testWebhookEndpoint', (t) => ({ webhookEndpointId: endpointId(t) })],
  [`POST ${DELIVERY}/redeliver`]: [
    'redeliverWebhookDelivery',
    ({ webhookDelivery }) => ({ webhookDeliveryId: globalId('WebhookDelivery', webhookDelivery.id) }),
  ],
  [`POST ${DELIVERY}/cancel`]: [
    'cancelWebhookDelivery',
    ({ pendingDelivery }) => ({ webhookDeliveryId: globalId('WebhookDelivery', pendingDelivery.id) }),
  ],
  'DELETE /api/v2/funnels/:funnel_id/conditional_split_steps/:id': removeSplit,
  'DELETE /funnels/:funnel_id/conditional_split_steps/:id': removeSplit,
};
