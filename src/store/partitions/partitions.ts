// The time-partitioned tables. The database's function `keep_partitions` creates and drops their partitions, step by step; this calls it, and
// reports how far partitions reach. Rows without a partition for their time are in the default one, `<table>_default`.
import { type Statement, statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';

/** A table that is partitioned by time. */
export interface PartitionedTable {
  readonly name: string;
  /** The column of the time. */
  readonly at: string;
  /** The retention time of its rows. */
  readonly kept: 'events' | 'audit' | 'visits';
}

/** Tables that refer to others come first. */
export const PARTITIONED_TABLES: readonly PartitionedTable[] = [
  { name: 'webhook_attempts', at: 'started_at', kept: 'events' },
  { name: 'webhook_deliveries', at: 'created_at', kept: 'events' },
  { name: 'events', at: 'created_at', kept: 'events' },
  { name: 'audit_entries', at: 'created_at', kept: 'audit' },
  { name: 'visits', at: 'created_at', kept: 'visits' },
];

/** The number of days that rows are kept. */
export type KeepDays = Readonly<Record<PartitionedTable['kept'], number>>;

/** The key of the advisory lock for changes of partitions, as in the function. */
export const PARTITIONS_LOCK = '7305441298826014722';

/** The result of a call: the step that it took, if one was needed. */
export interface PartitionStep {
  /** The name of the new partition. */
  readonly made: string | null;
  readonly dropped: string | null;
  /** Whether there is another step to take. */
  readonly more: boolean;
}

const STEP: Statement = {
  name: 'partitions.step',
  text: `select made, dropped, more from keep_partitions($1::text, $2::int, $3::boolean, coalesce($4::timestamptz, clock_timestamp()),
    since => clock_timestamp() - $5::int * interval '1 day', large_bytes => $6::bigint)`,
};

/** A larger default partition is read in a separate step, during which others can read and write. */
const LARGE_BYTES = 64 * 1024 * 1024;

export interface StepOptions {
  /** The process's time. If present, data that is too old by this and by the database's clock is dropped or deleted. */
  readonly oldAt?: Date;
  /** Whether to create partitions for the complete retention time, for rows of a backup; otherwise from today on. */
  readonly isBehind?: boolean;
  readonly largeBytes?: number;
}

/**
 * Takes one step: creates a missing partition, otherwise drops one that is too old, otherwise deletes a thousand old rows outside of
 * partitions.
 * @throws AppError `unavailable`; PostgreSQL's error when a lock could not be taken at once, or the user may not call the function
 */
export async function stepPartitions(
  db: Pick<Store, 'pool'>,
  { name, kept }: PartitionedTable,
  keepDays: KeepDays,
  { oldAt, isBehind = false, largeBytes = LARGE_BYTES }: StepOptions = {},
): Promise<PartitionStep> {
  const days = keepDays[kept];
  const values = [name, days, oldAt !== undefined, oldAt ?? null, isBehind ? days : 0, largeBytes];
  const [step] = await query<PartitionStep>(db, STEP, values);
  if (step === undefined) throw new TypeError('keep_partitions did not answer');
  return step;
}

/** The state of one table's partitions. */
export interface PartitionHealth {
  readonly nowMs: number;
  /** The end of the gapless range of partitions that starts now; now if there is none. */
  readonly coveredMs: number;
  /** The newest row in the default partition although partitions for earlier rows exist; null when there is none. */
  readonly strayMs: number | null;
}

const COVERED: Statement = {
  name: 'partitions.covered',
  text: `with recursive parts as materialized (select * from time_partitions($1::text::regclass)), reached as (
      select statement_timestamp() as until
      union all
      select p.to_time from reached r join parts p on p.from_time <= r.until and p.to_time > r.until where r.until < 'infinity'
    )
    select extract(epoch from statement_timestamp())::float8 * 1000 as "nowMs",
      (select extract(epoch from max(until))::float8 * 1000 from reached) as "coveredMs",
      (select min(from_time)::text from parts) as first`,
};

function newestRowOutside(table: string, at: string): Statement {
  return statement(
    `${table}.default.newest`,
    () =>
      `select extract(epoch from max(${at}))::float8 * 1000 as ms from ${table}_default where ${at} >= $1::timestamptz`,
  );
}

/** Reads the state of a table's partitions. @throws AppError `unavailable` when the database cannot be reached */
export async function readPartitionHealth(
  db: Pick<Store, 'pool'>,
  { name, at }: PartitionedTable,
): Promise<PartitionHealth> {
  const [covered] = await query<{ nowMs: number; coveredMs: number; first: string | null }>(db, COVERED, [
    name,
  ]);
  if (covered === undefined) throw new TypeError('The partitions were not read');
  const { nowMs, coveredMs, first } = covered;
  if (first === null) return { nowMs, coveredMs, strayMs: null };
  const [stray] = await query<{ ms: number | null }>(db, newestRowOutside(name, at), [first]);
  return { nowMs, coveredMs, strayMs: stray?.ms ?? null };
}
