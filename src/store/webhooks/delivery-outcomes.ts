// Records the outcomes of delivery attempts, many in one statement.
import type { Executor } from '../connections/executor.ts';
import { CANCELED } from '../sql/canceled-deliveries.ts';
import { type Statement, statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';
import { HAS_ENDED } from './ended-endpoints.ts';

/** The outcome of an attempt, and the resulting state of the delivery. */
export interface Outcome {
  readonly workspaceId: bigint;
  readonly endpointId: bigint;
  readonly deliveryId: bigint;
  readonly deliveryCreatedAt: Date;
  /** Counted from 1. */
  readonly number: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** The status of the response; null without a response. */
  readonly code: number | null;
  /** Why there is no complete response. */
  readonly error: string | null;
  readonly responseStart: string;
  readonly status: 'delivered' | 'pending' | 'failed';
  /** Milliseconds until the next attempt; null if there is none. */
  readonly waitMs: number | null;
}

/**
 * Records attempts, updates their deliveries, and sets since when each endpoint has failed. A delivery that was canceled meanwhile stays
 * canceled, unless it was delivered. The response to such a canceled delivery is not stored, because its event may have been erased.
 * Recording an outcome twice has no further effect.
 */
export async function recordOutcomes(
  db: Pick<Store, 'pool' | 'placement'>,
  outcomes: readonly Outcome[],
): Promise<void> {
  const { namesWorkspace } = await db.placement.rules();
  if (!namesWorkspace) {
    await query(db, RECORD, valuesOf(outcomes));
    return;
  }
  for (const [workspaceId, some] of Map.groupBy(outcomes, (outcome) => outcome.workspaceId))
    await query(db, RECORD_OF_WORKSPACE, [...valuesOf(some), workspaceId]);
}

/** The same in a transaction, for the outcomes of one workspace. */
export async function recordOutcomesOf(
  tx: Executor,
  workspaceId: bigint,
  outcomes: readonly Outcome[],
): Promise<void> {
  await tx.$executeRawUnsafe(RECORD_OF_WORKSPACE.text, ...valuesOf(outcomes), workspaceId);
}

/** The outcomes, and when the first and the last of their deliveries was created. */
function valuesOf(outcomes: readonly Outcome[]): [string, Date, Date] {
  const json = JSON.stringify(outcomes, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  const times = outcomes.map(({ deliveryCreatedAt }) => deliveryCreatedAt.getTime());
  return [json, new Date(Math.min(...times)), new Date(Math.max(...times))];
}

/**
 * Deliveries are locked before anything else is read of them, so that after waiting for an erasure the statement sees its result. Endpoints
 * are locked in the order of their ids. An endpoint is written only if it begins or stops failing: that changes what REST shows, and so the
 * row version. Parameters choose the partitions, never the time in another row: PostgreSQL 18 (18.4) crashes with a segmentation
 * fault, with all its sessions, if it chooses partitions during execution and then has to read a row again that changed meanwhile.
 * @param workspace the placeholder of the only workspace of all outcomes; null if they may be of several
 */
function record(name: string, workspace: string | null): Statement {
  const inWorkspace = (alias: string) =>
    workspace === null ? 'true' : `${alias}.workspace_id = ${workspace}`;
  const isOfTime = 'd.created_at between $2::timestamptz and $3::timestamptz';
  return statement(
    name,
    () => `with o as materialized (
      select o.*, current_timestamp + o."waitMs" * interval '1 millisecond' as "nextAt",
        o."startedAt" + o."durationMs" * interval '1 millisecond' as "endedAt"
      from json_to_recordset($1::json) as o("workspaceId" bigint, "endpointId" bigint, "deliveryId" bigint,
        number int, "startedAt" timestamptz, "durationMs" int, url text, "requestHeaders" json,
        code int, error text, "responseStart" text, status text, "waitMs" float8)
    ), locked as materialized (
      select d.* from (select distinct "workspaceId", "deliveryId" from o order by 1, 2) n cross join lateral (
        select d.workspace_id, d.id, d.status from webhook_deliveries d
        where ${inWorkspace('d')} and d.workspace_id = n."workspaceId" and d.id = n."deliveryId" and ${isOfTime}
        for update of d) d
    ), deliveries as (
      update webhook_deliveries d set attempt_count = greatest(d.attempt_count, o.number), response_code = o.code,
        status = case when o.status = 'delivered' or d.status = 'pending' then o.status else d.status end,
        next_attempt_at = case when o.status = 'pending' and d.status = 'pending' then o."nextAt" end,
        delivered_at = case when o.status = 'delivered' then o."endedAt" end,
        updated_at = later_time(d.updated_at, current_timestamp)
      from o join locked l on l.workspace_id = o."workspaceId" and l.id = o."deliveryId"
      where ${inWorkspace('d')} and d.workspace_id = l.workspace_id and d.id = l.id and ${isOfTime}
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
      where ${inWorkspace('e')}
        and e.failing_since is distinct from case when n.succeeded then n.failed_at else coalesce(e.failing_since, n.failed_at) end
      order by e.id for update of e
    ), failing as (
      update webhook_endpoints e set failing_since = c.failing_since, row_version = e.row_version + 1
      from changing c where ${inWorkspace('e')} and e.workspace_id = c.workspace_id and e.id = c.id
    )
    insert into webhook_attempts (workspace_id, delivery_id, number, started_at, duration_ms, url, request_headers, response_code, error,
      response_start)
    select ${workspace ?? '"workspaceId"'}, "deliveryId", number, "startedAt", "durationMs", url, "requestHeaders", code, error,
      case when l.status = 'pending' then "responseStart" end
    from o left join locked l on l.workspace_id = "workspaceId" and l.id = "deliveryId"
    on conflict do nothing`,
  );
}

const RECORD = record('webhook_deliveries.record', null);
const RECORD_OF_WORKSPACE = record('webhook_deliveries.record_of_workspace', '$4::bigint');

/** Cancels a delivery if it is pending. */
export async function cancelDelivery(
  db: Pick<Store, 'pool'>,
  workspaceId: bigint,
  id: bigint,
): Promise<void> {
  await query(db, CANCEL, [workspaceId, id]);
}

/** Finds the row by its id, for the reason of `STILL_PENDING` (deliveries-due.ts). */
const CANCEL = statement(
  'webhook_deliveries.cancel_one',
  () => `update webhook_deliveries d set ${CANCELED}
    where d.workspace_id = $1::bigint and d.id = $2::bigint and (d.status = 'pending') is true`,
);

/** Cancels at most `limit` pending deliveries of an endpoint, while its subscription has ended. @returns how many */
export async function cancelPending(
  db: Pick<Store, 'pool'>,
  { workspaceId, id }: { readonly workspaceId: bigint; readonly id: bigint },
  limit: number,
): Promise<number> {
  return (await query(db, CANCEL_PENDING, [workspaceId, id, limit])).length;
}

const CANCEL_PENDING = statement(
  'webhook_deliveries.cancel_pending',
  () => `with e as materialized (
      select from webhook_endpoints e
      where e.workspace_id = $1::bigint and e.id = $2::bigint and ${HAS_ENDED} for share
    )
    update webhook_deliveries d set ${CANCELED}
    where exists (select from e) and d.workspace_id = $1::bigint and d.status = 'pending' and d.id = any(array(
      select p.id from webhook_deliveries p
      where p.workspace_id = $1::bigint and p.endpoint_id = $2::bigint and p.status = 'pending' limit $3::int))
    returning 1`,
);
