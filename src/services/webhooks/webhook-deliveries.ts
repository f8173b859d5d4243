// Deliveries of webhooks and their attempts. Requests and responses may repeat the event's data, so only callers who may read the event's
// subject see them.
import { requireCaller, requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import {
  attemptFields,
  DELIVERY_STATUSES,
  type WebhookAttempt,
  type WebhookDeliveryDetail,
  type WebhookDeliveryRow,
  webhookDelivery,
} from '../../resources/webhook-deliveries.ts';
import { type AttemptRow, findAttempts } from '../../store/webhooks/webhook-deliveries.ts';
import { readsOf } from '../reading/reads.ts';
import type { Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';
import { mayReadAll } from './webhook-events.ts';

export { DELIVERY_STATUSES, type WebhookDeliveryRow };

export const { scope, get, list } = readsOf(webhookDelivery);

/** A delivery with its attempts. @throws AppError `not_found`, also when the endpoint is deleted */
export async function getDetail(ctx: Context, ref: Ref): Promise<WebhookDeliveryDetail> {
  return detailOf(ctx, await get(ctx, ref));
}

/** Adds the attempts to a delivery. The row may be an older state: it gets only the attempts of that state. */
export async function detailOf(ctx: Context, row: WebhookDeliveryRow): Promise<WebhookDeliveryDetail> {
  const [attempts = []] = await readAttempts(ctx, [row.id]);
  return {
    ...propertiesOf(row, webhookDelivery.fields),
    attempts: attempts.filter(({ number }) => number <= row.attemptCount),
  };
}

/** The latest attempts of each delivery, in the order of the deliveries; none for a delivery that the caller does not own. */
export async function attemptsOf(ctx: Context, deliveryIds: readonly bigint[]): Promise<WebhookAttempt[][]> {
  requireScope(ctx, scope);
  return readAttempts(ctx, deliveryIds);
}

async function readAttempts(ctx: Context, deliveryIds: readonly bigint[]): Promise<WebhookAttempt[][]> {
  const found = await findAttempts(ctx, requireCaller(ctx).tenancy, deliveryIds);
  const byDelivery = Map.groupBy(found, ({ deliveryId }) => deliveryId);
  return deliveryIds.map((id) => (byDelivery.get(id) ?? []).map((attempt) => visibleAttempt(ctx, attempt)));
}

/** The attempt, without parts that the caller may not read. */
function visibleAttempt(ctx: Context, attempt: AttemptRow): WebhookAttempt {
  const all = propertiesOf<WebhookAttempt>(attempt, attemptFields);
  return mayReadAll(ctx, attempt.eventTypeId) ? all : { ...all, responseStart: null, request: null };
}

/** Copies a row's properties to a plain object: on rows from the database they are getters. */
function propertiesOf<Row extends object>(row: Row, fields: Readonly<Record<keyof Row, unknown>>): Row {
  const properties = Object.keys(fields).map((property) => [property, row[property as keyof Row]]);
  return Object.fromEntries(properties) as Row;
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(webhookDelivery);
