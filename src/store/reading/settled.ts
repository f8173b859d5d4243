// Pages that end before the first row that is not settled, so that nothing ever appears behind a position that a client has been given.
// What a page costs is unchanged where it holds nothing that is new: it is read as it is, and compared with the horizon that was known
// before. Only where it reaches further, the horizon is asked for, and the page read again up to there.
import { setTimeout as sleep } from 'node:timers/promises';
import type { PageRequest } from '../../pagination.ts';
import { largest, latest } from '../../rows/largest.ts';
import type { RowBlock } from '../../rows/row-block.ts';
import { databaseUnavailable } from '../connections/failures.ts';
import type { Horizons, MarksAnswer, TableHorizon } from '../high-water-marks/horizons.ts';
import { leaveReplica, replicaOf } from '../replicas/reading.ts';
import type { Chosen, Replicas } from '../replicas/replicas.ts';
import type { PublicIdTable } from '../sql/public-ids.ts';
import type { Statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import type { Owners } from '../tenancy/row-owners.ts';
import { readRows, scanRows } from './reads.ts';
import { boundsOf } from './selections.ts';

/** Times are whole milliseconds, and settled when their millisecond is over: a page with a change from just now waits for that. */
const MAX_WAIT_MS = 5;
/** How often a page is read anew because connections were opened meanwhile. */
const MAX_TRIES = 5;

/** A page as a value: the statement that reads it, and what its rows are ordered by. */
export interface PageStatement {
  readonly table: PublicIdTable;
  readonly page: PageRequest;
  readonly statement: Statement;
  /** The parameters before the page's two positions, and those behind them. */
  readonly first: readonly unknown[];
  readonly rest: readonly unknown[];
  /** Whether it may read many more rows than it has. */
  readonly isExpensive: boolean;
  readonly tenancy: Tenancy;
  readonly owners: Owners;
  /** The fields of its rows that have their id, and their time, where they are ordered by that. */
  readonly idField: number;
  readonly timeField: number;
}

/** The rows of a page between its two positions, settled or not. @param horizon no row above it, if any is given */
function readBetween(ctx: StoreContext, asked: PageStatement, horizon?: TableHorizon): Promise<RowBlock> {
  const { statement, page, first, rest, isExpensive, tenancy, owners } = asked;
  const read = isExpensive ? scanRows : readRows;
  return read(ctx, statement, [...first, ...boundsOf(page, horizon), ...rest], tenancy, owners);
}

/**
 * The settled rows of a page. Whatever was committed before it was asked for is among them, unless something older is under way.
 * @throws AppError `unavailable` when the horizon cannot be found out; as `readRows`
 */
export async function readSettled(ctx: StoreContext, asked: PageStatement): Promise<RowBlock> {
  const { horizons, replicas } = ctx.store;
  const choosing = replicaOf(ctx);
  const chosen = choosing === null ? null : await choosing;
  if (chosen !== null && replicas !== null) {
    const rows = await readReplayed(ctx, replicas, chosen, asked);
    if (rows !== null) return rows;
    leaveReplica(ctx);
  }
  const { table, page } = asked;
  const askedAt = horizons.asked();
  // From before the page was sent: what has been settled since then may be missing in it.
  const known = horizons.latest();
  const rows = await readBetween(ctx, asked);
  if (rows.length === 0) return rows;
  if (known !== null && stands(horizons, known) && isWithin(asked, rows, known.tables[table])) return rows;
  let told = await horizons.after(askedAt);
  const aheadMs = page.sort === 'updatedAt' ? latest(rows, asked.timeField) - told.tables[table].time : 0;
  if (aheadMs > 0 && aheadMs <= MAX_WAIT_MS) {
    await sleep(aheadMs + 1);
    told = await horizons.after(horizons.asked());
  }
  if (page.sort !== 'updatedAt' && (largest(rows, asked.idField) ?? 0n) > told.tables[table].drawn) {
    const whole = await readGiven(ctx, asked, told);
    if (whole !== null) return whole;
  }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const settled = await readBetween(ctx, asked, told.tables[table]);
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
  ctx: StoreContext,
  { marks }: Replicas,
  { mark: { tables } }: Chosen,
  asked: PageStatement,
): Promise<RowBlock | null> {
  const { table, page, idField } = asked;
  const horizon = tables[table];
  if (isAhead(page, horizon)) return null;
  const rows = await readBetween(ctx, asked);
  if (rows.length === 0 || isWithin(asked, rows, horizon)) return rows;
  const isAboveAll = (largest(rows, idField) ?? 0n) > (marks.latest()?.tables[table].drawn ?? 0n);
  if (page.sort !== 'updatedAt' && isAboveAll && marks.isQuiet(table)) return null;
  return readBetween(ctx, asked, horizon);
}

/**
 * A page with rows whose ids nobody has drawn: they were given by hand, as by an import that left the sequence behind. Where nothing is
 * under way and nothing begins meanwhile, whatever is there is settled; else null.
 */
async function readGiven(
  ctx: StoreContext,
  asked: PageStatement,
  told: MarksAnswer,
): Promise<RowBlock | null> {
  const { horizons } = ctx.store;
  const { table } = asked;
  const { id, drawn } = told.tables[table];
  if (id !== drawn) return null;
  const rows = await readBetween(ctx, asked);
  const after = await horizons.after(horizons.asked());
  return stands(horizons, told) && after.tables[table].drawn === drawn ? rows : null;
}

function stands(horizons: Horizons, { generation }: MarksAnswer): boolean {
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

function isWithin(
  { page, idField, timeField }: PageStatement,
  rows: RowBlock,
  horizon: TableHorizon,
): boolean {
  if (page.sort === 'updatedAt') return latest(rows, timeField) <= horizon.time;
  return (largest(rows, idField) ?? 0n) <= horizon.id;
}
