// Webhook deliveries as clients see and change them: reading attempts, making deliveries due again, canceling them, and test events.

import {
  attemptFields,
  MAX_ATTEMPTS_SHOWN,
  type WebhookAttempt,
} from '../../resources/webhook-deliveries.ts';
import { webhookEndpoint } from '../../resources/webhook-endpoints.ts';
import { type Columns, rowMaker, selectList } from '../../rows/columns.ts';
import { lockRow } from '../changing/lock-row.ts';
import { timeOf } from '../changing/records.ts';
import type { Executor } from '../connections/executor.ts';
import { ownersOf } from '../reading/projections.ts';
import { readRows } from '../reading/reads.ts';
import { isErasedEvent, unlessErased } from '../sql/erased.ts';
import { statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import { query, type Store, type StoreContext } from '../store.ts';
import { ownedWorkspace, WORKSPACE_COLUMN } from '../tables/table.ts';
import { tableOf } from '../tables/tables.ts';
import { webhookDeliveryTable } from '../tables/webhook-deliveries.ts';
import type { MissedSince } from './missed-events.ts';

const WEBHOOK_DELIVERIES = tableOf(webhookDeliveryTable);
const WEBHOOK_ENDPOINTS = tableOf(webhookEndpoint);

/** An attempt, with its delivery and event type. */
export interface AttemptRow extends WebhookAttempt {
  readonly deliveryId: bigint;
  readonly eventTypeId: string;
}

/** Whether the event of the delivery `d` was erased. */
const IS_ERASED = `exists (select from events v where v.workspace_id = d.workspace_id and v.id = d.event_id
  and (v.erased_at is not null or ${isErasedEvent('v')}))`;

const { request, responseStart, ...plain } = attemptFields;
const ATTEMPTS: Columns = {
  ...Object.fromEntries(Object.entries(plain).map(([property, { type }]) => [property, type])),
  responseStart: { ...responseStart, sql: unlessErased('t.response_start', IS_ERASED) },
  request: { ...request, sql: `json_build_object('url', t.url, 'headers', t.request_headers)` },
  deliveryId: 'int8',
  eventTypeId: { type: 'text', sql: 'd.event_type' },
  ...WORKSPACE_COLUMN,
};
const toAttempt = rowMaker<AttemptRow>(ATTEMPTS);
const OWNERS = ownersOf(ATTEMPTS, { workspaceId: 'workspace' });

/** The last attempts of deliveries that the caller owns, in order for each delivery. */
export async function findAttempts(
  ctx: StoreContext,
  tenancy: Tenancy,
  deliveryIds: readonly bigint[],
): Promise<AttemptRow[]> {
  const attempts = statement(
    'webhook_attempts.of_deliveries',
    () => `select a.* from unnest($ids::bigint[]) i (id) join webhook_deliveries d on d.id = i.id
      cross join lateral (
        select ${selectList(ATTEMPTS)} from webhook_attempts t
        where t.workspace_id = d.workspace_id and t.delivery_id = d.id
        order by t.number desc limit ${MAX_ATTEMPTS_SHOWN}
      ) a
      where ${ownedWorkspace('d.workspace_id', '$team', '$workspaces')}
      order by a."deliveryId", a.number`,
  );
  const ids = [...new Set(deliveryIds)];
  const read = async (workspaces: readonly bigint[] | null) => {
    const values = { team: tenancy.teamId, workspaces, ids };
    return (await readRows(ctx, attempts, values, tenancy, OWNERS)).map(toAttempt);
  };
  const { workspaceIds, namesWorkspaces = false } = await ctx.store.placement.nameWorkspaces(tenancy);
  if (!namesWorkspaces) return read(workspaceIds);
  return (await Promise.all((workspaceIds ?? []).map((id) => read([id])))).flat();
}

/** A delivery that is about to be changed. */
export interface LockedDelivery {
  readonly workspaceId: bigint;
  readonly endpointId: bigint;
  readonly status: string;
  /** Whether its endpoint is active. */
  readonly isActive: boolean;
  /** Whether its event still has data: it was not erased. */
  readonly hasData: boolean;
}

/** Locks a delivery that the caller owns. */
export async function lockDelivery(
  tx: Executor,
  tenancy: Tenancy,
  id: bigint,
): Promise<LockedDelivery | null> {
  type Found = Omit<LockedDelivery, 'isActive' | 'hasData'> & { readonly eventId: bigint };
  const columns = 't.endpoint_id as "endpointId", t.event_id as "eventId", t.status';
  // The statement that locks the row reads only its table (shard-placement/). The next one checks that the endpoint still exists.
  const owned = (team: string, workspaces: string) => ownedWorkspace('t.workspace_id', team, workspaces);
  const found = await lockRow<Found>(tx, { ...WEBHOOK_DELIVERIES, owned }, tenancy, id, columns);
  if (found === null) return null;
  const { workspaceId, endpointId, eventId, status } = found;
  const [about] = await tx.$queryRawUnsafe<Pick<LockedDelivery, 'isActive' | 'hasData'>[]>(
    `select e.deactivated_at is null as "isActive", o.data is not null and not ${isErasedEvent('o', '$1::bigint')} as "hasData"
    from webhook_endpoints e left join events o on o.workspace_id = $1::bigint and o.id = $3::bigint
    where e.workspace_id = $1::bigint and e.id = $2::bigint`,
    workspaceId,
    endpointId,
    eventId,
  );
  return about === undefined ? null : { workspaceId, endpointId, status, ...about };
}

/** `$3` is the result of `timeOf`. */
const CHANGED = 'updated_at = later_time(t.updated_at, $3::timestamptz)';
const DUE_AGAIN = `status = 'pending', next_attempt_at = current_timestamp, delivered_at = null,
    attempts_before = t.attempt_count, ${CHANGED}`;

/** Makes a delivery due again now; its waits between attempts restart. */
export async function makeDue(tx: Executor, workspaceId: bigint, id: bigint): Promise<void> {
  await tx.$executeRawUnsafe(
    `update webhook_deliveries t set ${DUE_AGAIN} where t.workspace_id = $1::bigint and t.id = $2::bigint`,
    workspaceId,
    id,
    await timeOf(tx),
  );
}

/** Cancels a pending delivery. */
export async function cancelDelivery(tx: Executor, workspaceId: bigint, id: bigint): Promise<void> {
  await tx.$executeRawUnsafe(
    `update webhook_deliveries t set status = 'canceled', next_attempt_at = null, ${CHANGED}
    where t.workspace_id = $1::bigint and t.id = $2::bigint`,
    workspaceId,
    id,
    await timeOf(tx),
  );
}

/** An endpoint that the caller owns. It cannot change until the transaction ends. */
export function findEndpoint(
  tx: Executor,
  tenancy: Tenancy,
  id: bigint,
): Promise<{ workspaceId: bigint; isActive: boolean } | null> {
  return lockRow(tx, WEBHOOK_ENDPOINTS, tenancy, id, 't.deactivated_at is null as "isActive"', 'share');
}

/**
 * Makes deliveries of an endpoint due again, the oldest first: those whose last attempt has failed since a time and whose events still have
 * data.
 * @returns how many, and whether there are more than `most`
 */
export async function makeFailedDue(
  tx: Executor,
  { workspaceId, endpointId, since, most }: MissedSince,
): Promise<{ count: number; hasMore: boolean }> {
  // `offset 0` forces a look-up of the event of each delivery. A join might read all events of the workspace.
  const failed = await tx.$queryRawUnsafe<{ id: bigint }[]>(
    `select t.id from webhook_deliveries t
      where t.workspace_id = $1::bigint and t.endpoint_id = $2::bigint and t.status = 'failed' and t.updated_at >= $3::timestamptz
        and exists (select from events o where o.workspace_id = $1::bigint and o.id = t.event_id and o.data is not null
          and not ${isErasedEvent('o', '$1::bigint')} offset 0)
      order by t.id limit $4::int + 1 for update of t`,
    workspaceId,
    endpointId,
    since,
    most,
  );
  const ids = failed.slice(0, most).map(({ id }) => id);
  const count = await tx.$executeRawUnsafe(
    `update webhook_deliveries t set ${DUE_AGAIN}
      where t.workspace_id = $1::bigint and t.id = any($2::bigint[]) and t.status = 'failed'`,
    workspaceId,
    ids,
    await timeOf(tx),
  );
  return { count, hasMore: failed.length > most };
}

/** Writes an event for one endpoint only, about the endpoint itself, whatever it is subscribed to. @returns the id of the delivery */
export async function insertOwnEvent(
  tx: Executor,
  event: { workspaceId: bigint; endpointId: bigint; eventType: string; subjectType: string; data: string },
): Promise<bigint> {
  const { workspaceId, endpointId, eventType } = event;
  const [happened] = await tx.$queryRawUnsafe<{ id: bigint }[]>(
    `insert into events (workspace_id, event_type, subject_type, subject_id, data)
      values ($1::bigint, $3::text, $4::text, $2::bigint, $5::json) returning id`,
    ...[workspaceId, endpointId, eventType, event.subjectType, event.data],
  );
  const [made] = await tx.$queryRawUnsafe<{ id: bigint }[]>(
    `insert into webhook_deliveries (workspace_id, endpoint_id, event_id, event_type)
      values ($1::bigint, $2::bigint, $3::bigint, $4::text) returning id`,
    ...[workspaceId, endpointId, happened?.id, eventType],
  );
  if (made === undefined) throw new TypeError('The delivery was not recorded');
  return made.id;
}

/** The tenancy of an endpoint or a delivery, for the operator. */
export async function findTenancyOf(
  store: Store,
  table: 'webhook_endpoints' | 'webhook_deliveries',
  id: bigint,
): Promise<Tenancy | null> {
  const ofTable = statement(
    `${table}.team`,
    () => `select w.team_id as id from ${table} t join workspaces w on w.id = t.workspace_id where t.id = $1`,
  );
  const [team] = await query<{ id: bigint }>(store, ofTable, [id]);
  return team === undefined ? null : { teamId: team.id, workspaceIds: null };
}
