// Changes of deliveries by clients: making them due again, canceling them, and sending a test event. A deactivated endpoint gets nothing:
// activate it first.
import { type Permitted, requireScope, type Scope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { conflict, notFound } from '../../errors.ts';
import { subjectTypeOf } from '../../resources/description/names.ts';
import { TEST_EVENT_TYPE } from '../../resources/event-types.ts';
import {
  type Redelivered,
  redeliveredFields,
  redeliveryFields,
  type WebhookDeliveryRow,
  webhookDelivery,
} from '../../resources/webhook-deliveries.ts';
import { webhookEndpoint } from '../../resources/webhook-endpoints.ts';
import { snapshotRows } from '../../rows/snapshot-rows.ts';
import type { ChangeRecord } from '../../store/changing/records.ts';
import { findSnapshots } from '../../store/changing/snapshots.ts';
import { withSql } from '../../store/changing/transactions.ts';
import type { Executor } from '../../store/connections/executor.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { webhookDeliveryTable } from '../../store/tables/webhook-deliveries.ts';
import { createMissedDeliveries } from '../../store/webhooks/missed-events.ts';
import {
  cancelDelivery,
  findEndpoint,
  insertOwnEvent,
  type LockedDelivery,
  lockDelivery,
  makeDue,
  makeFailedDue,
} from '../../store/webhooks/webhook-deliveries.ts';
import { changeLocked } from '../changing/locked-change.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import { changeStepwise } from '../changing/stepwise-change.ts';
import { type Input, parseFields } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { getDetail } from './webhook-deliveries.ts';

const WEBHOOK_DELIVERIES = tableOf(webhookDeliveryTable);
const WEBHOOK_ENDPOINTS = tableOf(webhookEndpoint);

export type { Redelivered };

/** The scope for all of these. */
export const writeScope: Scope = 'webhooks:write';

/** The maximum number of deliveries in one request. */
export const MAX_REDELIVERED = 10_000;

const toDelivery = snapshotRows<WebhookDeliveryRow>(webhookDelivery);
const toRedelivered = snapshotRows<Redelivered>({ fields: redeliveredFields });

/**
 * Makes a delivery due again, now. The numbering of its attempts continues; the waits between them restart.
 * @throws AppError `not_found`; `conflict` when it is pending, its endpoint is deactivated, or its event's data is gone
 */
export function redeliver(
  ctx: Context,
  ref: Ref,
  options: WriteOptions,
): Promise<ChangeAnswer<WebhookDeliveryRow>> {
  return change(ctx, ref, options, {
    action: 'redelivered',
    refuse: redeliveryFault,
    make: makeDue,
  });
}

/** Cancels a delivery. @throws AppError `not_found`; `conflict` unless it is pending */
export function cancel(
  ctx: Context,
  ref: Ref,
  options: WriteOptions,
): Promise<ChangeAnswer<WebhookDeliveryRow>> {
  return change(ctx, ref, options, {
    action: 'canceled',
    refuse: ({ status }) =>
      status === 'pending' ? null : `The delivery is ${status}: only one that is pending can be canceled.`,
    make: cancelDelivery,
  });
}

/**
 * Makes an endpoint's failed deliveries since a time due again and, if requested, delivers the events that it missed since then; the oldest
 * first, at most MAX_REDELIVERED at once.
 * @throws AppError `invalid` blaming `since`, `not_found`; `conflict` when the endpoint is deactivated
 */
export async function redeliverFailed(
  ctx: Context,
  ref: Ref,
  input: Input,
  options: WriteOptions,
): Promise<Redelivered> {
  const by = requireScope(ctx, writeScope);
  const { since, missed } = parseRedelivery(input);
  const { row } = await makeDueAndNotify(ctx, by, ref, options, {
    request: ['redeliver', WEBHOOK_ENDPOINTS.name, since, ...(missed ? ['missed'] : [])],
    outcome: 'updated',
    toRow: toRedelivered,
    async make(tx, workspaceId, endpointId) {
      const of = { workspaceId, endpointId, since };
      const failed = await makeFailedDue(tx, { ...of, most: MAX_REDELIVERED });
      const missedDeliveries = missed
        ? await createMissedDeliveries(tx, { ...of, most: MAX_REDELIVERED - failed.count })
        : { count: 0, hasMore: false };
      const count = failed.count + missedDeliveries.count;
      const hasMore = failed.hasMore || missedDeliveries.hasMore;
      return {
        rows: count,
        resource: webhookEndpoint,
        action: 'redelivered',
        subjectId: endpointId,
        after: JSON.stringify({ count, has_more: hasMore }),
      };
    },
  });
  return row;
}

/** Parses the start time, and whether missed events are delivered too. @throws AppError `invalid` blaming members */
export function parseRedelivery(input: Input): { readonly since: Date; readonly missed: boolean } {
  const { since, missed = false } = parseFields(redeliveryFields, input, 'creation');
  if (since === undefined) throw new TypeError('A required field was not given');
  return { since, missed };
}

/**
 * Sends a test event, which contains the endpoint's own representation, to this endpoint only, whatever it is subscribed to.
 * @returns the delivery
 * @throws AppError `not_found`; `conflict` when the endpoint is deactivated
 */
export async function test(
  ctx: Context,
  ref: Ref,
  options: WriteOptions,
): Promise<ChangeAnswer<WebhookDeliveryRow>> {
  const by = requireScope(ctx, writeScope);
  return makeDueAndNotify(ctx, by, ref, options, {
    request: ['test', WEBHOOK_ENDPOINTS.name],
    outcome: 'created',
    toRow: toDelivery,
    async make(tx, workspaceId, endpointId) {
      const [data = 'null'] = await findSnapshots(tx, WEBHOOK_ENDPOINTS, workspaceId, [endpointId]);
      const event = { eventType: TEST_EVENT_TYPE, subjectType: subjectTypeOf(webhookEndpoint), data };
      const id = await insertOwnEvent(tx, { workspaceId, endpointId, ...event });
      const [after = null] = await findSnapshots(tx, WEBHOOK_DELIVERIES, workspaceId, [id]);
      return { resource: webhookDelivery, action: 'created', subjectId: id, after };
    },
  });
}

/** Changes one delivery and wakes the delivery workers. @param refuse returns the reason if the change is not allowed */
async function change(
  ctx: Context,
  ref: Ref,
  options: WriteOptions,
  {
    action,
    refuse,
    make,
  }: {
    readonly action: string;
    refuse(delivery: LockedDelivery): string | null;
    make(tx: Executor, workspaceId: bigint, id: bigint): Promise<void>;
  },
): Promise<ChangeAnswer<WebhookDeliveryRow>> {
  const done = await changeLocked(ctx, WEBHOOK_DELIVERIES, ref, options, {
    by: requireScope(ctx, writeScope),
    action,
    lock: lockDelivery,
    represent: (id) => getDetail(ctx, id),
    async make(tx, locked, { id }) {
      throwIfRefused(refuse(locked));
      await make(tx, locked.workspaceId, id);
      return {};
    },
  });
  if (done.row.status === 'pending') ctx.store.deliveries.wake(done.row.endpointId);
  return done;
}

/** Why a delivery cannot be made due again. */
export function redeliveryFault({ status, isActive, hasData }: LockedDelivery): string | null {
  if (status === 'pending') return 'The delivery is pending and will be attempted anyway.';
  if (!isActive) return DEACTIVATED;
  return hasData ? null : 'The data of the event was erased or is no longer kept.';
}

const DEACTIVATED = 'The endpoint is deactivated. Activate it first.';

/** @throws AppError `conflict` with the refusal, if there is one */
export function throwIfRefused(refusal: string | null): void {
  if (refusal !== null) throw conflict('not_allowed_now', refusal);
}

/** The workspace of an active endpoint, which cannot change until the transaction ends. @throws AppError `not_found`, `conflict` */
export async function lockActiveEndpoint(tx: Executor, tenancy: Tenancy, id: bigint): Promise<bigint> {
  const found = await findEndpoint(tx, tenancy, id);
  if (found === null) throw notFound(WEBHOOK_ENDPOINTS.title);
  throwIfRefused(found.isActive ? null : DEACTIVATED);
  return found.workspaceId;
}

interface RedeliveryRecord<Row, Outcome extends 'created' | 'updated'> {
  readonly request: readonly unknown[];
  readonly outcome: Outcome;
  toRow(json: string): Row;
  /** Makes deliveries due. */
  make(
    tx: Executor,
    workspaceId: bigint,
    endpointId: bigint,
  ): Promise<Pick<ChangeRecord, 'resource' | 'action' | 'subjectId' | 'after' | 'rows'>>;
}

/** Makes deliveries of an active endpoint due, and wakes the delivery workers. */
async function makeDueAndNotify<Row, Outcome extends 'created' | 'updated'>(
  ctx: Context,
  by: Permitted,
  ref: Ref,
  options: WriteOptions,
  { request, outcome, toRow, make }: RedeliveryRecord<Row, Outcome>,
): Promise<ChangeAnswer<Row, Outcome>> {
  const id = parseRef(WEBHOOK_ENDPOINTS.title, WEBHOOK_ENDPOINTS.name, ref);
  const done = await changeStepwise(ctx, withSql, {
    by,
    options,
    outcome,
    request: [...request, id],
    async make(tx, tenancy) {
      const workspaceId = await lockActiveEndpoint(tx, tenancy, id);
      const made = await make(tx, workspaceId, id);
      return { workspaceId, outcome, contactId: null, before: null, events: [], ...made };
    },
    toRow,
  });
  ctx.store.deliveries.wake(id);
  return done;
}
