// Outgoing webhook endpoints of a workspace (spec §2).
import { requireScope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { AppError, invalid } from '../errors.ts';
import { isEventType } from '../resources/event-types.ts';
import { funnel } from '../resources/funnels.ts';
import { page } from '../resources/pages.ts';
import type { Field } from '../resources/resource.ts';
import {
  type WebhookEndpointRow,
  type WebhookEndpointWithSecretRow,
  webhookEndpoint,
} from '../resources/webhook-endpoints.ts';
import { findById, findByIds } from '../store/reading/rows.ts';
import type { Tenancy } from '../store/sql/tenancy.ts';
import { tableOf } from '../store/tables/tables.ts';
import { WEBHOOK_ENDPOINT_RULES } from '../store/webhooks/webhook-endpoints.ts';
import type { Done } from './mutate.ts';
import { type Input, isObject } from './parse-fields.ts';
import { parseRef, type Ref } from './refs.ts';
import { requireReadable } from './webhook-rights.ts';
import { newSecret, withSecret } from './webhook-secrets.ts';
import { parseWebhookUrl } from './webhook-urls.ts';
import type { WriteOptions } from './write-options.ts';
import { writesOf } from './writes.ts';

const FUNNELS = tableOf(funnel);
const PAGES = tableOf(page);
const WEBHOOK_ENDPOINTS = tableOf(webhookEndpoint);

const writes = writesOf(webhookEndpoint, {
  ...WEBHOOK_ENDPOINT_RULES,
  normalize: withLists,
  parameters: (ctx) => ({ secret: Buffer.from(newSecret(ctx)).toString('hex') }),
});
export const { writeScope, remove } = writes;

const MAX_PER_SECOND = 1_000;
/** Retries: another request may change the endpoint at the same time. */
const MAX_ATTEMPTS = 5;

/**
 * Creates an endpoint. The answer contains its secret, which is never shown again.
 * @throws AppError as for every noun, and `insufficient_scope`
 */
export async function create(
  ctx: Context,
  workspace: Ref,
  input: Input,
  options: WriteOptions,
): Promise<Done<WebhookEndpointWithSecretRow>> {
  const { tenancy } = requireScope(ctx, writeScope);
  const given = await parse(ctx, tenancy, input, 'creation', parseRef('Workspace', 'workspaces', workspace));
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
): Promise<Done<WebhookEndpointRow>> {
  const { tenancy } = requireScope(ctx, writeScope);
  const id = parseRef(WEBHOOK_ENDPOINTS.title, WEBHOOK_ENDPOINTS.name, ref);
  const now = await findById(ctx, WEBHOOK_ENDPOINTS, tenancy, id);
  const given = await parse(ctx, tenancy, input, 'change', now?.workspaceId ?? null);
  const isSubscription = SUBSCRIPTION.some((property) => given[property] !== undefined);
  if (!isSubscription) return writes.update(ctx, ref, input, options);
  const fits = (row: object) => {
    requireReadable(ctx, given.eventTypeIds ?? (row as WebhookEndpointRow).eventTypeIds);
    return options.fits?.(row) ?? true;
  };
  for (let attempt = 1; ; attempt++) {
    try {
      return await writes.update(ctx, ref, input, { ...options, fits });
    } catch (error) {
      const wasChanged =
        error instanceof AppError && error.code === 'precondition_failed' && options.fits === null;
      if (!wasChanged || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Parses the input of an endpoint. @param workspaceId null: there is no such endpoint @throws AppError `invalid` blaming members */
async function parse(
  ctx: Context,
  tenancy: Tenancy,
  input: Input,
  moment: 'creation' | 'change',
  workspaceId: bigint | null,
): Promise<Partial<WebhookEndpointRow>> {
  const given = writes.parse(input, moment);
  const nameOf = (property: keyof typeof webhookEndpoint.fields) =>
    input.nameOf(property, webhookEndpoint.fields[property] as Field);
  if (given.url !== undefined) parseWebhookUrl(given.url, nameOf('url'), ctx.config.webhooks.allowedNetworks);
  const unknown = given.eventTypeIds?.filter((id) => !isEventType(id)) ?? [];
  if (unknown.length > 0)
    throw invalid(
      nameOf('eventTypeIds'),
      `${nameOf('eventTypeIds')} names types of event that do not exist: ${unknown.slice(0, 5).join(', ')}. GET /api/v2/webhooks/outgoing/event_types lists those that there are.`,
    );
  requirePace(given.maxDeliveriesPerSecond, nameOf('maxDeliveriesPerSecond'));
  await requireOwn(ctx, tenancy, PAGES, workspaceId, given.pageIds, nameOf('pageIds'));
  await requireOwn(ctx, tenancy, FUNNELS, workspaceId, given.funnelIds, nameOf('funnelIds'));
  return given;
}

/** @throws AppError `invalid` */
export function requirePace(perSecond: number | null | undefined, name: string): void {
  if (perSecond != null && (perSecond < 1 || perSecond > MAX_PER_SECOND))
    throw invalid(name, `${name} must be null or from 1 to ${MAX_PER_SECOND}.`);
}

/** Checks that all ids belong to the workspace. @throws AppError `invalid` */
async function requireOwn(
  ctx: Context,
  tenancy: Tenancy,
  table: typeof PAGES | typeof FUNNELS,
  workspaceId: bigint | null,
  ids: readonly bigint[] | undefined,
  name: string,
): Promise<void> {
  if (ids === undefined || ids.length === 0 || workspaceId === null) return;
  const rows = (await findByIds(ctx, table, tenancy, ids)) as ({ workspaceId: bigint } | null)[];
  const missing = ids.filter((_, index) => rows[index]?.workspaceId !== workspaceId);
  if (missing.length > 0)
    throw invalid(
      name,
      `${name} names something that does not exist in the workspace: ${missing.slice(0, 5).join(', ')}.`,
    );
}

const LISTS = ['eventTypeIds', 'pageIds', 'funnelIds'] as const;
/** The properties that decide where events are sent, and which. */
const SUBSCRIPTION = ['url', ...LISTS] as const;

/** Treats null as an empty list, as clients send it. */
function withLists(input: Input): Input {
  const { members } = input;
  if (!isObject(members)) return input;
  const empty = LISTS.map((property) => input.nameOf(property, webhookEndpoint.fields[property]))
    .filter((name) => members[name] === null)
    .map((name) => [name, []]);
  return { ...input, members: { ...members, ...Object.fromEntries(empty) } };
}
