// Keeping the partitions by time of tables that grow without end: those of the days ahead are made, those that are too old dropped, and
// old rows beside them deleted.
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../context.ts';
import { notAhead } from '../store/cleaning.ts';
import {
  type Changes,
  checkDefault,
  dropLeftCheck,
  dropOldest,
  hasLeftCheck,
  isDefaultLarge,
  keepsMany,
  makePartition,
  type Outcome,
  oldestOf,
  openChanges,
  partitionName,
} from '../store/partitions/change.ts';
import { deleteOldDefaultRows, youngestDefaultRow } from '../store/partitions/default-rows.ts';
import {
  coveredUntil,
  DAY_MS,
  missingRanges,
  nextMidnight,
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

/** What was done to one table. */
export interface Kept {
  readonly table: string;
  readonly made: readonly string[];
  readonly dropped: string | null;
  /** Whether old rows beside the partitions are left. */
  readonly hasMore: boolean;
}

interface Parts extends Pick<App, 'config'> {
  readonly store: Pick<App['store'], 'pool' | 'connection'>;
}

const BATCH = 1_000;
const MAX_BATCHES = 20;
/** How often a lock is tried for, and how long others go on in between. */
const TRIES = 5;
const PAUSE_MS = 500;
/** A default partition that is larger is read before the lock is taken, for partitions that begin so much later. */
const LARGE_BYTES = 64 * 1024 * 1024;

/** What the configuration says of how long rows are kept. */
export function keepDaysOf({ config }: Pick<App, 'config'>): KeepDays {
  return { events: config.webhooks.keepDays, audit: config.auditKeepDays };
}

/** Makes what is missing, in every table. @throws what PostgreSQL says where the user of the database may not */
export async function makePartitions(app: Parts): Promise<string[]> {
  const made: string[] = [];
  for (const table of AGING_TABLES) made.push(...(await makeMissing(app, table)));
  return made;
}

/**
 * Makes what is missing in one table, drops its oldest partition if that is too old, and deletes a bounded number of old rows beside.
 * Of several partitions that are too old one is dropped at a time: a clock that is wrong takes a while to do harm.
 * @param drops whether anything is dropped and deleted
 */
export async function keepPartitions(
  app: Parts & Pick<App, 'clock'>,
  table: AgingTable,
  { drops }: { drops: boolean },
): Promise<Kept> {
  const kept = { table: table.name, dropped: null, hasMore: false };
  let refusal: unknown;
  // A user who may make no partitions may still delete rows.
  const made = await makeMissing(app, table).catch((error: unknown) => {
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

/** @returns its name; null where it was not to be had */
async function dropOne(
  client: Changes,
  table: AgingTable,
  oldest: Partition,
  beforeMs: number,
): Promise<string | null> {
  const isReplaced = await keepsMany(client, table, oldest);
  let dropped: string | null = null;
  try {
    if (isReplaced && (await trying(() => checkDefault(client, table, oldest))) !== 'done') return null;
    await trying(async () => {
      const { outcome, name } = await dropOldest(client, table, beforeMs, isReplaced);
      dropped = name;
      return outcome;
    });
  } finally {
    if (isReplaced && dropped === null) await trying(() => dropLeftCheck(client, table));
  }
  return dropped;
}

async function makeMissing(app: Parts, table: AgingTable): Promise<string[]> {
  const { store } = app;
  const { nowMs, partitions } = await readPartitions(store, table);
  const spanDays = spanOf(keepDaysOf(app)[table.kept]);
  const missing = missingRanges(partitions, nowMs, spanDays);
  const isLeft = await hasLeftCheck(store, table);
  if (missing.length === 0 && !isLeft) return [];
  const made: string[] = [];
  await withChanges(app, async (client) => {
    if (isLeft) await trying(() => dropLeftCheck(client, table));
    const isLarge = await isDefaultLarge(store, table, LARGE_BYTES);
    for (const range of missing) {
      const free = await withoutDefaultRows(app, table, range, { nowMs, isLarge });
      if (free === null) continue;
      const outcome = await trying(() => makeOne(client, table, free, isLarge));
      if (outcome === 'done') made.push(partitionName(table, free));
      if (outcome === 'busy') break;
    }
  });
  return made;
}

async function makeOne(client: Changes, table: AgingTable, range: Range, isLarge: boolean): Promise<Outcome> {
  if (!isLarge) return makePartition(client, table, range, false);
  try {
    const checked = await checkDefault(client, table, range);
    return checked === 'done' ? await makePartition(client, table, range, true) : checked;
  } finally {
    await trying(() => dropLeftCheck(client, table));
  }
}

/**
 * What a partition can be made for of a range: not for the time of rows that stand in the default one, which do not move. Where new
 * ones come in, it begins at the next midnight; where the default one is large, a day later, which is enough to read it.
 */
async function withoutDefaultRows(
  { store }: Parts,
  table: AgingTable,
  { fromMs, toMs }: Range,
  { nowMs, isLarge }: { nowMs: number; isLarge: boolean },
): Promise<Range | null> {
  const youngestMs = await youngestDefaultRow(store, table, fromMs, toMs);
  let beginMs = fromMs;
  if (youngestMs !== null) beginMs = nextMidnight(Math.max(youngestMs, nowMs));
  if (isLarge) beginMs = Math.max(beginMs, nextMidnight(nowMs + DAY_MS));
  return beginMs < toMs ? { fromMs: beginMs, toMs } : null;
}

async function withChanges<T>(app: Parts, work: (client: Changes) => Promise<T>): Promise<T> {
  const client = await openChanges(app.store);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function trying(work: () => Promise<Outcome>): Promise<Outcome> {
  let outcome: Outcome = 'busy';
  for (let tries = 0; tries < TRIES && outcome === 'busy'; tries++) {
    if (tries > 0) await sleep(PAUSE_MS);
    outcome = await work();
  }
  return outcome;
}

/** How a table stands. */
export interface PartitionHealth extends Pick<Partitions, 'nowMs'> {
  readonly table: string;
  /** Up to when there is a partition for every moment from now on. */
  readonly coveredMs: number;
  /** The youngest row that stands in the default partition though there are partitions for earlier ones; null where there is none. */
  readonly strayMs: number | null;
}

/** How every table that is partitioned by time stands. @throws AppError `unavailable` when the database cannot be reached */
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
