// Handles one delivery: whether it may be sent, the attempt and its outcome, and the consequences for its endpoint.
import type { App } from '../../context.ts';
import { mayStillReceive, readableData } from '../../services/webhooks/webhook-rights.ts';
import type { ContactEvent, DueDelivery, DueEndpoint } from '../../store/webhooks/deliveries-due.ts';
import { cancelDelivery, cancelPending } from '../../store/webhooks/delivery-outcomes.ts';
import { type Cause, isEnding } from '../../store/webhooks/ended-endpoints.ts';
import { deactivateBecause, FAILING_HOURS } from '../../store/webhooks/endpoint-deactivation.ts';
import type { WorkerStore } from '../../store/worker-store.ts';
import { attempt, type Secrets } from './attempt.ts';
import type { WriteOutcome } from './outcome-writer.ts';
import type { Sender } from './sender.ts';
import type { Shares } from './shares.ts';

/** Shared by all endpoint workers of a worker. */
export interface DeliveryContext {
  readonly app: App;
  readonly db: WorkerStore;
  readonly sender: Sender;
  readonly writeOutcome: WriteOutcome;
  /** Whether an event was erased after it was read. Called before each attempt; simultaneous calls share a query. */
  readonly isErased: (event: ContactEvent) => Promise<boolean>;
  readonly shares: Shares;
  /** Once aborted, the worker starts nothing new. */
  readonly stopping: AbortSignal;
  /** Once aborted, requests in progress end at once, and the worker does not wait for the database. */
  readonly halt: AbortSignal;
}

/** An endpoint as last read, with its secrets. */
export interface Receiver {
  readonly endpoint: DueEndpoint;
  readonly secrets: Secrets;
}

/** The result of a delivery; `over`: nothing more may be sent to the endpoint. */
export type Result =
  | { readonly kind: 'delivered' | 'skipped' | 'over' }
  | {
      readonly kind: 'failed';
      /** null without a complete response. */
      readonly code: number | null;
      readonly retryAfterMs: number | null;
      /** Milliseconds until the next attempt; null: there is none. */
      readonly waitMs: number | null;
    };

/** How long an endpoint must have failed before it can be deactivated. */
const FAILING_MS = FAILING_HOURS * 3_600_000;
const CANCELED_AT_ONCE = 5_000;

/**
 * Delivers, and resolves once the outcome is recorded.
 * @param onAnswered called earlier, when the receiver has answered
 * @throws AppError; Error when the outcome could not be recorded
 */
export async function deliver(
  context: DeliveryContext,
  { endpoint, secrets }: Receiver,
  delivery: DueDelivery,
  onAnswered: () => void = () => {},
): Promise<Result> {
  const { app, db, halt } = context;
  const { event, eventId, contactId } = delivery;
  const { workspaceId } = endpoint;
  if (event === null) {
    await cancelDelivery(db, workspaceId, delivery.id);
    return { kind: 'skipped' };
  }
  if (!(await mayStillReceive(app, endpoint, event.type)))
    return deactivate(context, endpoint, 'unauthorized');
  // It will be canceled with the contact's other data (src/store/erasure/erasing.ts).
  if (contactId !== null && (await context.isErased({ workspaceId, contactId, eventId })))
    return { kind: 'skipped' };
  const visibleEvent = { ...event, data: await readableData(app, endpoint, event) };
  const attempted = await attempt(context, endpoint, secrets, delivery, visibleEvent, halt);
  onAnswered();
  if (attempted === null) return { kind: 'over' };
  const { outcome, retryAfterMs } = attempted;
  const { status, code, error, durationMs, number, waitMs } = outcome;
  await context.writeOutcome(outcome);
  app.metrics.countAttempt({
    outcome: status === 'pending' ? 'retried' : status,
    durationSeconds: durationMs / 1_000,
  });
  const ids = { endpoint: String(endpoint.id), delivery: String(delivery.id) };
  app.log.debug({ ...ids, event: event.uuid, number, code, error, durationMs }, 'webhook');
  if (status === 'delivered') return { kind: 'delivered' };
  if (code === 410) return deactivate(context, endpoint, 'gone');
  const failed: Result = { kind: 'failed', code: error === null ? code : null, retryAfterMs, waitMs };
  const since = endpoint.failingSince?.getTime() ?? Number.POSITIVE_INFINITY;
  if (app.clock().getTime() - since < FAILING_MS) return failed;
  const ended = await deactivate(context, endpoint, 'failing');
  return ended.kind === 'over' ? ended : failed;
}

/** Deactivates an endpoint, if the conditions hold. For `failing`, pending deliveries are kept until the endpoint is activated again. */
async function deactivate(
  { app, db }: DeliveryContext,
  endpoint: DueEndpoint,
  cause: Cause,
): Promise<Result> {
  const deactivatedIds = await deactivateBecause(db, endpoint, cause);
  if (deactivatedIds === null) return { kind: cause === 'failing' ? 'skipped' : 'over' };
  app.log.warn({ endpoint: String(endpoint.id), reason: cause }, 'webhook endpoint deactivated');
  app.metrics.countDeactivation(cause);
  app.store.deliveries.notify(deactivatedIds.filter((id) => id !== endpoint.id));
  if (isEnding(cause)) await cancelAll(db, endpoint);
  return { kind: 'over' };
}

/** Cancels the pending deliveries of an endpoint whose subscription has ended. */
export async function cancelAll(db: WorkerStore, endpoint: DueEndpoint): Promise<void> {
  while ((await cancelPending(db, endpoint, CANCELED_AT_ONCE)) === CANCELED_AT_ONCE);
}
