// The changes of an endpoint that no field is given for: activating and deactivating it, and replacing its secret.
import { type Permitted, requireScope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { AppError, invalid } from '../errors.ts';
import {
  activationFields,
  MAX_MISSED,
  MISSED_DAYS,
  rotationFields,
  type WebhookEndpointRow,
  type WebhookEndpointWithSecretRow,
  webhookEndpoint,
} from '../resources/webhook-endpoints.ts';
import { withTenantTransaction } from '../store/changing/transactions.ts';
import { transactionLimit } from '../store/connections/time-limits.ts';
import { tableOf } from '../store/tables/tables.ts';
import { type MissedSince, makeMissedDue, untilChangesEnd } from '../store/webhooks/missed-events.ts';
import {
  activateEndpoint,
  deactivateEndpoint,
  lockEndpoint,
  replaceSecret,
} from '../store/webhooks/webhook-endpoints.ts';
import { changeLocked } from './locked-change.ts';
import type { Done } from './mutate.ts';
import { type Input, parseFields } from './parse-fields.ts';
import type { Ref } from './refs.ts';
import { requirePace, writeScope } from './webhook-endpoints.ts';
import { requireReadable } from './webhook-rights.ts';
import { newSecret, withSecret } from './webhook-secrets.ts';
import type { WriteOptions } from './write-options.ts';

const WEBHOOK_ENDPOINTS = tableOf(webhookEndpoint);

const MAX_OVERLAP_SECONDS = 604_800;
const NO_SECRET = 'The endpoint has no secret to sign with: rotate its secret first.';

const DAY_MS = 86_400_000;
/** Why an endpoint was deactivated that is sent what it has missed unless somebody says otherwise. */
const STAYS_SUBSCRIBED: ReadonlySet<string | null> = new Set(['requested', 'failing']);

/**
 * Sends to an endpoint again, and what it has missed as well, if that is wanted. Whoever activates it stands behind it: they need to be
 * able to read what it is told of.
 * @throws AppError `not_found`, `invalid`, `insufficient_scope`, `conflict` for one that never had a secret; as `mutate` does
 */
export async function activate(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<Done<WebhookEndpointRow>> {
  const by = requireScope(ctx, writeScope);
  const { maxDeliveriesPerSecond = null, sendMissed } = parseFields(activationFields, input, 'change');
  requirePace(
    maxDeliveriesPerSecond,
    input.nameOf('maxDeliveriesPerSecond', activationFields.maxDeliveriesPerSecond),
  );
  let sent = 0;
  let unsettled = null as MissedSince | null;
  const done = await changeLocked(ctx, WEBHOOK_ENDPOINTS, ref, options, {
    by,
    lock: lockEndpoint,
    action: 'activated',
    given: [maxDeliveriesPerSecond, sendMissed ?? null],
    refuse({ hasSecret }, { eventTypeIds }) {
      requireReadable(ctx, eventTypeIds);
      return hasSecret ? null : new AppError('conflict', NO_SECRET);
    },
    isChange: (locked, now, { actor_kind, actor_id, client_id }) =>
      now.deactivatedAt !== null ||
      now.failingSince !== null ||
      (maxDeliveriesPerSecond ?? now.maxDeliveriesPerSecond) !== now.maxDeliveriesPerSecond ||
      [locked.actor_kind, locked.actor_id, locked.client_id].join() !==
        [actor_kind, actor_id, client_id].join(),
    async make(tx, { workspaceId }, { id, deactivatedAt, deactivationReason }, recorded) {
      [sent, unsettled] = [0, null];
      await activateEndpoint(tx, workspaceId, id, recorded, maxDeliveriesPerSecond);
      if (deactivatedAt === null || !(sendMissed ?? STAYS_SUBSCRIBED.has(deactivationReason))) return;
      const missed = {
        workspaceId,
        endpointId: id,
        since: missedSince(ctx, deactivatedAt),
        most: MAX_MISSED,
      };
      ({ count: sent } = await makeMissedDue(tx, missed));
      unsettled = { ...missed, most: MAX_MISSED - sent };
    },
    rows: () => sent,
  });
  if (unsettled !== null) await sendUnsettled(ctx, by, unsettled);
  ctx.store.deliveries.hasten(done.row.id);
  return done;
}

/** Since when an endpoint may have missed something: a change that was under way when it was deactivated may have begun before that. */
function missedSince(ctx: Context, deactivatedAt: Date): Date {
  const longestMs = transactionLimit(ctx.config.limits.statementTimeoutMs);
  return new Date(Math.max(deactivatedAt.getTime() - longestMs, Date.now() - MISSED_DAYS * DAY_MS));
}

/**
 * A change that was under way when an endpoint was activated may have taken it for deactivated, and be committed too late for the
 * activation to see its events.
 */
async function sendUnsettled(ctx: Context, { tenancy }: Permitted, missed: MissedSince): Promise<void> {
  const longestMs = transactionLimit(ctx.config.limits.statementTimeoutMs);
  const since = new Date(Math.max(missed.since.getTime(), Date.now() - longestMs));
  // More was missed than is sent: whoever asks for the rest gets this as well.
  if (missed.most === 0) return;
  try {
    await untilChangesEnd(ctx.store);
    await withTenantTransaction(ctx, tenancy, (tx) => makeMissedDue(tx, { ...missed, since }));
  } catch (error) {
    // The endpoint is active: what is missing is found by those who ask for what it has missed (webhook-redelivery.ts).
    ctx.log.warn(
      { err: error, endpoint: String(missed.endpointId) },
      'events of an activation not delivered',
    );
  }
}

/**
 * Sends nothing more to an endpoint until it is activated again; of what happens meanwhile the events are kept, as always.
 * @throws AppError `not_found`; as `mutate` does
 */
export async function deactivate(
  ctx: Context,
  ref: Ref,
  options: WriteOptions,
): Promise<Done<WebhookEndpointRow>> {
  const by = requireScope(ctx, writeScope);
  return changeLocked(ctx, WEBHOOK_ENDPOINTS, ref, options, {
    by,
    lock: lockEndpoint,
    action: 'deactivated',
    isChange: (_locked, { deactivatedAt }) => deactivatedAt === null,
    make: (tx, { workspaceId }, { id }) => deactivateEndpoint(tx, workspaceId, id),
  });
}

/**
 * Gives an endpoint another secret, which this answer shows. For a while the one before signs as well. Whoever has the secret can pass
 * off events of their own as ours: they need to be able to read what the endpoint is told of, as its subscriber did.
 * @throws AppError `not_found`, `invalid`, `insufficient_scope`, `gone` where a retry asks after a secret that was replaced since; as
 *   `mutate` does
 */
export async function rotateSecret(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<Done<WebhookEndpointWithSecretRow>> {
  const by = requireScope(ctx, writeScope);
  const { overlapSeconds = rotationFields.overlapSeconds.default } = parseFields(
    rotationFields,
    input,
    'change',
  );
  const name = input.nameOf('overlapSeconds', rotationFields.overlapSeconds);
  if (overlapSeconds < 0 || overlapSeconds > MAX_OVERLAP_SECONDS)
    throw invalid(name, `${name} must be from 0 to ${MAX_OVERLAP_SECONDS}.`);
  const done = await changeLocked(ctx, WEBHOOK_ENDPOINTS, ref, options, {
    by,
    lock: lockEndpoint,
    action: 'secret_rotated',
    given: overlapSeconds,
    refuse(_locked, { eventTypeIds }) {
      requireReadable(ctx, eventTypeIds);
      return null;
    },
    make: (tx, { workspaceId }, { id }) => replaceSecret(tx, workspaceId, id, newSecret(ctx), overlapSeconds),
  });
  return withSecret(ctx, done);
}
