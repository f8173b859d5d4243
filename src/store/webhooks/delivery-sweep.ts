// Finds endpoints with due deliveries that no worker has: for retries, after lost notifications, and after a start.
import { inTransaction } from '../connections/executor.ts';
import { statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';
import { NEEDS_WORKER } from './ended-endpoints.ts';

/** The result of a sweep. */
export interface Sweep {
  /** Some endpoints with due deliveries that nobody has leased and that are not paused; first those whose last lease is the oldest. */
  readonly unleased: readonly bigint[];
  /** The number of endpoints with due deliveries. */
  readonly endpointCount: number;
  /** For how many seconds the oldest due delivery has been due. Failing endpoints do not count, because they have pauses. */
  readonly oldestSeconds: number;
}

/**
 * Finds endpoints with due deliveries. Each takes two index look-ups, however many deliveries are due.
 * @returns null while another process is sweeping
 */
export async function sweepEndpoints(db: Pick<Store, 'pool' | 'placement'>): Promise<Sweep | null> {
  const { stepsThroughIndexes } = await db.placement.rules();
  return stepsThroughIndexes ? sweepEach(db) : sweepAll(db);
}

/** Steps from one endpoint to the next in the index. */
async function sweepEach(db: Pick<Store, 'pool'>): Promise<Sweep | null> {
  const [sweep] = await query<Sweep & { isOurs: boolean }>(db, SWEEP, []);
  return sweep?.isOurs === true ? sweep : null;
}

/** The key of the advisory lock that a sweep holds. */
const SWEEP_LOCK = 7_364_291_501;

/** The endpoints of `d` that a worker should lease. A worker with capacity for more looks again soon. */
const UNLEASED = `left join webhook_leases l on l.endpoint_id = d.id
  where l.leased_until is null or l.leased_until <= current_timestamp order by l.leased_until nulls first limit 500`;

const SWEEP = statement(
  'webhook_endpoints.sweep',
  () => `with recursive turn as materialized (
      select pg_try_advisory_xact_lock(${SWEEP_LOCK}) as is_ours
    ), pending as (
      (select d.workspace_id, d.endpoint_id, d.next_attempt_at from webhook_deliveries d
        where d.status = 'pending' and (select is_ours from turn)
        order by d.workspace_id, d.endpoint_id, d.next_attempt_at limit 1)
      union all
      select n.* from pending p cross join lateral (
        select d.workspace_id, d.endpoint_id, d.next_attempt_at from webhook_deliveries d
        where d.status = 'pending' and (d.workspace_id, d.endpoint_id) > (p.workspace_id, p.endpoint_id)
        order by d.workspace_id, d.endpoint_id, d.next_attempt_at limit 1) n
    ), due as materialized (
      select e.id, case when e.failing_since is null then p.next_attempt_at end as waits_since from pending p
      join webhook_endpoints e on e.workspace_id = p.workspace_id and e.id = p.endpoint_id
      where p.next_attempt_at <= current_timestamp and ${NEEDS_WORKER}
    )
    select (select is_ours from turn) as "isOurs", (select count(*)::int from due) as "endpointCount",
      (select coalesce(extract(epoch from current_timestamp - min(waits_since)), 0)::float8 from due) as "oldestSeconds",
      array(select d.id from due d ${UNLEASED}) as unleased`,
);

const ALL_DUE = `select d.endpoint_id as id, min(d.next_attempt_at) as "dueAt", bool_or(e.failing_since is not null) as "isFailing"
  from webhook_deliveries d join webhook_endpoints e on e.workspace_id = d.workspace_id and e.id = d.endpoint_id
  where d.status = 'pending' and d.next_attempt_at <= $1::timestamptz and ${NEEDS_WORKER}
  group by d.workspace_id, d.endpoint_id`;

const UNLEASED_OF = `select d.id from unnest($1::bigint[]) d (id) ${UNLEASED}`;

/** Reads all deliveries that are due. */
function sweepAll(db: Pick<Store, 'pool'>): Promise<Sweep | null> {
  return inTransaction(db.pool, async (tx) => {
    const [turn] = await tx.$queryRawUnsafe<{ isOurs: boolean; now: Date }[]>(
      `select pg_try_advisory_xact_lock(${SWEEP_LOCK}) as "isOurs", current_timestamp as now`,
    );
    if (turn?.isOurs !== true) return null;
    const due = await tx.$queryRawUnsafe<{ id: bigint; dueAt: Date; isFailing: boolean }[]>(
      ALL_DUE,
      turn.now,
    );
    const ids = due.map(({ id }) => id);
    const unleased = await tx.$queryRawUnsafe<{ id: bigint }[]>(UNLEASED_OF, ids);
    const waiting = due.filter(({ isFailing }) => !isFailing).map(({ dueAt }) => dueAt.getTime());
    return {
      unleased: unleased.map(({ id }) => id),
      endpointCount: due.length,
      oldestSeconds: (turn.now.getTime() - Math.min(turn.now.getTime(), ...waiting)) / 1000,
    };
  });
}
