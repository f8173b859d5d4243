// The time-partitioned tables and their partitions. Rows without a partition for their time are in the default one, `<table>_default`.
import { ERASED } from '../sql/erased.ts';
import { type Statement, statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';
import type { Range } from './ranges.ts';

/** A table that is partitioned by time. */
export interface AgingTable {
  readonly name: string;
  /** The column of the time. */
  readonly at: string;
  /** The columns of the primary key. */
  readonly key: string;
  /** Which retention time applies to its rows. */
  readonly kept: 'events' | 'audit';
  /** Rows that are kept permanently: records of erasures, which are repeated after a restore (erasures.ts). */
  readonly forEver?: string;
}

/** Tables that refer to others come first. */
export const AGING_TABLES: readonly AgingTable[] = [
  {
    name: 'webhook_attempts',
    at: 'started_at',
    key: 'workspace_id, delivery_id, number, started_at',
    kept: 'events',
  },
  { name: 'webhook_deliveries', at: 'created_at', key: 'workspace_id, id, created_at', kept: 'events' },
  { name: 'events', at: 'created_at', key: 'workspace_id, id, created_at', kept: 'events' },
  {
    name: 'audit_entries',
    at: 'created_at',
    key: 'workspace_id, id, created_at',
    kept: 'audit',
    forEver: `action = '${ERASED}'`,
  },
];

/** Days that rows are kept for. */
export type KeepDays = Readonly<Record<AgingTable['kept'], number>>;

export interface Partition extends Range {
  readonly name: string;
}

/** The suffix of partitions that contain only permanent rows. */
export const REST = '_rest';

/** Whether it is such a partition: it is never dropped, and does not show which other rows existed. */
export function isRest(name: string): boolean {
  return name.endsWith(REST);
}

/** The partitions of a table without the default one, ordered by time; and the database's time. */
export interface Partitions {
  readonly nowMs: number;
  readonly partitions: readonly Partition[];
}

const BOUNDS = String.raw`^FOR VALUES FROM \((?:''([^'']*)''|MINVALUE)\) TO \((?:''([^'']*)''|MAXVALUE)\)$`;

/** The query of `readPartitions`, for use on a dedicated connection too. */
export function partitionsOf({ name }: AgingTable): Statement {
  return statement(
    `${name}.partitions`,
    () => `select extract(epoch from statement_timestamp())::float8 * 1000 as "nowMs", p.name,
        extract(epoch from coalesce(p.bounds[1], '-infinity')::timestamptz)::float8 * 1000 as "fromMs",
        extract(epoch from coalesce(p.bounds[2], 'infinity')::timestamptz)::float8 * 1000 as "toMs"
      from (select) now left join (
        select c.relname as name, regexp_match(pg_get_expr(c.relpartbound, c.oid), '${BOUNDS}') as bounds
        from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = '${name}'::regclass
      ) p on p.bounds is not null
      order by 3`,
  );
}

interface Row extends Partition {
  readonly nowMs: number;
}

/** Reads the rows of `partitionsOf`. If there is no partition, there is one row without a name. */
export function toPartitions(rows: readonly Row[]): Partitions {
  return {
    nowMs: rows[0]?.nowMs ?? Number.NaN,
    partitions: rows
      .filter(({ name }) => name !== null)
      .map(({ name, fromMs, toMs }) => ({ name, fromMs, toMs })),
  };
}

/** @throws AppError `unavailable` when the database cannot be reached */
export async function readPartitions(db: Pick<Store, 'pool'>, table: AgingTable): Promise<Partitions> {
  return toPartitions(await query<Row>(db, partitionsOf(table), []));
}
