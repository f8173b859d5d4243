// Finds open transactions that keep lists from showing newer rows, because they were assigned an id or a time (high-water-marks.ts).

import { BOUNDED_SESSIONS } from '../connections/time-limits.ts';
import { ANNOUNCEMENT_LOCKS, MARKS_VALUES, TABLES_WITH_MARKS } from '../high-water-marks/high-water-marks.ts';
import { statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';

/** Such a transaction, without its statement, which may contain data. */
export interface Holder {
  /** null: a prepared transaction. */
  readonly pid: number | null;
  /** Identifies the transaction while it is open. */
  readonly key: string;
  /** The session's application name, or the name of a prepared transaction. */
  readonly application: string | null;
  readonly user: string | null;
  /** How long it has been open; null if this database user may not see that. */
  readonly seconds: number | null;
  readonly tables: readonly string[];
  /** How many ids were assigned since its first one: up to this many rows may be hidden. */
  readonly rows: number;
  /** Whether it is a session of the gateway itself. */
  readonly isOwn: boolean;
}

/** Only the oldest ones are reported. */
const MAX_HOLDERS = 20;

const { first, last, ofTimes } = ANNOUNCEMENT_LOCKS;
const ANNOUNCED = `l.locktype = 'advisory' and l.objsubid = 2
    and l.database = (select d.oid from pg_database d where d.datname = current_database())`;

/** Does not run as the tenant role, because it must see every session. @throws AppError `unavailable` */
export async function findMarkHolders(store: Pick<Store, 'pool'>): Promise<Holder[]> {
  const holders = statement(
    'mark_holders',
    () => `select l.pid, coalesce(l.pid || ' ' || a.backend_start, '') || l.virtualtransaction as key,
        coalesce(a.application_name, p.gid) as application, coalesce(a.usename, p.owner)::text as user,
        extract(epoch from clock_timestamp() - coalesce(a.xact_start, p.prepared))::float8 as seconds,
        array_agg(distinct t.name) as tables,
        coalesce(max((t.last - l.objid::bigint) & 4294967295) filter (where not t.is_time), 0)::float8 as rows,
        coalesce(a.application_name ~ $4 and a.usename = session_user, false) as "isOwn"
      from (
        select n.name, ${first} + n.number + k.distance as class, k.distance > 0 as is_time,
          coalesce(pg_sequence_last_value(n.sequence::regclass), 0) as last
        from unnest($1::int[], $2::text[], $3::text[]) n (number, name, sequence) cross join (values (0), (${ofTimes})) k (distance)
      ) t
        join pg_locks l on l.classid::bigint = t.class and ${ANNOUNCED}
        left join pg_stat_activity a on a.pid = l.pid
        left join pg_prepared_xacts p on l.pid is null and split_part(l.virtualtransaction, '/', 2) = p.transaction::text
      group by l.pid, a.backend_start, l.virtualtransaction, a.application_name, p.gid, a.usename, p.owner, a.xact_start, p.prepared
      order by coalesce(a.xact_start, p.prepared) nulls first limit ${MAX_HOLDERS}`,
  );
  const [numbers, sequences] = MARKS_VALUES;
  return query<Holder>(store, holders, [numbers, TABLES_WITH_MARKS, sequences, BOUNDED_SESSIONS]);
}

/** Terminates the gateway's own sessions whose transactions have been open for this long. @returns their process ids */
export async function endOwnHolders(store: Pick<Store, 'pool'>, seconds: number): Promise<number[]> {
  const ended = statement(
    'mark_end_own',
    () => `select a.pid, pg_terminate_backend(a.pid) from pg_stat_activity a
      where a.datname = current_database() and a.application_name ~ $1 and a.usename = session_user
        and a.xact_start <= clock_timestamp() - $2::float8 * interval '1 second'
        and a.pid in (select l.pid from pg_locks l where ${ANNOUNCED} and l.classid::bigint between ${first} and ${last})`,
  );
  return (await query<{ pid: number }>(store, ended, [BOUNDED_SESSIONS, seconds])).map(({ pid }) => pid);
}
