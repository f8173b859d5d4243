// Pages that end before the first row that is not settled, so that nothing ever appears behind a position that a client has been given.
// What a page costs is unchanged where it holds nothing that is new: it is read as it is, and compared with the horizon that was known
// before. Only where it reaches further, the horizon is asked for, and the page read again up to there.
import { setTimeout as sleep } from 'node:timers/promises';
import type { PageRequest } from '../../pagination.ts';
import { largest } from '../../rows/largest.ts';
import type { RowBlock } from '../../rows/row-block.ts';
import { databaseUnavailable } from '../connections/failures.ts';
import type { Horizons, TableHorizon, Told } from '../high-water-marks/horizons.ts';
import { leaveReplica, replicaOf } from '../replicas/reading.ts';
import type { Chosen, Replicas } from '../replicas/replicas.ts';
import type { PublicIdTable } from '../sql/public-ids.ts';
import type { StoreContext } from '../store.ts';
import { boundsOf } from './selections.ts';

/** Times are whole milliseconds, and settled when their millisecond is over: a page with a change from just now waits for that. */
const MAX_WAIT_MS = 5;
/** How often a page is read anew because connections were opened meanwhile. */
const MAX_TRIES = 5;

/** How a page is read, and what it is ordered by. */
export interface PageReading {
  readonly table: PublicIdTable;
  readonly page: PageRequest;
  /** Reads its rows between two positions. @param bounds of `boundsOf` */
  read(bounds: unknown[]): Promise<RowBlock>;
  /** The field of its rows that has their id. */
  readonly idField: number;
  /** The latest time of its rows, in milliseconds since 1970, where they are ordered by time. */
  latestOf(rows: RowBlock): number;
}

/**
 * The settled rows of a page. Whatever was committed before it was asked for is among them, unless something older is under way.
 * @throws AppError `unavailable` when the horizon cannot be found out; what `read` throws
 */
export async function readSettled(ctx: StoreContext, reading: PageReading): Promise<RowBlock> {
  const { horizons, replicas } = ctx.store;
  const choosing = replicaOf(ctx);
  const chosen = choosing === null ? null : await choosing;
  if (chosen !== null && replicas !== null) {
    const page = await readReplayed(replicas, chosen, reading);
    if (page !== null) return page;
    leaveReplica(ctx);
  }
  const { table, page, read } = reading;
  const asked = horizons.asked();
  // From before the page was sent: what has been settled since then may be missing in it.
  const known = horizons.latest();
  const rows = await read(boundsOf(page));
  if (rows.length === 0) return rows;
  if (known !== null && stands(horizons, known) && isWithin(reading, rows, known.tables[table])) return rows;
  let told = await horizons.after(asked);
  const aheadMs = page.sort === 'updatedAt' ? reading.latestOf(rows) - told.tables[table].time : 0;
  if (aheadMs > 0 && aheadMs <= MAX_WAIT_MS) {
    await sleep(aheadMs + 1);
    told = await horizons.after(horizons.asked());
  }
  if (page.sort !== 'updatedAt' && (largest(rows, reading.idField) ?? 0n) > told.tables[table].drawn) {
    const whole = await readGiven(horizons, reading, told);
    if (whole !== null) return whole;
  }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const settled = await read(boundsOf(page, told.tables[table]));
    if (stands(horizons, told)) return settled;
    told = await horizons.after(horizons.asked());
  }
  throw databaseUnavailable();
}

/**
 * A page of a replica, up to the horizon that it has replayed; null where the primary knows more: where the page goes on from a position
 * that another server has given and this one has not come to, and where there may be rows whose ids nobody has drawn. Where the replica is
 * lost meanwhile, the rows are the primary's, which has at least as many below that horizon.
 */
async function readReplayed(
  { marks }: Replicas,
  { mark: { tables } }: Chosen,
  reading: PageReading,
): Promise<RowBlock | null> {
  const { table, page, read, idField } = reading;
  const horizon = tables[table];
  if (isAhead(page, horizon)) return null;
  const rows = await read(boundsOf(page));
  if (rows.length === 0 || isWithin(reading, rows, horizon)) return rows;
  const isAboveAll = (largest(rows, idField) ?? 0n) > (marks.latest()?.tables[table].drawn ?? 0n);
  if (page.sort !== 'updatedAt' && isAboveAll && marks.isQuiet(table)) return null;
  return read(boundsOf(page, horizon));
}

/**
 * A page with rows whose ids nobody has drawn: they were given by hand, as by an import that left the sequence behind. Where nothing is
 * under way and nothing begins meanwhile, whatever is there is settled; else null.
 */
async function readGiven(
  horizons: Horizons,
  { table, page, read }: PageReading,
  told: Told,
): Promise<RowBlock | null> {
  const { id, drawn } = told.tables[table];
  if (id !== drawn) return null;
  const rows = await read(boundsOf(page));
  const after = await horizons.after(horizons.asked());
  return stands(horizons, told) && after.tables[table].drawn === drawn ? rows : null;
}

function stands(horizons: Horizons, { generation }: Told): boolean {
  return horizons.generation() === generation;
}

/** Whether a position of a page is above a horizon: rows between them may be missing, which the page would pass over. */
function isAhead(
  { sort, after, before, afterTime, beforeTime }: PageRequest,
  { id, time }: TableHorizon,
): boolean {
  if (sort === 'updatedAt') return [afterTime, beforeTime].some((at) => at != null && at.getTime() > time);
  return [after, before].some((position) => position !== null && position > id);
}

function isWithin({ page, idField, latestOf }: PageReading, rows: RowBlock, horizon: TableHorizon): boolean {
  if (page.sort === 'updatedAt') return latestOf(rows) <= horizon.time;
  return (largest(rows, idField) ?? 0n) <= horizon.id;
}
