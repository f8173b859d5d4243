// Events that an endpoint has missed: it is subscribed to them, but was deactivated when they happened.
import { setTimeout as sleep } from 'node:timers/promises';
import { TEST_EVENT_TYPE } from '../../resources/event-types.ts';
import { insertRows } from '../changing/insert-rows.ts';
import { INSERT_DELIVERIES, IS_SUBSCRIBED } from '../changing/record.ts';
import type { Executor } from '../connections/executor.ts';
import { isErasedEvent } from '../sql/erased.ts';
import { TYPE_NUMBER } from '../sql/public-ids.ts';
import { statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';

/** The events that an endpoint has missed since a time. */
export interface MissedSince {
  readonly workspaceId: bigint;
  readonly endpointId: bigint;
  readonly since: Date;
  readonly most: number;
}

/**
 * Creates deliveries of the events that an active endpoint has missed since a time (and since it was created), the oldest first. Skips
 * erased events, and events for another endpoint only.
 * @returns how many, and whether there are more than `most`
 */
export async function createMissedDeliveries(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  { workspaceId, endpointId, since, most }: MissedSince,
): Promise<{ count: number; hasMore: boolean }> {
  const missed = await tx.$queryRawUnsafe<{ id: bigint; eventType: string }[]>(
    MISSED,
    workspaceId,
    endpointId,
    since,
    most,
  );
  const rows = missed.slice(0, most).map(({ id, eventType }) => [endpointId, id, eventType]);
  await insertRows(tx, {
    insert: INSERT_DELIVERIES,
    workspaceId,
    types: ['bigint', 'bigint', 'text'],
    rows,
    returning: 'id',
  });
  return { count: rows.length, hasMore: missed.length > most };
}

/**
 * The time is compared twice, because PostgreSQL excludes partitions only by the first comparison. `is true` keeps the planner from
 * reading all deliveries of the endpoint for each event: it looks them up by the event.
 */
const MISSED = `select o.id, o.event_type as "eventType"
  from webhook_endpoints e join events o on o.workspace_id = e.workspace_id
  where e.workspace_id = $1::bigint and e.id = $2::bigint and ${IS_SUBSCRIBED}
    and o.workspace_id = $1::bigint and o.created_at >= $3::timestamptz and o.created_at >= e.created_at
    and o.data is not null and not ${isErasedEvent('o', '$1::bigint')} and o.event_type <> '${TEST_EVENT_TYPE}'
    and not exists (select from webhook_deliveries d
      where d.workspace_id = $1::bigint and d.event_id = o.id and (d.endpoint_id = $2::bigint) is true)
  order by o.id limit $4::int + 1`;

/** The base of the keys of `draw_id`'s locks: a key is this plus the table's type number. */
const ID_LOCKS = 1_179_058_176;

/**
 * A change takes one of these locks before it reads which endpoints are active, and holds it until its end: the lock for the id of its
 * audit entry (`draw_id` in the migrations), or the lock of the table.
 */
const RECORDING = statement(
  'events.recording',
  () => `select distinct l.virtualtransaction as id from pg_locks l
    where ((l.locktype = 'relation' and l.relation = 'events'::regclass and l.mode = 'RowExclusiveLock')
        or (l.locktype = 'advisory' and l.objsubid = 2 and l.classid::bigint = ${ID_LOCKS} + ${TYPE_NUMBER.audit_entries}))
      and l.granted and l.database = (select d.oid from pg_database d where d.datname = current_database())`,
);

const LOOK_AGAIN_MS = 10;
/** Longer than a change waits for a lock. */
const MAX_WAIT_MS = 5_000;

/** Resolves when every change that was recording events at the time of the call has ended, or after a few seconds. */
export async function waitForOpenChanges(db: Pick<Store, 'pool'>): Promise<void> {
  const until = performance.now() + MAX_WAIT_MS;
  const readOpenChanges = async () =>
    new Set((await query<{ id: string }>(db, RECORDING, [])).map(({ id }) => id));
  const before = await readOpenChanges();
  for (let left = before; left.size > 0 && performance.now() < until; ) {
    await sleep(LOOK_AGAIN_MS);
    left = before.intersection(await readOpenChanges());
  }
}
