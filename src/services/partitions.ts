// Maintains time-partitioned tables: creates the partitions of the days ahead, drops partitions that are too old, and deletes old rows
// outside of them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../context.ts';
import { notAhead } from '../store/cleaning/cleaning.ts';
import {
  addCheck,
  dropLeftCheck,
  dropOldest,
  hasLeftCheck,
  isDefaultLarge,
  keepsMany,
  makePartition,
  oldestOf,
  openChanges,
  type PartitionChanges,
  type PartitionOutcome,
  partitionName,
  validateCheck,
} from '../store/partitions/change.ts';
import { deleteOldDefaultRows, youngestDefaultRow } from '../store/partitions/default-rows.ts';
import {
  coveredUntil,
  DAY_MS,
  freePart,
  missingRanges,
  type Range,
  spanOf,
} from '../store/partitions/ranges.ts';
import {
  AGING_TABLES,
  type AgingTable,
  type KeepDays,
  type Partition,
  type Partitions,
  readPartitions,
} from '../store/partitions/tables.ts';

/** The changes to one table. */
export interface Kept {
  readonly table: string;
  readonly made: readonly string[];
  readonly dropped: string | null;
  /** Whether old rows outside the time partitions are left. */
  readonly hasMore: boolean;
}

interface Parts extends Pick<App, 'config'> {
  readonly store: Pick<App['store'], 'pool' | 'connection'>;
}

const BATCH = 1_000;
const MAX_BATCHES = 20;
/** How often a lock is attempted, and the pause in between, in which other work goes on. */
const TRIES = 5;
const PAUSE_MS = 500;
/**
 * If the default partition is larger, it is scanned before the lock is taken. New partitions then begin a day later, which leaves time
 * for the scan.
 */
const LARGE_BYTES = 64 * 1024 * 1024;

/** The configured number of days that rows are kept. */
export function keepDaysOf({ config }: Pick<App, 'config'>): KeepDays {
  return { events: config.webhooks.keepDays, audit: config.auditKeepDays };
}

/** Creates the missing partitions of every table. @throws PostgreSQL's error when the database user lacks the right */
export async function makePartitions(app: Parts): Promise<string[]> {
  const made: string[] = [];
  for (const table of AGING_TABLES) made.push(...(await makeMissing(app, table)));
  return made;
}

/**
 * Creates the missing partitions of one table, drops its oldest partition if it is too old, and deletes a bounded number of old rows
 * outside the partitions. Each call drops at most one partition, so that a wrong clock does little harm.
 * @param drops whether anything is dropped and deleted
 */
export async function keepPartitions(
  app: Parts & Pick<App, 'clock'>,
  table: AgingTable,
  { drops, largeBytes }: { drops: boolean; largeBytes?: number },
): Promise<Kept> {
  const kept = { table: table.name, dropped: null, hasMore: false };
  let refusal: unknown;
  // A database user who may not create partitions may still delete rows.
  const made = await makeMissing(app, table, largeBytes).catch((error: unknown) => {
    refusal = error;
    return [];
  });
  if (!drops) return { ...kept, made };
  const keptMs = keepDaysOf(app)[table.kept] * DAY_MS;
  const before = new Date((await notAhead(app.store, app.clock())).getTime() - keptMs);
  const oldest = oldestOf(await readPartitions(app.store, table));
  let dropped: string | null = null;
  if (refusal === undefined && oldest !== undefined && oldest.toMs <= before.getTime())
    dropped = await withChanges(app, (client) => dropOne(client, table, oldest, before.getTime()));
  let hasMore = true;
  for (let batch = 0; batch < MAX_BATCHES && hasMore; batch++)
    hasMore = await deleteOldDefaultRows(app.store, table, before, BATCH);
  if (refusal !== undefined) throw refusal;
  return { ...kept, made, dropped, hasMore };
}

