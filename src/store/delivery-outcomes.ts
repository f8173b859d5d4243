// Writing what came of attempts to deliver: many of them in one statement.
import { statement } from './statements.ts';
import { query, type Store } from './store.ts';

/** What came of an attempt, and what becomes of the delivery. */
export interface Outcome {
  readonly workspaceId: bigint;
  readonly endpointId: bigint;
  readonly deliveryId: bigint;
  readonly deliveryCreatedAt: Date;
  /** From 1. */
  readonly number: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** null without an answer. */
  readonly code: number | null;
  /** Why there is no complete one. */
  readonly error: string | null;
  readonly responseStart: string;
  readonly status: 'delivered' | 'pending' | 'failed';
  /** Until the next attempt; null where there is none. */
  readonly waitMs: number | null;
}

/**
 * Writes attempts, their deliveries, and since when each endpoint has failed. A delivery that was canceled meanwhile stays so, unless it
 * was delivered; of the answer nothing is kept then, for its event may have been erased. Written twice, they are there once.
 */
export async function recordOutcomes(db: Pick<Store, 'pool'>, outcomes: readonly Outcome[]): Promise<void> {
  const rows = outcomes.map((outcome) => ({
    ...outcome,
    ...{ workspaceId: String(outcome.workspaceId), endpointId: String(outcome.endpointId) },
    deliveryId: String(outcome.deliveryId),
  }));
  await query(db, RECORD, [JSON.stringify(rows)]);
}

const COLUMNS = `"workspaceId" bigint, "endpointId" bigint, "deliveryId" bigint, "deliveryCreatedAt" timestamptz, number int,
  "startedAt" timestamptz, "durationMs" int, url text, "requestHeaders" json, code int, error text, "responseStart" text,
  status text, "waitMs" float8`;

/** Endpoints are locked in the order of their ids. One that neither begins nor ceases to fail is not written. What REST shows
 * changes with that, and so the version. */
const RECORD = statement(
  'webhook_deliveries.record',
  () => `with o as materialized (
      select * from json_to_recordset($1::json) as o(${COLUMNS})
    ), attempts as (
      insert into webhook_attempts (workspace_id, delivery_id, number, started_at, duration_ms, url, request_headers,
        response_code, error, response_start)
      select "workspaceId", "deliveryId", number, "startedAt", "durationMs", url, "requestHeaders", code, error,
        case when exists (select from webhook_deliveries d where d.workspace_id = "workspaceId" and d.id = "deliveryId"
          and d.created_at = "deliveryCreatedAt" and d.status = 'canceled') then null else "responseStart" end
      from o
      on conflict do nothing
    ), deliveries as (
      update webhook_deliveries d set attempt_count = greatest(d.attempt_count, o.number), response_code = o.code,
        status = case when o.status = 'delivered' or d.status = 'pending' then o.status else d.status end,
        next_attempt_at = case when o.status = 'pending' and d.status = 'pending'
          then current_timestamp + o."waitMs" * interval '1 millisecond' end,
        delivered_at = case when o.status = 'delivered' then o."startedAt" + o."durationMs" * interval '1 millisecond' end,
        updated_at = greatest(clock_timestamp(), d.updated_at + interval '1 millisecond')
      from o where d.workspace_id = o."workspaceId" and d.id = o."deliveryId" and d.created_at = o."deliveryCreatedAt"
        and d.status <> 'delivered'
    ), succeeded as (
      select "endpointId", max("startedAt") as at from o where status = 'delivered' group by 1
    ), endpoints as (
      select o."workspaceId", o."endpointId", (s.at is not null) as succeeded,
        min(o."startedAt") filter (where o.status <> 'delivered' and (s.at is null or o."startedAt" > s.at)) as failed_at
      from o left join succeeded s using ("endpointId") group by 1, 2, 3
    ), changing as (
      select e.workspace_id, e.id, case when n.succeeded then n.failed_at else coalesce(e.failing_since, n.failed_at) end as failing_since
      from endpoints n join webhook_endpoints e on e.workspace_id = n."workspaceId" and e.id = n."endpointId"
      where e.failing_since is distinct from case when n.succeeded then n.failed_at else coalesce(e.failing_since, n.failed_at) end
      order by e.id for update of e
    )
    update webhook_endpoints e set failing_since = c.failing_since, row_version = e.row_version + 1
    from changing c where e.workspace_id = c.workspace_id and e.id = c.id`,
);

/** Cancels deliveries that are pending. */
export async function cancelDeliveries(
  db: Pick<Store, 'pool'>,
  deliveries: readonly { readonly workspaceId: bigint; readonly id: bigint }[],
): Promise<void> {
  const [workspaceIds, ids] = [deliveries.map((d) => d.workspaceId), deliveries.map((d) => d.id)];
  await query(db, CANCEL, [workspaceIds, ids]);
}

const CANCELED = "status = 'canceled', next_attempt_at = null, updated_at = current_timestamp";

const CANCEL = statement(
  'webhook_deliveries.cancel_some',
  () => `update webhook_deliveries d set ${CANCELED}
    from unnest($1::bigint[], $2::bigint[]) as c(workspace_id, id)
    where d.workspace_id = c.workspace_id and d.id = c.id and d.status = 'pending'`,
);

/** Cancels at most `limit` pending deliveries of an endpoint. Returns how many. */
export async function cancelPending(
  db: Pick<Store, 'pool'>,
  { workspaceId, id }: { readonly workspaceId: bigint; readonly id: bigint },
  limit: number,
): Promise<number> {
  return (await query(db, CANCEL_PENDING, [workspaceId, id, limit])).length;
}

const CANCEL_PENDING = statement(
  'webhook_deliveries.cancel_pending',
  () => `update webhook_deliveries d set ${CANCELED}
    where d.workspace_id = $1::bigint and d.status = 'pending' and d.id = any(array(
      select p.id from webhook_deliveries p
      where p.workspace_id = $1::bigint and p.endpoint_id = $2::bigint and p.status = 'pending' limit $3::int))
    returning 1`,
);
