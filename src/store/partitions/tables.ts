// The tables that grow without end, which are partitioned by the time of their rows, and what partitions they have. What no partition is
// for stands in the default one, `<table>_default`.
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
  /** Which time its rows are kept for. */
  readonly kept: 'events' | 'audit';
  /** The rows that are kept for ever: who has been erased, which is erased again after a restore (erasures.ts). */
  readonly forEver?: string;
}

/** Those that refer to others come first. */
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

/** How the name of a partition ends that has nothing but what is kept for ever. */
export const REST = '_rest';

/** Whether it is such a partition: it is never dropped, and says nothing of what there was beside it. */
export function isRest(name: string): boolean {
  return name.endsWith(REST);
}

/** The partitions of a table, but for the default one, in the order of time; and the database's time. */
export interface Partitions {
  readonly nowMs: number;
  readonly partitions: readonly Partition[];
}

const BOUNDS = String.raw`^FOR VALUES FROM \((?:''([^'']*)''|MINVALUE)\) TO \((?:''([^'']*)''|MAXVALUE)\)$`;

/** The query behind `readPartitions`, for a connection of its own as well. */
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

/** Of the rows of `partitionsOf`: there is one without a name where there is no partition. */
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
