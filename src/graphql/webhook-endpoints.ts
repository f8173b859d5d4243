// What is special of outgoing webhook endpoints: what they are limited to, their secrets, and activating and deactivating them.
import { funnel } from '../resources/funnels.ts';
import { page } from '../resources/pages.ts';
import {
  activationFields,
  rotationFields,
  type WebhookEndpointWithSecretRow,
  webhookEndpoint,
  webhookEndpointWithSecret,
} from '../resources/webhook-endpoints.ts';
import * as activation from '../services/webhook-activation.ts';
import * as webhookEndpoints from '../services/webhook-endpoints.ts';
import { builder, type Types } from './builder.ts';
import type { GraphContext } from './context.ts';
import { defineMutation, rowField } from './mutations.ts';
import type { NodeType } from './nodes.ts';
import { createdPayloadOf, nodeOf } from './nouns.ts';

const WebhookEndpoint = nodeOf(webhookEndpoint);
const Page = nodeOf(page);
const Funnel = nodeOf(funnel);

builder.objectFields(WebhookEndpoint.ref, (t) => ({
  pages: t.field({
    type: [Page.ref],
    nullable: true,
    description: 'The pages it is limited to, without discarded ones.',
    scope: Page.scope,
    columns: ['pageIds'],
    resolve: ({ pageIds }, _args, ctx) => loadExisting(ctx, Page, pageIds),
  }),
  funnels: t.field({
    type: [Funnel.ref],
    nullable: true,
    description: 'The funnels it is limited to.',
    scope: Funnel.scope,
    columns: ['funnelIds'],
    resolve: ({ funnelIds }, _args, ctx) => loadExisting(ctx, Funnel, funnelIds),
  }),
}));

async function loadExisting<Row>(
  ctx: GraphContext,
  type: NodeType<Row>,
  ids: readonly bigint[],
): Promise<Row[]> {
  const rows = await Promise.all(ids.map((id) => type.load(ctx, id)));
  return rows.filter((row) => row !== null);
}

/** The secret, in the payload of the mutations that make one. */
function secretField(
  t: PothosSchemaTypes.ObjectFieldBuilder<
    Types,
    { readonly result: { readonly row: WebhookEndpointWithSecretRow } }
  >,
) {
  return t.string({
    description: webhookEndpointWithSecret.fields.webhookSecret.description,
    resolve: ({ result }) => result.row.webhookSecret,
  });
}

builder.objectField(
  createdPayloadOf<WebhookEndpointWithSecretRow>(webhookEndpoint),
  'webhookSecret',
  secretField,
);

defineMutation('activateWebhookEndpoint', {
  description: 'Sends to a webhook endpoint again, and what it has missed unless told otherwise.',
  scope: webhookEndpoints.writeScope,
  of: [WebhookEndpoint],
  fields: activationFields,
  change: (ctx, [id = 0n], input, options) => activation.activate(ctx, id, input, options),
  payload: (t) => ({ webhookEndpoint: rowField(t, WebhookEndpoint) }),
});

defineMutation('deactivateWebhookEndpoint', {
  description:
    'Sends nothing more to a webhook endpoint until it is activated again. What happens meanwhile is in the list of events.',
  scope: webhookEndpoints.writeScope,
  of: [WebhookEndpoint],
  change: (ctx, [id = 0n], _input, options) => activation.deactivate(ctx, id, options),
  payload: (t) => ({ webhookEndpoint: rowField(t, WebhookEndpoint) }),
});

defineMutation('rotateWebhookEndpointSecret', {
  description: 'Gives a webhook endpoint another secret. For a while the one before signs as well.',
  scope: webhookEndpoints.writeScope,
  of: [WebhookEndpoint],
  fields: rotationFields,
  change: (ctx, [id = 0n], input, options) => activation.rotateSecret(ctx, id, input, options),
  payload: (t) => ({
    webhookEndpoint: rowField(t, WebhookEndpoint),
    webhookSecret: secretField(t),
  }),
});
