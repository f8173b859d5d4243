// Deleting what is over of webhooks: attempts, deliveries and events that are old, and deliveries of endpoints that are gone. In small
// batches, so that no statement takes long.
import { type Statement, statement } from './statements.ts';
import { query, type Store } from './store.ts';

/** Tables by the time of their rows, which stand in its order; a row is found by these columns. */
const AGING = [
  { table: 'webhook_attempts', at: 'started_at', key: 'workspace_id, delivery_id, number, started_at' },
  { table: 'webhook_deliveries', at: 'created_at', key: 'workspace_id, id, created_at' },
  { table: 'events', at: 'created_at', key: 'workspace_id, id, created_at' },
] as const;

/** Deletes at most `limit` rows of each kind that are older than `before`. Returns whether there may be more. */
export async function deleteOldDeliveries(
  db: Pick<Store, 'pool'>,
  before: Date,
  limit: number,
): Promise<boolean> {
  let more = false;
  for (const aging of AGING) {
    const gone = await query(db, removal(aging), [before, limit]);
    more ||= gone.length === limit;
  }
  const orphans = await query(db, ORPHANS, [limit]);
  return more || orphans.length === limit;
}

function removal({ table, at, key }: (typeof AGING)[number]): Statement {
  return statement(
    `${table}.expired`,
    () => `delete from ${table} where (${key}) in (
      select ${key} from ${table} where ${at} < $1::timestamptz limit $2::int for update skip locked) returning 1`,
  );
}

/** Endpoints that deliveries name, each found by one step of an index; of those that are gone the deliveries go as well. */
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
    delete from webhook_deliveries where (workspace_id, id, created_at) in (
      select d.workspace_id, d.id, d.created_at from gone g
      join webhook_deliveries d on d.workspace_id = g.workspace_id and d.endpoint_id = g.endpoint_id
      limit $1::int) returning 1`,
);
