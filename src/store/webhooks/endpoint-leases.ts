// Leases of endpoints: only the worker that has an endpoint's lease delivers to it. A lease runs out unless the worker renews it, so a
// killed worker keeps no endpoint. An endpoint that fails is paused by a lease that nobody holds.
import { statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';

/** How long a lease lasts without being renewed. */
export const LEASE_MS = 30_000;

type Db = Pick<Store, 'pool'>;

/** Leases the endpoints that nobody holds and that are not paused. @param holder a UUID of the worker @returns the leased ones */
export async function leaseEndpoints(
  db: Db,
  holder: string,
  ids: readonly bigint[],
): Promise<readonly bigint[]> {
  return (await query<{ id: bigint }>(db, LEASE, [holder, ids, LEASE_MS])).map(({ id }) => id);
}

/** Extends leases. @returns the endpoints whose leases the worker still holds */
export async function renewLeases(
  db: Db,
  holder: string,
  ids: readonly bigint[],
): Promise<ReadonlySet<bigint>> {
  const rows = await query<{ id: bigint }>(db, RENEW, [holder, ids, LEASE_MS]);
  return new Set(rows.map(({ id }) => id));
}

/** Gives an endpoint back, if the worker still holds its lease. @param pauseMs how long nobody may lease it */
export async function releaseEndpoint(db: Db, holder: string, id: bigint, pauseMs: number): Promise<void> {
  await query(db, RELEASE, [holder, id, pauseMs]);
}

const UNTIL = "current_timestamp + $3::float8 * interval '1 millisecond'";

/** Of two workers at once, the second one waits for the first, and then its condition no longer holds. */
const LEASE = statement(
  'webhook_leases.lease',
  () => `insert into webhook_leases as l (endpoint_id, holder, leased_until)
    select i.id, $1::uuid, ${UNTIL} from unnest($2::bigint[]) i (id)
    where not exists (select from webhook_leases h where h.endpoint_id = i.id and h.leased_until > current_timestamp)
    order by i.id
    on conflict (endpoint_id) do update set holder = excluded.holder, leased_until = excluded.leased_until
      where l.leased_until <= current_timestamp
    returning l.endpoint_id as id`,
);

const RENEW = statement(
  'webhook_leases.renew',
  () => `update webhook_leases set leased_until = ${UNTIL}
    where endpoint_id = any($2::bigint[]) and holder = $1::uuid returning endpoint_id as id`,
);

const RELEASE = statement(
  'webhook_leases.release',
  () => `update webhook_leases set holder = null, leased_until = ${UNTIL}
    where endpoint_id = $2::bigint and holder = $1::uuid`,
);
