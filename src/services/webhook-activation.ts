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
  webhookEndpoint,
} from '../resources/webhook-endpoints.ts';
import { snapshotRows } from '../rows/snapshot-rows.ts';
import { findSnapshots } from '../store/changes/find-snapshots.ts';
import type { Recorded } from '../store/changes/records.ts';
import { executeSteps } from '../store/changes.ts';
import type { Transaction } from '../store/store.ts';
import { WEBHOOK_ENDPOINTS } from '../store/tables.ts';
import {
  activateEndpoint,
  deactivateEndpoint,
  type LockedEndpoint,
  lockEndpoint,
  replaceSecret,
} from '../store/webhook-endpoints.ts';
import { type Done, mutate } from './mutate.ts';
import { type Input, parseFields } from './parse-fields.ts';
import { parseRef, type Ref } from './refs.ts';
import { requirePace, writeScope } from './webhook-endpoints.ts';
import { requireReadable } from './webhook-rights.ts';
import { newSecret, withSecret } from './webhook-secrets.ts';
import type { WriteOptions } from './write-options.ts';

const MAX_OVERLAP_SECONDS = 604_800;
const toRow = snapshotRows<WebhookEndpointRow>(webhookEndpoint);

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
  const done = await change(ctx, ref, options, {
    action: 'activated',
    given: maxDeliveriesPerSecond,
    async make(tx, { workspaceId, hasSecret }, before, recorded) {
      requireReadable(ctx, before.eventTypeIds);
      if (!hasSecret)
        throw new AppError('conflict', 'The endpoint has no secret to sign with: rotate its secret first.');
      await activateEndpoint(tx, workspaceId, before.id, recorded, maxDeliveriesPerSecond);
    },
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
  return change(ctx, ref, options, {
    action: 'deactivated',
    make: (tx, { workspaceId }, { id }) => deactivateEndpoint(tx, workspaceId, id),
  });
}

/**
 * Gives an endpoint another secret, which this answer shows. For a while the one before signs as well.
 * @throws AppError `not_found`, `invalid`, `gone` where a retry asks after a secret that was replaced since; as `mutate` does
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
  const done = await change(ctx, ref, options, {
    action: 'secret_rotated',
    given: overlapSeconds,
    make: (tx, { workspaceId }, { id }) => replaceSecret(tx, workspaceId, id, newSecret(ctx), overlapSeconds),
  });
  return withSecret(ctx, done);
}

function parseGiven<F extends Fields>(ctx: Context, fields: F, input: Input): Partial<RowOf<F>> {
  requireScope(ctx, writeScope);
  return parseFields(fields, input, 'change');
}

interface Change {
  /** What stands behind the dot in the action of the audit entry. */
  readonly action: string;
  /** What a client said: the retry of a request says the same. */
  readonly given?: unknown;
  make(
    tx: Transaction,
    locked: LockedEndpoint,
    before: WebhookEndpointRow,
    recorded: Recorded,
  ): Promise<void>;
}

async function change(
  ctx: Context,
  ref: Ref,
  options: WriteOptions,
  { action, given = null, make }: Change,
): Promise<Done<WebhookEndpointRow>> {
  const { tenancy } = requireScope(ctx, writeScope);
  const { title, name } = WEBHOOK_ENDPOINTS;
  const id = parseRef(title, name, ref);
  return mutate(ctx, {
    scope: writeScope,
    options,
    title,
    outcome: 'updated',
    request: [action, name, id, given],
    asksItself: true,
    change: (recorded) =>
      executeSteps(ctx, recorded, async (tx) => {
        const locked = await lockEndpoint(tx, tenancy, id);
        if (locked === null) return 'not_found';
        const { workspaceId } = locked;
        const [before = ''] = await findSnapshots(tx, WEBHOOK_ENDPOINTS, workspaceId, [id]);
        if (options.fits !== null && !options.fits(toRow(before))) return 'unfit';
        await make(tx, locked, toRow(before), recorded);
        const [after = null] = await findSnapshots(tx, WEBHOOK_ENDPOINTS, workspaceId, [id]);
        return {
          ...{ workspaceId, action, before, after },
          resource: webhookEndpoint,
          outcome: 'updated',
          subjectId: id,
          contactId: null,
          events: [],
        };
      }),
    toRow,
  });
}
