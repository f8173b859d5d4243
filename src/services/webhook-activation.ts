// The changes of an endpoint that no field is given for: activating and deactivating it, and replacing its secret.
import { requireScope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { AppError, invalid } from '../errors.ts';
import type { Fields, RowOf } from '../resources/resource.ts';
import {
  activationFields,
  rotationFields,
  type WebhookEndpointRow,
  type WebhookEndpointWithSecretRow,
} from '../resources/webhook-endpoints.ts';
import { WEBHOOK_ENDPOINTS } from '../store/tables.ts';
import {
  activateEndpoint,
  deactivateEndpoint,
  lockEndpoint,
  replaceSecret,
} from '../store/webhook-endpoints.ts';
import { changeLocked } from './locked-change.ts';
import type { Done } from './mutate.ts';
import { type Input, parseFields } from './parse-fields.ts';
import type { Ref } from './refs.ts';
import { requirePace, writeScope } from './webhook-endpoints.ts';
import { requireReadable } from './webhook-rights.ts';
import { newSecret, withSecret } from './webhook-secrets.ts';
import type { WriteOptions } from './write-options.ts';

const MAX_OVERLAP_SECONDS = 604_800;
const NO_SECRET = 'The endpoint has no secret to sign with: rotate its secret first.';
const OF_ENDPOINT = { scope: writeScope, lock: lockEndpoint };

/**
 * Sends to an endpoint again, and what it has missed as well. Whoever activates it stands behind it: they need to be able to read what
 * it is told of.
 * @throws AppError `not_found`, `invalid`, `insufficient_scope`, `conflict` for one that never had a secret; as `mutate` does
 */
export async function activate(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<Done<WebhookEndpointRow>> {
  const { maxDeliveriesPerSecond = null } = parseGiven(ctx, activationFields, input);
  requirePace(
    maxDeliveriesPerSecond,
    input.nameOf('maxDeliveriesPerSecond', activationFields.maxDeliveriesPerSecond),
  );
  const done = await changeLocked(ctx, WEBHOOK_ENDPOINTS, ref, options, {
    ...OF_ENDPOINT,
    action: 'activated',
    given: maxDeliveriesPerSecond,
    refuse({ hasSecret }, { eventTypeIds }) {
      requireReadable(ctx, eventTypeIds);
      return hasSecret ? null : new AppError('conflict', NO_SECRET);
    },
    make: (tx, { workspaceId }, { id }, recorded) =>
      activateEndpoint(tx, workspaceId, id, recorded, maxDeliveriesPerSecond),
  });
  ctx.store.deliveries.hasten(done.row.id);
  return done;
}

/**
 * Sends nothing more to an endpoint until it is activated again; what happens meanwhile is kept for it.
 * @throws AppError `not_found`; as `mutate` does
 */
export async function deactivate(
  ctx: Context,
  ref: Ref,
  options: WriteOptions,
): Promise<Done<WebhookEndpointRow>> {
  return changeLocked(ctx, WEBHOOK_ENDPOINTS, ref, options, {
    ...OF_ENDPOINT,
    action: 'deactivated',
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
  const { overlapSeconds = rotationFields.overlapSeconds.default } = parseGiven(ctx, rotationFields, input);
  const name = input.nameOf('overlapSeconds', rotationFields.overlapSeconds);
  if (overlapSeconds < 0 || overlapSeconds > MAX_OVERLAP_SECONDS)
    throw invalid(name, `${name} must be from 0 to ${MAX_OVERLAP_SECONDS}.`);
  const done = await changeLocked(ctx, WEBHOOK_ENDPOINTS, ref, options, {
    ...OF_ENDPOINT,
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

function parseGiven<F extends Fields>(ctx: Context, fields: F, input: Input): Partial<RowOf<F>> {
  requireScope(ctx, writeScope);
  return parseFields(fields, input, 'change');
}
