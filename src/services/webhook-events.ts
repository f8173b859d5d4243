// Events of a workspace. What an event holds of its subject is for those who may read such objects.
import { covers, requireCaller } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { EVENT_TYPES, type EventType, scopeOfEventType } from '../resources/event-types.ts';
import type { WebhookEventRow } from '../resources/webhook-events.ts';
import { setNull } from '../rows/columns.ts';
import { WEBHOOK_EVENTS } from '../store/tables.ts';
import { type Reads, readsOf } from './reads.ts';

const HELD = ['data', 'page', 'funnel', 'pageId', 'funnelId'];
const reads = readsOf(WEBHOOK_EVENTS, 'webhooks:read');

export const { scope, countMany, existMany } = reads;

/** Every type of event that endpoints can be told about, whatever the caller's scopes. */
export function listTypes(ctx: Context): readonly EventType[] {
  requireCaller(ctx);
  return EVENT_TYPES;
}

export const get: Reads<WebhookEventRow>['get'] = async (ctx, ref) => shown(ctx, await reads.get(ctx, ref));

export const getMany: Reads<WebhookEventRow>['getMany'] = async (ctx, ids) =>
  (await reads.getMany(ctx, ids)).map((row) => row && shown(ctx, row));

export const list: Reads<WebhookEventRow>['list'] = async (ctx, parent, page) => {
  const found = await reads.list(ctx, parent, page);
  return { ...found, rows: found.rows.map((row) => shown(ctx, row)) };
};

export const listMany: Reads<WebhookEventRow>['listMany'] = async (
  ctx,
  parentIds,
  page,
  projection = null,
) => {
  const isHeld = projection === null || projection.some((property) => HELD.includes(property));
  if (!isHeld) return reads.listMany(ctx, parentIds, page, projection);
  const pages = await reads.listMany(ctx, parentIds, page, projection && [...projection, 'eventTypeId']);
  return pages.map((found) => found && { ...found, rows: found.rows.map((row) => shown(ctx, row)) });
};

/** The event without what the caller may not read. */
function shown(ctx: Context, row: WebhookEventRow): WebhookEventRow {
  if (!mayReadSubject(ctx, row.eventTypeId)) setNull(row, HELD);
  return row;
}

/** Whether the caller may read what such events are about. */
export function mayReadSubject(ctx: Context, eventTypeId: string): boolean {
  const needed = scopeOfEventType(eventTypeId);
  return needed !== null && covers(requireCaller(ctx).scopes, needed);
}
