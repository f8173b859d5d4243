// Records the outcomes of delivery attempts in a distributed store. `recordOutcomes` does this in one statement; here it takes several
// steps for each workspace, on its shard.

import { timeOf } from '../changing/records.ts';
import { type Executor, inTransaction } from '../connections/executor.ts';
import { ATTEMPT_COLUMNS, GIVEN_COLUMNS, type Outcome, RESULT } from '../sql/attempt-outcome.ts';
import type { Store } from '../store.ts';

/** Records the outcomes; those of one workspace in one transaction. */
export async function recordOutcomesInSteps(
  db: Pick<Store, 'pool'>,
  outcomes: readonly Outcome[],
): Promise<void> {
  const byWorkspace = Map.groupBy(outcomes, ({ workspaceId }) => workspaceId);
  for (const [workspaceId, ofWorkspace] of byWorkspace)
    await inTransaction(db.pool, async (tx) => {
      await recordDeliveries(tx, workspaceId, ofWorkspace);
      await recordEndpoints(tx, workspaceId, ofWorkspace);
    });
}

const LOCK = `select d.id, d.status from webhook_deliveries d
  where d.workspace_id = $1::bigint and d.id = any($2::bigint[]) and d.created_at = any($3::timestamptz[])
  order by d.id for update of d`;

const GIVEN = `json_to_recordset($2::json) as o(${GIVEN_COLUMNS}, "nextAt" timestamptz, "endedAt" timestamptz)`;

const ATTEMPTS = `insert into webhook_attempts (${ATTEMPT_COLUMNS})
  select $1::bigint, o."deliveryId", o.number, o."startedAt", o."durationMs", o.url, o."requestHeaders", o.code, o.error, o."responseStart"
  from ${GIVEN} on conflict do nothing`;

const DELIVERIES = `update webhook_deliveries d set ${RESULT},
    next_attempt_at = case when o.status = 'pending' and d.status = 'pending' then o."nextAt" end,
    delivered_at = case when o.status = 'delivered' then o."endedAt" end,
    updated_at = later_time(d.updated_at, $3::timestamptz)
  from ${GIVEN}
  where d.workspace_id = $1::bigint and d.id = o."deliveryId" and d.created_at = o."deliveryCreatedAt" and d.status <> 'delivered'`;

/** Locks the deliveries first, so that after waiting for an erasure no response to a canceled delivery is stored. */
async function recordDeliveries(
  tx: Executor,
  workspaceId: bigint,
  outcomes: readonly Outcome[],
): Promise<void> {
  const locked = await tx.$queryRawUnsafe<{ id: bigint; status: string }[]>(
    LOCK,
    workspaceId,
    outcomes.map(({ deliveryId }) => deliveryId),
    outcomes.map(({ deliveryCreatedAt }) => deliveryCreatedAt),
  );
  const pending = new Set(locked.filter(({ status }) => status === 'pending').map(({ id }) => id));
  const now = await timeOf(tx);
  const nowMs = Date.parse(now);
  const rows = outcomes.map(({ workspaceId: _, endpointId, responseStart, ...outcome }) => ({
    ...outcome,
    deliveryId: String(outcome.deliveryId),
    responseStart: pending.has(outcome.deliveryId) ? responseStart : null,
    nextAt: outcome.waitMs === null ? null : new Date(nowMs + outcome.waitMs),
    endedAt: new Date(outcome.startedAt.getTime() + outcome.durationMs),
  }));
  const given = JSON.stringify(rows);
  await tx.$executeRawUnsafe(ATTEMPTS, workspaceId, given);
  await tx.$executeRawUnsafe(DELIVERIES, workspaceId, given, now);
}

interface Failing {
  readonly id: bigint;
  readonly failingSince: Date | null;
}

const ENDPOINTS = `select e.id, e.failing_since as "failingSince" from webhook_endpoints e
  where e.workspace_id = $1::bigint and e.id = any($2::bigint[]) order by e.id`;

const FAILING = `update webhook_endpoints e set failing_since = $3::timestamptz, row_version = e.row_version + 1
  where e.workspace_id = $1::bigint and e.id = $2::bigint`;

/** Endpoints that begin or stop failing are locked in the order of their ids, and checked again. */
async function recordEndpoints(
  tx: Executor,
  workspaceId: bigint,
  outcomes: readonly Outcome[],
): Promise<void> {
  const changing = (found: readonly Failing[]) =>
    found.filter((endpoint) => since(endpoint, outcomes)?.getTime() !== endpoint.failingSince?.getTime());
  const ids = [...new Set(outcomes.map(({ endpointId }) => endpointId))];
  const seen = changing(await tx.$queryRawUnsafe<Failing[]>(ENDPOINTS, workspaceId, ids));
  if (seen.length === 0) return;
  const locked = await tx.$queryRawUnsafe<Failing[]>(
    `${ENDPOINTS} for update of e`,
    workspaceId,
    seen.map(({ id }) => id),
  );
  for (const endpoint of changing(locked))
    await tx.$executeRawUnsafe(FAILING, workspaceId, endpoint.id, since(endpoint, outcomes));
}

/** The time since which an endpoint has failed, after these outcomes. */
function since({ id, failingSince }: Failing, outcomes: readonly Outcome[]): Date | null {
  const own = outcomes.filter(({ endpointId }) => endpointId === id);
  const times = (list: readonly Outcome[]) => list.map(({ startedAt }) => startedAt.getTime());
  const delivered = times(own.filter(({ status }) => status === 'delivered'));
  const succeededMs = Math.max(...delivered);
  const failed = times(own.filter(({ status }) => status !== 'delivered')).filter((ms) => ms > succeededMs);
  const failedAt = failed.length === 0 ? null : new Date(Math.min(...failed));
  return delivered.length > 0 ? failedAt : (failingSince ?? failedAt);
}
