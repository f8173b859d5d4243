// Deletes the deliveries of deleted endpoints, in small batches, so that no statement takes long. Old deliveries are dropped with their
// partition (partitions/).
import { statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';

/** Deletes at most `limit` of them. Returns whether there may be more. In a distributed store deliveries are only dropped by age. */
export async function deleteOrphanedDeliveries(
  db: Pick<Store, 'pool' | 'distribution'>,
  limit: number,
): Promise<boolean> {
  const orphans = await db.distribution.choose({ whole: ORPHANS, sharded: null });
  return orphans !== null && (await query(db, orphans, [limit])).length === limit;
}

/**
 * The endpoints that deliveries refer to, each found by one index look-up; the deliveries of deleted ones are deleted. Not by the time in
 * another row, which would choose their partition (why: delivery-outcomes.ts).
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
