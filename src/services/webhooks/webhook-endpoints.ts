// Outgoing webhook endpoints of a workspace (spec §2).
import { requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { invalid, parseAll, quoted } from '../../errors.ts';
import type { Moment } from '../../resources/description/inputs.ts';
import { isEventType } from '../../resources/event-types.ts';
import {
  type WebhookEndpointRow,
  type WebhookEndpointWithSecretRow,
  webhookEndpoint,
} from '../../resources/webhook-endpoints.ts';
import { WEBHOOK_ENDPOINT_RULES } from '../../store/webhooks/webhook-endpoints.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import { writesOf } from '../changing/writes.ts';
import { type Input, isObject } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import type { Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';
import { activate, deactivate } from './webhook-activation.ts';
import { requireReadable } from './webhook-rights.ts';
import { newSecret, withSecret } from './webhook-secrets.ts';
import { parseWebhookUrl } from './webhook-urls.ts';

const writes = writesOf(webhookEndpoint, {
  ...WEBHOOK_ENDPOINT_RULES,
  normalize: withLists,
  parameters: (ctx) => ({ secret: Buffer.from(newSecret(ctx)).toString('hex') }),
});
export const { writeScope, remove } = writes;

/**
 * Creates an endpoint. The answer contains its secret, which is never shown again.
 * @throws AppError as for every noun, and `insufficient_scope`
 */
export async function create(
  ctx: Context,
  workspace: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<WebhookEndpointWithSecretRow>> {
  requireScope(ctx, writeScope);
  const given = parse(ctx, input, 'creation');
  requireReadable(ctx, given.eventTypeIds ?? []);
  return withSecret(ctx, await writes.create(ctx, workspace, input, options));
}

/**
 * Changes an endpoint. To change its URL or its subscription, the caller must be able to read the events.
 * @throws AppError as for every noun, and `insufficient_scope`
 */
export async function update(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<WebhookEndpointRow>> {
  requireScope(ctx, writeScope);
  const given = parse(ctx, input, 'change');
  const isSubscription = SUBSCRIPTION.some((property) => given[property] !== undefined);
  if (!isSubscription) return writes.update(ctx, ref, input, options);
  const precondition = (row: object) => {
    requireReadable(ctx, given.eventTypeIds ?? (row as WebhookEndpointRow).eventTypeIds);
    return options.precondition?.(row) ?? true;
  };
  return writes.update(ctx, ref, input, { ...options, precondition });
}

/** Parses the input of an endpoint. @throws AppError `invalid` blaming members */
function parse(ctx: Context, input: Input, moment: Moment): Partial<WebhookEndpointRow> {
  const { allowedNetworks } = ctx.config.webhooks;
  return writes.parse(input, moment, undefined, ({ url, eventTypeIds }) =>
    parseAll({
      url: () => url !== undefined && parseWebhookUrl(url, nameOf(input, 'url'), allowedNetworks),
      eventTypeIds: () => requireKnownTypes(eventTypeIds ?? [], nameOf(input, 'eventTypeIds')),
    }),
  );
}

const nameOf = (input: Input, property: 'url' | 'eventTypeIds') =>
  input.nameOf(property, webhookEndpoint.fields[property]);

/** @throws AppError `invalid` for `name` */
function requireKnownTypes(eventTypeIds: readonly string[], name: string): void {
  const unknown = eventTypeIds.filter((id) => !isEventType(id));
  if (unknown.length > 0)
    throw invalid(name, {
      code: 'not_found',
      message: `there are no such event types: ${unknown.slice(0, 5).map(quoted).join(', ')}`,
      which: '. GET /api/v2/webhooks/outgoing/event_types lists them all',
    });
}

/** The properties that limit an endpoint to places. */
const PLACES = ['pageIds', 'funnelIds'] as const;
/** The properties that decide where events are sent, and which. */
const SUBSCRIPTION = ['url', 'eventTypeIds', ...PLACES] as const;

/** Treats null as an empty list of places. Null for the event types stays null: an empty list means all types. */
function withLists(input: Input): Input {
  const { members } = input;
  if (!isObject(members)) return input;
  const empty = PLACES.map((property) => input.nameOf(property, webhookEndpoint.fields[property]))
    .filter((name) => members[name] === null)
    .map((name) => [name, []]);
  return { ...input, members: { ...members, ...Object.fromEntries(empty) } };
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(webhookEndpoint, {
  writes: { writeScope, create, update, remove },
  actions: { activate, deactivate },
});
