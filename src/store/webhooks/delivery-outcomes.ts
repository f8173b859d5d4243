// Records the outcomes of delivery attempts, many in one statement.
import { inTransaction } from '../connections/executor.ts';
import { ATTEMPT_COLUMNS, CANCELED, GIVEN_COLUMNS, type Outcome, RESULT } from '../sql/attempt-outcome.ts';
import { statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';
import { recordOutcomesInSteps } from './distributed-outcomes.ts';

/**
 * Records attempts, updates their deliveries, and sets since when each endpoint has failed. A delivery that was canceled meanwhile stays
 * canceled, unless it was delivered. The response to such a canceled delivery is not stored, because its event may have been erased.
 * Recording an outcome twice has no further effect.
 */
export async function recordOutcomes(
  db: Pick<Store, 'pool' | 'distribution'>,
  outcomes: readonly Outcome[],
): Promise<void> {
  const record = await db.distribution.choose({ whole: recordTogether, sharded: recordOutcomesInSteps });
  await record(db, outcomes);
}

async function recordTogether(db: Pick<Store, 'pool'>, outcomes: readonly Outcome[]): Promise<void> {
  const rows = outcomes.map((outcome) => ({
    ...outcome,
    workspaceId: String(outcome.workspaceId),
    endpointId: String(outcome.endpointId),
    deliveryId: String(outcome.deliveryId),
  }));
  await query(db, RECORD, [JSON.stringify(rows)]);
}

const COLUMNS = `"workspaceId" bigint, "endpointId" bigint, ${GIVEN_COLUMNS}, "waitMs" float8`;

/**
 * Deliveries are locked before anything else is read of them, so that after waiting for an erasure the statement sees its result. Endpoints
 * are locked in the order of their ids. An endpoint is written only if it begins or stops failing: that changes what REST shows, and so the
 * row version.
 */
const RECORD = statement(
  'webhook_deliveries.record',
  () => `with o as materialized (
      select * from json_to_recordset($1::json) as o(${COLUMNS})
    ), locked as materialized (
      select d.workspace_id, d.id, d.created_at, d.status from webhook_deliveries d
      where (d.workspace_id, d.id, d.created_at) in (select "workspaceId", "deliveryId", "deliveryCreatedAt" from o)
      order by d.workspace_id, d.id for update of d
    ), attempts as (
      insert into webhook_attempts (${ATTEMPT_COLUMNS})
      select "workspaceId", "deliveryId", number, "startedAt", "durationMs", url, "requestHeaders", code, error,
        case when l.status = 'pending' then "responseStart" end
      from o left join locked l on l.workspace_id = "workspaceId" and l.id = "deliveryId"
      on conflict do nothing
    ), deliveries as (
      update webhook_deliveries d set ${RESULT},
        next_attempt_at = case when o.status = 'pending' and d.status = 'pending'
          then current_timestamp + o."waitMs" * interval '1 millisecond' end,
        delivered_at = case when o.status = 'delivered' then o."startedAt" + o."durationMs" * interval '1 millisecond' end,
        updated_at = greatest(clock_timestamp(), d.updated_at + interval '1 millisecond')
      from o join locked l on l.workspace_id = o."workspaceId" and l.id = o."deliveryId"
      where d.workspace_id = l.workspace_id and d.id = l.id and d.created_at = l.created_at
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

/** Cancels those of the deliveries that are pending. */
export async function cancelDeliveries(
  db: Pick<Store, 'pool'>,
  deliveries: readonly { readonly workspaceId: bigint; readonly id: bigint }[],
): Promise<void> {
  const byWorkspace = Map.groupBy(deliveries, ({ workspaceId }) => workspaceId);
  for (const [workspaceId, ofWorkspace] of byWorkspace)
    await query(db, CANCEL, [workspaceId, ofWorkspace.map(({ id }) => id)]);
}

const CANCEL = statement(
  'webhook_deliveries.cancel_some',
  () => `update webhook_deliveries d set ${CANCELED}
    where d.workspace_id = $1::bigint and d.id = any($2::bigint[]) and d.status = 'pending'`,
);

/** Cancels at most `limit` pending deliveries of a deactivated endpoint, which stays deactivated meanwhile. @returns how many */
export function cancelPending(
  db: Pick<Store, 'pool'>,
  { workspaceId, id: endpointId }: { readonly workspaceId: bigint; readonly id: bigint },
  limit: number,
): Promise<number> {
  return inTransaction(db.pool, async (tx) => {
    const deactivated = await tx.$queryRawUnsafe<object[]>(
      `select e.id from webhook_endpoints e
        where e.workspace_id = $1::bigint and e.id = $2::bigint and e.deactivated_at is not null for share of e`,
      workspaceId,
      endpointId,
    );
    if (deactivated.length === 0) return 0;
    const pending = await tx.$queryRawUnsafe<{ id: bigint }[]>(
      `select d.id from webhook_deliveries d
        where d.workspace_id = $1::bigint and d.endpoint_id = $2::bigint and d.status = 'pending' limit $3::int`,
      ...[workspaceId, endpointId, limit],
    );
    return tx.$executeRawUnsafe(
      `update webhook_deliveries d set ${CANCELED}
        where d.workspace_id = $1::bigint and d.id = any($2::bigint[]) and d.status = 'pending'`,
      workspaceId,
      pending.map(({ id }) => id),
    );
  });
}