/** @returns its name; null when its lock could not be taken */
async function dropOne(
  client: PartitionChanges,
  table: AgingTable,
  oldest: Partition,
  beforeMs: number,
): Promise<string | null> {
  const isReplaced = await keepsMany(client, table, oldest);
  let dropped: string | null = null;
  const drop = async () => {
    const { outcome, name } = await dropOldest(client, table, beforeMs, isReplaced);
    dropped = name;
    return outcome;
  };
  await trying(() => (isReplaced ? withCheck(client, table, oldest, drop) : drop()));
  return dropped;
}

async function makeMissing(app: Parts, table: AgingTable, largeBytes = LARGE_BYTES): Promise<string[]> {
  const { store } = app;
  const { nowMs, partitions } = await readPartitions(store, table);
  const spanDays = spanOf(keepDaysOf(app)[table.kept]);
  const missing = missingRanges(partitions, nowMs, spanDays);
  const isLeft = await hasLeftCheck(store, table);
  if (missing.length === 0 && !isLeft) return [];
  const made: string[] = [];
  await withChanges(app, async (client) => {
    if (isLeft) await trying(() => dropLeftCheck(client, table));
    const isLarge = await isDefaultLarge(store, table, largeBytes);
    for (const range of missing) {
      const youngestMs = await youngestDefaultRow(store, table, range.fromMs, range.toMs);
      const free = freePart(range, { youngestMs, nowMs, isLarge });
      if (free === null) continue;
      const outcome = await trying(() => makeOne(client, table, free, isLarge));
      if (outcome === 'done') made.push(partitionName(table, free));
      if (outcome === 'busy') break;
    }
  });
  return made;
}

function makeOne(
  client: PartitionChanges,
  table: AgingTable,
  range: Range,
  isLarge: boolean,
): Promise<PartitionOutcome> {
  const make = () => makePartition(client, table, range, isLarge);
  return isLarge ? withCheck(client, table, range, make) : make();
}

/**
 * Does `work` while a check constraint keeps rows of a range out of the default partition. If the work is not done, the constraint is
 * removed.
 */
async function withCheck(
  client: PartitionChanges,
  table: AgingTable,
  range: Range,
  work: () => Promise<PartitionOutcome>,
): Promise<PartitionOutcome> {
  const added = await addCheck(client, table, range);
  if (added !== 'done') return added;
  let outcome: PartitionOutcome = 'busy';
  try {
    outcome = await validateCheck(client, table);
    if (outcome === 'done') outcome = await work();
    return outcome;
  } finally {
    if (outcome !== 'done') await trying(() => dropLeftCheck(client, table));
  }
}

async function withChanges<T>(app: Parts, work: (client: PartitionChanges) => Promise<T>): Promise<T> {
  const client = await openChanges(app.store);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function trying(work: () => Promise<PartitionOutcome>): Promise<PartitionOutcome> {
  let outcome: PartitionOutcome = 'busy';
  for (let tries = 0; tries < TRIES && outcome === 'busy'; tries++) {
    if (tries > 0) await sleep(PAUSE_MS);
    outcome = await work();
  }
  return outcome;
}

/** The state of one table's partitions. */
export interface PartitionHealth extends Pick<Partitions, 'nowMs'> {
  readonly table: string;
  /** The end of the gapless range of partitions that starts now. */
  readonly coveredMs: number;
  /** The newest row in the default partition although partitions for earlier rows exist; null when there is none. */
  readonly strayMs: number | null;
}

/** The state of every time-partitioned table. @throws AppError `unavailable` when the database cannot be reached */
export async function partitionHealth({ store }: Pick<App, 'store'>): Promise<PartitionHealth[]> {
  return Promise.all(
    AGING_TABLES.map(async (table) => {
      const { nowMs, partitions } = await readPartitions(store, table);
      const firstMs = oldestOf({ partitions })?.fromMs;
      return {
        table: table.name,
        nowMs,
        coveredMs: coveredUntil(partitions, nowMs),
        strayMs:
          firstMs === undefined
            ? null
            : await youngestDefaultRow(store, table, firstMs, nowMs + 3_650 * DAY_MS),
      };
    }),
  );
}
