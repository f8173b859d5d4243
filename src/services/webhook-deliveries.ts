// Deliveries of webhooks and their attempts. What was sent, and what was answered, may echo what the event holds: it is for those who
// may read what the event is about.
import { requireCaller, requireScope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import {
  attemptFields,
  DELIVERY_STATUSES,
  type WebhookAttempt,
  type WebhookDeliveryDetail,
  type WebhookDeliveryRow,
  webhookDelivery,
} from '../resources/webhook-deliveries.ts';
import { type AttemptRow, findAttempts } from '../store/webhooks/webhook-deliveries.ts';
import { readsOf } from './reads.ts';
import type { Ref } from './refs.ts';
import { mayReadSubject } from './webhook-events.ts';

export { DELIVERY_STATUSES, type WebhookDeliveryRow };

export const { scope, get, list } = readsOf(webhookDelivery);

/** A delivery with its attempts. @throws AppError `not_found`, also where the endpoint is gone */
export async function getDetail(ctx: Context, ref: Ref): Promise<WebhookDeliveryDetail> {
  return detailOf(ctx, await get(ctx, ref));
}

/** A delivery, also as a change has left it, with the attempts that there were then. */
export async function detailOf(ctx: Context, row: WebhookDeliveryRow): Promise<WebhookDeliveryDetail> {
  const [attempts = []] = await readAttempts(ctx, [row.id]);
  return {
    ...propertiesOf(row, webhookDelivery.fields),
    attempts: attempts.filter(({ number }) => number <= row.attemptCount),
  };
}

/** The last attempts of each delivery, in the deliveries' order; none of those that are not the caller's. */
export async function attemptsOf(ctx: Context, deliveryIds: readonly bigint[]): Promise<WebhookAttempt[][]> {
  requireScope(ctx, scope);
  return readAttempts(ctx, deliveryIds);
}

async function readAttempts(ctx: Context, deliveryIds: readonly bigint[]): Promise<WebhookAttempt[][]> {
  const found = await findAttempts(ctx, requireCaller(ctx).tenancy, deliveryIds);
  const byDelivery = Map.groupBy(found, ({ deliveryId }) => deliveryId);
  return deliveryIds.map((id) => (byDelivery.get(id) ?? []).map((attempt) => shown(ctx, attempt)));
}

/** The attempt without what the caller may not read. */
function shown(ctx: Context, attempt: AttemptRow): WebhookAttempt {
  const all = propertiesOf<WebhookAttempt>(attempt, attemptFields);
  return mayReadSubject(ctx, attempt.eventTypeId) ? all : { ...all, responseStart: null, request: null };
}

/** A row's properties as its own: those of rows that were read are getters. */
function propertiesOf<Row extends object>(row: Row, fields: Readonly<Record<keyof Row, unknown>>): Row {
  const properties = Object.keys(fields).map((property) => [property, row[property as keyof Row]]);
  return Object.fromEntries(properties) as Row;
}
