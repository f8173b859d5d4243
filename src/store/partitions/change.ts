// Creates and drops partitions. Each change is one transaction that gives up rather than make others wait, because statements queue behind
// one that waits for a lock. A failed change leaves nothing behind. Of several processes one works, and the others skip. All of this works
// behind a pooler, and on Citus through its coordinator.
import pg from 'pg';
import { LIFT_LIMITS } from '../connections/time-limits.ts';
import type { Store } from '../store.ts';
import type { Range } from './ranges.ts';
import {
  type AgingTable,
  isRest,
  type Partition,
  type Partitions,
  partitionsOf,
  REST,
  toPartitions,
} from './tables.ts';

/** `busy`: another process is working, or a lock was not available at once; `none`: there was nothing left to do. */
export type PartitionOutcome = 'done' | 'busy' | 'none';

/** A dedicated connection for changes. */
export type PartitionChanges = pg.Client;

/** How long to wait for a lock, and so how long statements behind it may wait. */
const LOCK_TIMEOUT_MS = 200;
/**
 * Citus creates and drops tables one shard after another, because within one transaction they could wait for each other. Without Citus this
 * has no effect.
 */
const SETTINGS = `set local lock_timeout = ${LOCK_TIMEOUT_MS}; set local citus.multi_shard_modify_mode = 'sequential'`;
/** The key of the advisory lock for changes of partitions; an arbitrary unique number. */
export const LOCK = '7305441298826014722';

/** Lock not available, deadlock, statement cancelled. */
const BUSY = /^(55P03|40P01|57014)$/;

/** With more permanent rows than this, they are not copied while others wait. */
const MANY_KEPT = 5_000;

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '');
const timeOf = (ms: number) => `'${new Date(ms).toISOString()}'`;

/** The name of a partition. */
export function partitionName({ name }: AgingTable, { fromMs }: Range): string {
  return `${name}_${dayOf(fromMs)}`;
}

/** Opens the connection for changes. Statements that read many rows may take long, but block nothing. */
export async function openChanges(store: Pick<Store, 'connection'>): Promise<PartitionChanges> {
  const client = new pg.Client(store.connection);
  client.on('error', () => {});
  await client.connect();
  return client;
}

/**
 * Creates a partition. It is empty, so only the default partition must be checked.
 * @param isChecked the default partition is known to have no such rows (`validateCheck`): otherwise all its rows are read under the lock
 * @throws pg.DatabaseError 23514 where the default partition has such rows
 */
export function makePartition(
  client: PartitionChanges,
  table: AgingTable,
  range: Range,
  isChecked: boolean,
): Promise<PartitionOutcome> {
  const name = partitionName(table, range);
  return changing(client, async () => {
    const { partitions } = await read(client, table);
    if (partitions.some(({ fromMs, toMs }) => fromMs < range.toMs && toMs > range.fromMs)) return 'none';
    if (isChecked && !(await hasCheck(client, table))) return 'busy';
    await client.query(`create table ${name} (like ${table.name} including all)`);
    await client.query(
      `alter table ${table.name} attach partition ${name} for values from (${timeOf(range.fromMs)}) to (${timeOf(range.toMs)})`,
    );
    if (isChecked)
      await client.query(`alter table ${table.name}_default drop constraint ${checkName(table)}`);
    return 'done';
  });
}

/** The oldest partition that has other rows than permanent ones. */
export function oldestOf({ partitions }: Pick<Partitions, 'partitions'>): Partition | undefined {
  return partitions.find(({ name }) => !isRest(name));
}

/** Whether a partition has so many permanent rows that copying them would delay writes (`dropOldest`). */
export async function keepsMany(
  client: PartitionChanges,
  { forEver }: AgingTable,
  { name, fromMs }: Partition,
): Promise<boolean> {
  if (forEver === undefined || !Number.isFinite(fromMs)) return false;
  const found = await client.query(`select from ${quote(name)} where ${forEver} offset ${MANY_KEPT} limit 1`);
  return found.rowCount !== 0;
}

/**
 * Drops the oldest partition if all of it is older than `beforeMs`. Its permanent rows move to the default partition.
 * @param isReplaced the default partition is known to have no row of its range (`validateCheck`), and the permanent rows become a partition
 * of their own: they are copied before anything has to wait
 */
