// Events of a workspace. Only callers who may read an event's subject see its data.
import { coversScope, requireCaller } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import {
  EVENT_TYPES,
  type EventType,
  scopeOfEventType,
  subjectOfEventType,
} from '../../resources/event-types.ts';
import { type WebhookEventRow, webhookEvent } from '../../resources/webhook-events.ts';
import { hiddenFrom, hideNeeded, needingOf } from '../reading/needed-scopes.ts';
import { type Reads, withholding } from '../reading/reads.ts';
import { defineService } from '../service.ts';

const visibleReads = (reads: Reads<WebhookEventRow & { id: bigint }>) =>
  withholding(reads, {
    properties: ['data', 'page', 'funnel', 'pageId', 'funnelId'],
    by: ['eventTypeId', 'subjectType'],
    mayRead: (ctx, { eventTypeId }) => mayReadSubject(ctx, eventTypeId),
    hide: (ctx, row) => hideNeeded(ctx, row, row.subjectType, ['data']),
  });

/** Every type of event that an endpoint can subscribe to, whatever the caller's scopes. */
export function listTypes(ctx: Context): readonly EventType[] {
  requireCaller(ctx);
  return EVENT_TYPES;
}

/** Whether the caller may read the subjects of such events. */
export function mayReadSubject(ctx: Context, eventTypeId: string): boolean {
  const needed = scopeOfEventType(eventTypeId);
  return needed !== null && coversScope(requireCaller(ctx).scopes, needed);
}

/** Whether the caller may read all of the subjects of such events. */
export function mayReadAll(ctx: Context, eventTypeId: string): boolean {
  const subject = subjectOfEventType(eventTypeId);
  return (
    mayReadSubject(ctx, eventTypeId) && (subject === null || hiddenFrom(ctx, needingOf(subject)).length === 0)
  );
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(webhookEvent, { shown: visibleReads });
