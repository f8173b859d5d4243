// Reads pages that end before the first unsettled row, so that no row ever appears behind a position that a client was given. A page
// without new rows costs nothing extra: it is read, and compared with the high-water mark known before. Only where it goes beyond that
// mark, a new mark is requested, and the page is read again up to it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { PageRequest } from '../../pagination.ts';
import { largest, latest } from '../../rows/largest.ts';
import type { RowBlock } from '../../rows/row-block.ts';
import { databaseUnavailable } from '../connections/failures.ts';
import type { HighWaterMarks, MarksAnswer, TableMark } from '../high-water-marks/high-water-marks.ts';
import { leaveReplica, replicaOf } from '../replicas/reading.ts';
import type { Chosen, Replicas } from '../replicas/replicas.ts';
import type { PublicIdTable } from '../sql/public-ids.ts';
import type { StoreContext } from '../store.ts';
import { boundsOf } from './selections.ts';

/** Times are whole milliseconds, and are settled when their millisecond is over. A page with a change made just now waits for that. */
const MAX_WAIT_MS = 5;
/** How often a page is read again because connections were opened meanwhile. */
const MAX_TRIES = 5;

/** A page as a value: how it is read, and what its rows are ordered by. */
export interface PageStatement {
  readonly table: PublicIdTable;
  readonly page: PageRequest;
  /** The rows become visible in the order of the page, so that every visible row is settled. */
  readonly commitsInOrder: boolean;
  /** The rows between two positions (`boundsOf`). */
  read(bounds: unknown[]): Promise<RowBlock>;
  /** The indexes of the fields with a row's id and, where rows are ordered by it, its time. */
  readonly idField: number;
  readonly timeField: number;
}

/**
 * The rows of a page between its two positions, settled or not. @param mark the high-water mark; if given, rows above it are excluded
 */
function readBetween({ page, read }: PageStatement, mark?: TableMark): Promise<RowBlock> {
  return read(boundsOf(page, mark));
}

/**
 * The settled rows of a page. They include every row committed before the request, unless an older transaction is still open.
 * @throws AppError `unavailable` when the high-water mark cannot be read; as `readRows`
 */
export async function readSettled(ctx: StoreContext, asked: PageStatement): Promise<RowBlock> {
  const { highWaterMarks, replicas } = ctx.store;
  const choosing = replicaOf(ctx);
  const chosen = choosing === null ? null : await choosing;
  if (chosen !== null && replicas !== null) {
    const rows = await readReplayed(replicas, chosen, asked);
    if (rows !== null) return rows;
    leaveReplica(ctx);
  }
  const { table, page } = asked;
  if (asked.commitsInOrder) return readBetween(asked);
  const askedAt = highWaterMarks.asked();
  // The mark from before the page was read: rows settled since then may be missing from the page.
  const known = highWaterMarks.latest();
  const rows = await readBetween(asked);
  if (rows.length === 0) return rows;
  if (known !== null && stands(highWaterMarks, known) && isWithin(asked, rows, known.tables[table]))
    return rows;
  let answer = await highWaterMarks.after(askedAt);
  const aheadMs = page.sort === 'updatedAt' ? latest(rows, asked.timeField) - answer.tables[table].time : 0;
  if (aheadMs > 0 && aheadMs <= MAX_WAIT_MS) {
    await sleep(aheadMs + 1);
    answer = await highWaterMarks.after(highWaterMarks.asked());
  }
  if (page.sort !== 'updatedAt' && (largest(rows, asked.idField) ?? 0n) > answer.tables[table].drawn) {
    const whole = await readGiven(ctx, asked, answer);
    if (whole !== null) return whole;
  }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const settled = await readBetween(asked, answer.tables[table]);
    if (stands(highWaterMarks, answer)) return settled;
    answer = await highWaterMarks.after(highWaterMarks.asked());
  }
  throw databaseUnavailable();
}

/**
 * A page from a replica, up to the high-water mark that it has replayed. Returns null where the primary must answer: where the page starts
 * at a position that this replica has not reached, and where there may be rows whose ids the sequence did not assign. If the replica is
 * lost meanwhile, the primary answers instead: below that mark it has at least the same rows.
 */
async function readReplayed(
  { marks }: Replicas,
  { mark: { tables } }: Chosen,
  asked: PageStatement,
): Promise<RowBlock | null> {
  const { table, page, idField } = asked;
  const mark = tables[table];
  if (isAhead(page, mark)) return null;
  const rows = await readBetween(asked);
  if (rows.length === 0 || asked.commitsInOrder || isWithin(asked, rows, mark)) return rows;
  const isAboveAll = (largest(rows, idField) ?? 0n) > (marks.latest()?.tables[table].drawn ?? 0n);
  if (page.sort !== 'updatedAt' && isAboveAll && marks.isQuiet(table)) return null;
  return readBetween(asked, mark);
}

/**
 * A page with rows whose ids the sequence did not assign: they were inserted with explicit ids, for example by an import that did not
 * advance the sequence. If no transaction is open and none begins meanwhile, all rows are settled; otherwise returns null.
 */
async function readGiven(
  ctx: StoreContext,
  asked: PageStatement,
  answer: MarksAnswer,
): Promise<RowBlock | null> {
  const { highWaterMarks } = ctx.store;
  const { table } = asked;
  const { id, drawn } = answer.tables[table];
  if (id !== drawn) return null;
  const rows = await readBetween(asked);
  const after = await highWaterMarks.after(highWaterMarks.asked());
  return stands(highWaterMarks, answer) && after.tables[table].drawn === drawn ? rows : null;
}

function stands(highWaterMarks: HighWaterMarks, { generation }: MarksAnswer): boolean {
  return highWaterMarks.generation() === generation;
}

/** Whether a page starts at a position above a high-water mark. Rows between them may be missing, and the page would skip them. */
function isAhead(
  { sort, after, before, afterTime, beforeTime }: PageRequest,
  { id, time }: TableMark,
): boolean {
  if (sort === 'updatedAt') return [afterTime, beforeTime].some((at) => at != null && at.getTime() > time);
  return [after, before].some((position) => position !== null && position > id);
}

function isWithin({ page, idField, timeField }: PageStatement, rows: RowBlock, mark: TableMark): boolean {
  if (page.sort === 'updatedAt') return latest(rows, timeField) <= mark.time;
  return (largest(rows, idField) ?? 0n) <= mark.id;
}