export function dropOldest(
  client: PartitionChanges,
  table: AgingTable,
  beforeMs: number,
  isReplaced: boolean,
): Promise<{ outcome: PartitionOutcome; name: string | null }> {
  let dropped: string | null = null;
  return changing(client, async () => {
    const oldest = oldestOf(await read(client, table));
    if (oldest === undefined || oldest.toMs > beforeMs) return 'none';
    dropped = oldest.name;
    if (table.forEver === undefined) {
      await client.query(`drop table ${quote(oldest.name)}`);
      return 'done';
    }
    const { rows } = await client.query<{ columns: string }>(
      `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
        where attrelid = '${table.name}'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    );
    const kept = `select ${rows[0]?.columns} from ${quote(oldest.name)} where ${table.forEver}`;
    const detach = `alter table ${table.name} detach partition ${quote(oldest.name)}`;
    // Read before the lock is taken.
    if (isReplaced) {
      const rest = quote(`${partitionName(table, oldest)}${REST}`);
      const bounds = [timeOf(oldest.fromMs), timeOf(oldest.toMs)];
      await client.query(
        `create table ${rest} (like ${table.name} including all, constraint in_range check (${table.at} >= ${bounds[0]} and ${table.at} < ${bounds[1]}))`,
      );
      await client.query(`insert into ${rest} (${rows[0]?.columns}) ${kept}`);
      await client.query(detach);
      await client.query(
        `alter table ${table.name} attach partition ${rest} for values from (${bounds[0]}) to (${bounds[1]})`,
      );
      await client.query(`alter table ${table.name}_default drop constraint if exists ${checkName(table)}`);
    } else {
      await client.query(`create temporary table kept_for_ever on commit drop as ${kept}`);
      await client.query(detach);
      await client.query(
        `insert into ${table.name} (${rows[0]?.columns}) select ${rows[0]?.columns} from kept_for_ever`,
      );
    }
    await client.query(`drop table ${quote(oldest.name)}`);
    return 'done';
  }).then((outcome) => ({ outcome, name: outcome === 'done' ? dropped : null }));
}

/**
 * Keeps rows of a range out of the default partition, until the range's own partition is created or the check is dropped. Such rows cannot
 * be written meanwhile, so the range must begin well after now.
 */
export function addCheck(
  client: PartitionChanges,
  table: AgingTable,
  { fromMs, toMs }: Range,
): Promise<PartitionOutcome> {
  return changing(client, async () => {
    if (await hasCheck(client, table)) return 'busy';
    const check = `${table.at} < ${timeOf(fromMs)} or ${table.at} >= ${timeOf(toMs)}`;
    await client.query(
      `alter table ${table.name}_default add constraint ${checkName(table)} check (${check}) not valid`,
    );
    return 'done';
  });
}

/** Lets PostgreSQL verify that the default partition has no such rows. It reads all rows while others read and write. */
export function validateCheck(client: PartitionChanges, table: AgingTable): Promise<PartitionOutcome> {
  return changing(client, async () => {
    if (!(await hasCheck(client, table))) return 'busy';
    await client.query(`alter table ${table.name}_default validate constraint ${checkName(table)}`);
    return 'done';
  });
}

/** Drops the check, even if another process is using it: that process starts again. */
export function dropLeftCheck(client: PartitionChanges, table: AgingTable): Promise<PartitionOutcome> {
  return changing(client, async () => {
    await client.query(`alter table ${table.name}_default drop constraint if exists ${checkName(table)}`);
    return 'done';
  });
}

/** Whether there is such a check: of a process at work, or of one that ended before it created its partition. */
export function hasLeftCheck({ pool }: Pick<Store, 'pool'>, table: AgingTable): Promise<boolean> {
  return hasCheck(pool, table);
}

async function hasCheck(db: Pick<PartitionChanges, 'query'> | pg.Pool, table: AgingTable): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from pg_constraint where conrelid = '${table.name}_default'::regclass and conname = '${checkName(table)}'`,
  );
  return rowCount !== 0;
}

/** Whether reading all rows of the default partition under a lock would take noticeably long. */
export async function isDefaultLarge(
  store: Pick<Store, 'pool'>,
  table: AgingTable,
  bytes: number,
): Promise<boolean> {
  const { rows } = await store.pool.query<{ large: boolean }>(
    `select pg_relation_size('${table.name}_default') > ${bytes} as large`,
  );
  return rows[0]?.large === true;
}

function checkName({ name }: AgingTable): string {
  return `${name}_default_until_partition`;
}

async function read(client: PartitionChanges, table: AgingTable): Promise<Partitions> {
  return toPartitions((await client.query(partitionsOf(table).text)).rows);
}

/** Runs one transaction; the settings and the lock end with it. */
async function changing(
  client: PartitionChanges,
  work: () => Promise<PartitionOutcome>,
): Promise<PartitionOutcome> {
  await client.query('begin');
  let outcome: PartitionOutcome = 'busy';
  try {
    await client.query(LIFT_LIMITS);
    await client.query(SETTINGS);
    const { rows } = await client.query<{ ours: boolean }>(
      `select pg_try_advisory_xact_lock(${LOCK}) as ours`,
    );
    if (rows[0]?.ours === true) outcome = await work();
    await client.query('commit');
    return outcome;
  } catch (error) {
    await client.query('rollback');
    if (error instanceof pg.DatabaseError && BUSY.test(error.code ?? '')) return 'busy';
    throw error;
  }
}

function quote(name: string): string {
  return pg.escapeIdentifier(name);
}
