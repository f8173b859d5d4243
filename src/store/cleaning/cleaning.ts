// Deletes expired data: authorization states, access tokens, attempt counts, leases, idempotency records, visitors of pages, unfinished
// grants, and unused clients. It deletes in small batches, so that no statement takes long, and skips rows that another process is deleting.
import { KEY_LIFETIME } from '../changing/records.ts';
import { type Statement, statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';

interface ExpiredRows {
  readonly table: string;
  /** The condition on the row `t`, at the time `$1`. */
  readonly where: string;
  /** `$1` is the time up to which visits are kept. */
  readonly isOfVisits?: boolean;
  /** The columns of its primary key, for a table below a workspace. */
  readonly key?: string;
  /** A delete makes every process discard its caches, even if it deletes no row. So the cleaning first checks for such rows. */
  readonly isAnnounced?: boolean;
}

const SWEEPS: readonly ExpiredRows[] = [
  // Tokens and states are kept a little longer, in case a clock is slow; counts as long as the longest window (services/limits/throttle.ts).
  { table: 'oauth_states', where: "t.expires_at < $1::timestamptz - interval '10 minutes'" },
  // A token without an end is kept for a month after its revocation, so that its bearer is told why it is refused.
  {
    table: 'oauth_access_tokens',
    where: `(t.expires_at < $1::timestamptz - interval '10 minutes'
      or t.expires_at is null and t.revoked_at < $1::timestamptz - interval '30 days')`,
  },
  { table: 'sign_in_failures', where: "t.window_start < $1::timestamptz - interval '1 hour'" },
  // Written by gateways of the previous version, while they run concurrently with this one.
  { table: 'write_positions', where: "t.written_at < $1::timestamptz - interval '10 minutes'" },
  // Endpoints with a recent lease are leased after others (delivery-sweep.ts); a day ago is not recent.
  { table: 'webhook_leases', where: "t.leased_until < $1::timestamptz - interval '1 day'" },
  // A retry can no longer refer to it (idempotency-records.ts).
  {
    table: 'idempotency_records',
    key: 'workspace_id, key_hash',
    where: `t.created_at < $1::timestamptz - ${KEY_LIFETIME} - interval '10 minutes'`,
  },
  // Kept as long as visits. Afterwards, the visitor's next view counts as unique again.
  {
    table: 'page_visitors',
    key: 'workspace_id, page_id, visitor',
    where: "t.first_on < ($1::timestamptz at time zone 'UTC')::date",
    isOfVisits: true,
  },
  // A consent that was not completed after its grant was saved.
  {
    table: 'oauth_grants',
    where: "t.team_id is null and t.created_at < $1::timestamptz - interval '1 day'",
    isAnnounced: true,
  },
  // A client that registered itself is kept while it has a live grant, and a month longer, because users may return. There may be many
  // clients that were never granted anything; of these only the newest are kept.
  {
    table: 'oauth_clients',
    where: `t.dynamic and t.disabled_at is null and (t.created_at < $1::timestamptz - interval '30 days'
        and not exists (select from oauth_grants g where g.client_id = t.id
          and coalesce(least(g.revoked_at, g.expires_at), 'infinity') > $1::timestamptz - interval '30 days')
      or t.created_at < (select c.created_at from oauth_clients c where c.dynamic
          order by c.created_at desc offset 9999 limit 1)
        and not exists (select from oauth_grants g where g.client_id = t.id))`,
    isAnnounced: true,
  },
];

/** The earlier of `at` and the database's time, so that a clock that has jumped ahead makes nothing expire. */
export async function earlierOfClocks(db: Pick<Store, 'pool'>, at: Date): Promise<Date> {
  const [row] = await query<{ at: Date }>(db, EARLIER, [at]);
  return row?.at ?? at;
}

const EARLIER = statement(
  'cleaning.not_ahead',
  () => 'select least($1::timestamptz, statement_timestamp()) as at',
);

/**
 * Deletes at most `limit` rows of each kind. Returns whether there may be more.
 * @param visitsFrom visits are kept from this time on
 */
export async function deleteExpired(
  store: Store,
  at: Date,
  visitsFrom: Date,
  limit: number,
): Promise<boolean> {
  let more = false;
  for (const sweep of SWEEPS) {
    if (sweep.isAnnounced && (await query(store, findOne(sweep), [at])).length === 0) continue;
    const gone = await query(store, remove(sweep), [sweep.isOfVisits ? visitsFrom : at, limit]);
    more ||= gone.length === limit;
  }
  return more;
}

function findOne({ table, where }: ExpiredRows): Statement {
  return statement(`${table}.sweep.look`, () => `select from ${table} t where ${where} limit 1`);
}

/**
 * In a table below a workspace, two processes may delete the same rows, and the second waits for the first: a statement that locks rows
 * would have to filter by their workspace (shard-placement/). Only the outer condition is evaluated again for rows changed meanwhile.
 */
function remove({ table, where, key }: ExpiredRows): Statement {
  return statement(`${table}.sweep`, () =>
    key === undefined
      ? `delete from ${table} where ctid = any(array(
          select t.ctid from ${table} t where ${where} limit $2 for update skip locked)) returning 1`
      : `delete from ${table} t where ${where} and (${key}) in (select ${key} from ${table} t where ${where} limit $2) returning 1`,
  );
}

/**
 * Deletes at most `limit` deliveries of deleted endpoints. Returns whether there may be more. Old deliveries are dropped with their partition
 * (partitions/); where statements cannot step through an index, that is the only way.
 */
export async function deleteOrphanedDeliveries(
  db: Pick<Store, 'pool' | 'placement'>,
  limit: number,
): Promise<boolean> {
  const { stepsThroughIndexes } = await db.placement.rules();
  return stepsThroughIndexes && (await query(db, ORPHANS, [limit])).length === limit;
}

/**
 * Finds each endpoint that deliveries refer to by one index look-up, and deletes the deliveries of deleted endpoints. Does not use the time
 * in another row, which would choose the partition (reason: delivery-outcomes.ts).
 */
const ORPHANS = statement(
  'webhook_deliveries.orphans',
  () => `with recursive named as (
      (select workspace_id, endpoint_id from webhook_deliveries order by workspace_id, endpoint_id limit 1)
      union all
      select n.* from named p cross join lateral (
        select d.workspace_id, d.endpoint_id from webhook_deliveries d
        where (d.workspace_id, d.endpoint_id) > (p.workspace_id, p.endpoint_id)
        order by d.workspace_id, d.endpoint_id limit 1) n
    ), gone as (
      select * from named n where not exists (select from webhook_endpoints e
        where e.workspace_id = n.workspace_id and e.id = n.endpoint_id)
    )
    delete from webhook_deliveries where (workspace_id, id) in (
      select d.workspace_id, d.id from gone g
      join webhook_deliveries d on d.workspace_id = g.workspace_id and d.endpoint_id = g.endpoint_id
      limit $1::int) returning 1`,
);
