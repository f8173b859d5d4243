// Making and dropping partitions. Each is one transaction that gives up rather than have others wait: who waits for a lock is waited for.
// Whatever goes wrong leaves nothing behind; of several processes at once one works and the others leave it to that one. All of it
// holds behind a pooler, and on Citus through its coordinator.
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

/** `busy`: another process works, or a lock was not to be had at once; `none`: there was nothing to do any more. */
export type PartitionOutcome = 'done' | 'busy' | 'none';

/** A connection of its own for changes. */
export type PartitionChanges = pg.Client;

/** So long a lock is waited for, and so long whoever comes behind may wait in turn. */
const LOCK_TIMEOUT_MS = 200;
/** Citus makes and drops tables on one shard after another: those of one transaction could wait for each other. Elsewhere it says nothing. */
const SETTINGS = `set local lock_timeout = ${LOCK_TIMEOUT_MS}; set local citus.multi_shard_modify_mode = 'sequential'`;
/** Whoever changes partitions holds it. Any number that is nobody else's. */
export const LOCK = '7305441298826014722';

/** Lock not available, deadlock, statement cancelled. */
const BUSY = /^(55P03|40P01|57014)$/;

/** More rows that are kept for ever are not copied while others wait. */
const MANY_KEPT = 5_000;

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '');
const timeOf = (ms: number) => `'${new Date(ms).toISOString()}'`;

/** The name of a partition. */
export function partitionName({ name }: AgingTable, { fromMs }: Range): string {
  return `${name}_${dayOf(fromMs)}`;
}

/** Opens the connection that changes need: statements that look at many rows may take long, and hold up nobody. */
export async function openChanges(store: Pick<Store, 'connection'>): Promise<PartitionChanges> {
  const client = new pg.Client(store.connection);
  client.on('error', () => {});
  await client.connect();
  return client;
}

/**
 * Makes a partition; it is empty, so that nothing but the default one has to be looked at.
 * @param isChecked the default one is known to have no such rows (`validateCheck`): otherwise all its rows are read under the lock
 * @throws pg.DatabaseError 23514 where the default one has such rows
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

/** The oldest partition of which not only what is kept for ever is left. */
export function oldestOf({ partitions }: Pick<Partitions, 'partitions'>): Partition | undefined {
  return partitions.find(({ name }) => !isRest(name));
}

/** Whether so many rows of a partition are kept for ever that all who write would wait for their copying (`dropOldest`). */
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
 * Drops the oldest partition if all of it is older than `beforeMs`. What is kept for ever goes into the default one.
 * @param isReplaced the default one is known to have no row of its range (`validateCheck`), and what is kept for ever becomes a partition
 * of its own: it is copied before anybody has to wait
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
 * Keeps rows of a range out of the default partition, until their own is made or the check dropped: none can be written, so that the
 * range has to begin well after now.
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

/** Has PostgreSQL know that the default partition has no such rows either: it reads all of them while others read and write. */
export function validateCheck(client: PartitionChanges, table: AgingTable): Promise<PartitionOutcome> {
  return changing(client, async () => {
    if (!(await hasCheck(client, table))) return 'busy';
    await client.query(`alter table ${table.name}_default validate constraint ${checkName(table)}`);
    return 'done';
  });
}

/** Drops the check. One that another process is working with is dropped as well: that one begins anew. */
export function dropLeftCheck(client: PartitionChanges, table: AgingTable): Promise<PartitionOutcome> {
  return changing(client, async () => {
    await client.query(`alter table ${table.name}_default drop constraint if exists ${checkName(table)}`);
    return 'done';
  });
}

/** Whether there is one: of a process that works, or of one that ended before its partition was made. */
export function hasLeftCheck({ pool }: Pick<Store, 'pool'>, table: AgingTable): Promise<boolean> {
  return hasCheck(pool, table);
}

async function hasCheck(db: Pick<PartitionChanges, 'query'> | pg.Pool, table: AgingTable): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from pg_constraint where conrelid = '${table.name}_default'::regclass and conname = '${checkName(table)}'`,
  );
  return rowCount !== 0;
}

/** Whether reading all rows of the default partition under a lock would be felt. */
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

/** One transaction; the settings and the lock end with it. */
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
