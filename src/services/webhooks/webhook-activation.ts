// Changes of an endpoint that are not made by setting fields: activating it, deactivating it, and replacing its secret.
import { type Permitted, requireScope, scopeFor } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { conflict } from '../../errors.ts';
import {
  activationFields,
  MAX_MISSED,
  MISSED_DAYS,
  rotationFields,
  type WebhookEndpointRow,
  type WebhookEndpointWithSecretRow,
  webhookEndpoint,
} from '../../resources/webhook-endpoints.ts';
import { executeUnrecorded } from '../../store/changing/changes.ts';

import { transactionLimit } from '../../store/connections/time-limits.ts';
import { tableOf } from '../../store/tables/tables.ts';
import {
  createMissedDeliveries,
  type MissedSince,
  waitForOpenChanges,
} from '../../store/webhooks/missed-events.ts';
import {
  activateEndpoint,
  deactivateEndpoint,
  lockEndpoint,
  replaceSecret,
} from '../../store/webhooks/webhook-endpoints.ts';
import { changeLocked } from '../changing/locked-change.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import { type Input, parseFields } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import type { Ref } from '../reading/refs.ts';
import { requireReadable } from './webhook-rights.ts';
import { newSecret, withSecret } from './webhook-secrets.ts';

const WEBHOOK_ENDPOINTS = tableOf(webhookEndpoint);
const writeScope = scopeFor(webhookEndpoint, 'write');

const NO_SECRET = 'The endpoint has no secret. Rotate its secret first.';

const DAY_MS = 86_400_000;
/** The reasons of deactivation after which an endpoint gets its missed events by default. */
const STAYS_SUBSCRIBED: ReadonlySet<string | null> = new Set(['requested', 'failing']);

/**
 * Activates an endpoint and, if requested, delivers the events that it missed. The caller becomes its subscriber, so the caller must be able
 * to read its events.
 * @throws AppError `not_found`, `invalid`, `insufficient_scope`, `conflict` for an endpoint that never had a secret; as `mutate` does
 */
export async function activate(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<WebhookEndpointRow>> {
  const by = requireScope(ctx, writeScope);
  const { maxDeliveriesPerSecond = null, sendMissed } = parseFields(activationFields, input, 'change');
  let unsettled = null as MissedSince | null;
  const done = await changeLocked(ctx, WEBHOOK_ENDPOINTS, ref, options, {
    by,
    lock: lockEndpoint,
    action: 'activated',
    given: [maxDeliveriesPerSecond, sendMissed ?? null],
    async make(tx, locked, before, recorded) {
      unsettled = null;
      const {
        id,
        eventTypeIds,
        deactivatedAt,
        deactivationReason,
        failingSince,
        maxDeliveriesPerSecond: pace,
      } = before;
      requireReadable(ctx, eventTypeIds);
      if (!locked.hasSecret) throw conflict('not_allowed_now', NO_SECRET);
      const isSubscriber =
        [locked.actor_kind, locked.actor_id, locked.client_id].join() ===
        [recorded.actor_kind, recorded.actor_id, recorded.client_id].join();
      const isPaced = (maxDeliveriesPerSecond ?? pace) === pace;
      if (deactivatedAt === null && failingSince === null && isPaced && isSubscriber) return null;
      const { workspaceId } = locked;
      await activateEndpoint(tx, workspaceId, id, recorded, maxDeliveriesPerSecond);
      if (deactivatedAt === null || !(sendMissed ?? STAYS_SUBSCRIBED.has(deactivationReason))) return {};
      const missed = {
        workspaceId,
        endpointId: id,
        since: missedSince(ctx, deactivatedAt),
        most: MAX_MISSED,
      };
      const { count: rows } = await createMissedDeliveries(tx, missed);
      unsettled = { ...missed, most: MAX_MISSED - rows };
      return { rows };
    },
  });
  if (unsettled !== null) await sendUnsettled(ctx, by, unsettled);
  ctx.store.deliveries.wake(done.row.id);
  return done;
}

/**
 * The time since when the endpoint may have missed events. A transaction that was running at the deactivation may have begun before it.
 */
function missedSince(ctx: Context, deactivatedAt: Date): Date {
  const longestMs = transactionLimit(ctx.config.limits.statementTimeoutMs);
  return new Date(Math.max(deactivatedAt.getTime() - longestMs, Date.now() - MISSED_DAYS * DAY_MS));
}

/**
 * Delivers events of transactions that were running during the activation: such a transaction may have seen the endpoint as deactivated,
 * and may have committed too late for the activation to see its events.
 */
async function sendUnsettled(ctx: Context, { tenancy }: Permitted, missed: MissedSince): Promise<void> {
  const longestMs = transactionLimit(ctx.config.limits.statementTimeoutMs);
  const since = new Date(Math.max(missed.since.getTime(), Date.now() - longestMs));
  // The limit is reached: a later request for the rest delivers these events as well.
  if (missed.most === 0) return;
  try {
    await waitForOpenChanges(ctx.store);
    await executeUnrecorded(ctx, tenancy, (tx) => createMissedDeliveries(tx, { ...missed, since }));
  } catch (error) {
    // The endpoint is active. A client can still request the missed events (webhook-redelivery.ts).
    ctx.log.warn(
      { err: error, endpoint: String(missed.endpointId) },
      'events of an activation not delivered',
    );
  }
}

/**
 * Stops deliveries to an endpoint until it is activated again. Events that happen meanwhile are kept as usual.
 * @throws AppError `not_found`; as `mutate` does
 */
export async function deactivate(
  ctx: Context,
  ref: Ref,
  _input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<WebhookEndpointRow>> {
  const by = requireScope(ctx, writeScope);
  return changeLocked(ctx, WEBHOOK_ENDPOINTS, ref, options, {
    by,
    lock: lockEndpoint,
    action: 'deactivated',
    async make(tx, { workspaceId }, { id, deactivatedAt }) {
      if (deactivatedAt !== null) return null;
      await deactivateEndpoint(tx, workspaceId, id, 'requested');
      return {};
    },
  });
}

/**
 * Replaces an endpoint's secret; the answer shows the new one. For a while the old secret signs as well. The holder of a secret can forge
 * events, so the caller must be able to read the endpoint's events, like its subscriber.
 * @throws AppError `not_found`, `invalid`, `insufficient_scope`, `gone` for a retry whose secret was replaced since; as `mutate` does
 */
export async function rotateSecret(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<WebhookEndpointWithSecretRow>> {
  const by = requireScope(ctx, writeScope);
  const { overlapSeconds = rotationFields.overlapSeconds.default } = parseFields(
    rotationFields,
    input,
    'change',
  );
  const done = await changeLocked(ctx, WEBHOOK_ENDPOINTS, ref, options, {
    by,
    lock: lockEndpoint,
    action: 'secret_rotated',
    given: overlapSeconds,
    async make(tx, { workspaceId }, { id, eventTypeIds }) {
      requireReadable(ctx, eventTypeIds);
      await replaceSecret(tx, workspaceId, id, newSecret(ctx), overlapSeconds);
      return {};
    },
  });
  return withSecret(ctx, done);
}
