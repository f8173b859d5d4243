// Reads pages of lists. Decides here, and passes on as values, how a page is read: its statement, the two positions between which its rows
// lie, and where it ends. Each statement includes the caller's tenancy, so that another tenant's parent and a missing parent give the same
// answer.
//
// A page ends before the first unsettled row, so that no row ever appears behind a client's cursor. A page without new rows costs nothing
// extra: it is read, then compared with the last high-water mark. Only if it exceeds that mark, a new mark is requested, and the page is
// read again up to it.
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_ID } from '../../cursors.ts';
import type { Page, PageRequest } from '../../pagination.ts';
import { toDate } from '../../resources/description/field-types.ts';
import { selectList } from '../../rows/columns.ts';
import { BlockRow, largest, type RowBlock, startOf, textOf } from '../../rows/row-block.ts';
import { databaseUnavailable } from '../connections/failures.ts';
import type { HighWaterMarks, MarksAnswer, TableMark } from '../high-water-marks/high-water-marks.ts';
import { readFromPrimary, replicaOf } from '../replicas/reading.ts';
import type { ChosenReplica, Replicas } from '../replicas/replicas.ts';
import type { PublicIdTable } from '../sql/public-ids.ts';
import { isProvided, providedValues } from '../sql/refined.ts';
import type { NamedStatement, Values } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import type { Table } from '../tables/table.ts';
import type { Owners } from '../tenancy/row-owners.ts';
import { findWorkspace, isOwned, ownedParents } from './parents.ts';
import {
  type Bounds,
  boundsOf,
  limitOf,
  orderOfProjected,
  scanDirection,
  valuesOfBounds,
} from './positions.ts';
import { type ProjectedColumns, project } from './projections.ts';
import { readRows, scanRows } from './reads.ts';
import { type RefinedList, type RefinedRead, readBounded } from './refined.ts';
import { isOwn, type RefinedPage } from './refined-statements.ts';
import { selectPage } from './selected-rows.ts';
import { boundedStatement, isExpensive, selectionOf } from './selections.ts';
import { sortKeyOf } from './sort-keys.ts';

type Row = { id: bigint };

/** How a page is read. */
interface PageRead {
  readonly table: PublicIdTable;
  readonly bounds: Bounds;
  /** One statement, or the steps of a list with a saved filter. */
  readonly by: StatementRead | RefinedRead;
  /** Only rows up to the high-water mark are settled: they do not become visible in the order of the page, which must not skip any. */
  readonly needsMark: boolean;
  /** The indexes of the fields with a row's id and, if the list is ordered by it, its time. */
  readonly idField: number;
  readonly timeField: number;
}

/** A statement and the values of its parameters, without those of the bounds. */
interface StatementRead {
  readonly statement: NamedStatement;
  readonly values: Values;
  readonly isExpensive: boolean;
  readonly tenancy: Tenancy;
  readonly owners: Owners;
}

/**
 * Reads a page under one parent; null if the caller does not own the parent. For lists of a workspace or a team one statement suffices;
 * only for an empty page, a second one distinguishes an empty list from a missing parent. For a funnel's list, finds its workspace first:
 * with it, the page is one range of an index.
 * @param projection the properties of rows that the request needs; null reads all
 */
export async function findPageUnder<R extends Row>(
  ctx: StoreContext,
  table: Table<R>,
  tenancy: Tenancy,
  parent: bigint,
  page: PageRequest,
  projection: readonly string[] | null = null,
): Promise<Page<R> | null> {
  const { table: parents, nestedIn } = table.parent;
  const workspaceId = nestedIn === null ? parent : await findWorkspace(ctx, nestedIn, tenancy, parent);
  if (workspaceId === null) return null;
  const direction = scanDirection(page);
  const selected = selectionOf(table, page);
  const projected = project(table, withSort(projection, page), tenancy.teamId);
  const { provided } = page;
  const pageUnder = projected.statement(
    `${table.listName ?? table.name}.under_id.${direction}${selected.name}${provided ? '.provided' : ''}`,
    () => {
      const workspace = nestedIn === null ? '$parent_id' : '$workspace_id';
      const places = { parent: '$parent_id', workspace };
      const owned = `${isOwned(parents, '$parent_id', workspace)} and ${table.narrowed('$workspaces')}${provided ? ` and ${isProvided(workspace)}` : ''}`;
      return selectPage(
        table,
        selected,
        { columns: selectList(projected.columns), places, direction },
        owned,
      );
    },
  );
  const rows = await readSettled(
    ctx,
    pageRead(table, page, projected, {
      statement: boundedStatement(pageUnder, selected),
      values: {
        team: tenancy.teamId,
        workspaces: tenancy.workspaceIds,
        parent_id: parent,
        workspace_id: workspaceId,
        limit: limitOf(page),
        ...selected.values,
        ...(provided && providedValues(provided)),
      },
      isExpensive: isExpensive(selected, 1, limitOf(page)),
      tenancy,
      owners: projected.owners,
    }),
  );
  const isThere =
    rows.length > 0 ||
    nestedIn !== null ||
    (parents === 'teams'
      ? parent === tenancy.teamId
      : (await findWorkspace(ctx, parents, tenancy, parent)) !== null);
  return isThere ? toPage(rows.map(projected.make), page) : null;
}

/**
 * Reads a page under each parent, in the parents' order, in one lateral join; null for a parent that the caller does not own. A single
 * parent needs no join, which would take a tenth longer. If statements cannot join parents, reads each one separately.
 * @param projection the properties of rows that the request needs; null reads all
 */
export async function findPagesUnder<R extends Row>(
  ctx: StoreContext,
  table: Table<R>,
  tenancy: Tenancy,
  parents: readonly bigint[],
  page: PageRequest,
  projection: readonly string[] | null = null,
): Promise<(Page<R> | null)[]> {
  const [parent, ...others] = parents;
  if (parent !== undefined && others.length === 0)
    return [await findPageUnder(ctx, table, tenancy, parent, page, projection)];
  if (!(await ctx.store.placement.rules()).joinsParents)
    return Promise.all(parents.map((id) => findPageUnder(ctx, table, tenancy, id, page, projection)));
  const direction = scanDirection(page);
  const selected = selectionOf(table, page);
  const projected = project(table, withSort(projection, page), tenancy.teamId);
  const behind = Object.keys(projected.columns).length;
  const pages = projected.statement(
    `${table.listName ?? table.name}.under_ids.${direction}${selected.name}`,
    () => {
      const workspace = table.parent.nestedIn === null ? 'p.id' : 'p.workspace_id';
      const places = { parent: 'p.id', workspace };
      const columns = selectList(projected.columns);
      return `select f.*, p.id as "parentId" from ${ownedParents(table.parent.table)} left join lateral (
        ${selectPage(table, selected, { columns, places, direction }, table.narrowed('$workspaces'))}
      ) f on true
      order by p.id, ${orderOfProjected(selected.key, direction, 'f')}`;
    },
  );
  const rows = await readSettled(
    ctx,
    pageRead(table, page, projected, {
      statement: boundedStatement(pages, selected),
      values: {
        team: tenancy.teamId,
        workspaces: tenancy.workspaceIds,
        parent_ids: [...new Set(parents)],
        limit: limitOf(page),
        ...selected.values,
      },
      isExpensive: isExpensive(selected, parents.length, limitOf(page)),
      tenancy,
      owners: projected.owners,
    }),
  );
  const byParent = new Map<string, R[]>();
  for (let index = 0; index < rows.length; index++) {
    const row = new BlockRow(rows, index);
    const parentId = textOf(row, behind) ?? '';
    const siblings = byParent.get(parentId) ?? [];
    // A parent without children returns one row of nulls.
    if (startOf(row, 0) >= 0) siblings.push(projected.make(rows, index));
    byParent.set(parentId, siblings);
  }
  return parents.map((id) => {
    const siblings = byParent.get(String(id));
    return siblings === undefined ? null : toPage(siblings, page);
  });
}

/** Reads a page of a list with a saved filter. @throws AppError `invalid` if it would cost too much; as `scanRows` */
export async function findRefinedPage<R extends Row>(
  ctx: StoreContext,
  list: RefinedList<R>,
  page: PageRequest,
  projection: readonly string[] | null = null,
): Promise<Page<R>> {
  const { table, tenancy } = list;
  const projected = project(table, withSort(projection, page), tenancy.teamId);
  const asked: RefinedPage = {
    name: `${table.name}.refined${projected.suffix}`,
    columns: selectList(projected.columns),
    width: Object.keys(projected.columns).length,
    owners: projected.owners,
    key: sortKeyOf(table, page.sort ?? 'id'),
    direction: scanDirection(page),
    limit: limitOf(page),
    isFirst: page.after === null && page.before === null,
    owned: isOwn(table),
  };
  const rows = await readSettled(ctx, pageRead(table, page, projected, { list, selection: page, asked }));
  return toPage(rows.map(projected.make), page);
}

/** Adds the property that the rows are ordered by, because cursors contain it. */
function withSort(projection: readonly string[] | null, { sort }: PageRequest): readonly string[] | null {
  return projection === null || sort === undefined ? projection : [...projection, sort];
}

/**
 * Even below one parent, times are not in the order of commits: two changes may have the same millisecond, and clocks can be set back. The
 * orders that are not gapless need no high-water mark: a row that is committed late may precede any position.
 */
function pageRead<R extends Row>(
  { name, commitsInOrder }: Table<R>,
  page: PageRequest,
  { columns }: ProjectedColumns<R>,
  by: PageRead['by'],
): PageRead {
  const properties = Object.keys(columns);
  return {
    table: name,
    bounds: boundsOf(page),
    by,
    needsMark: page.sort === 'updatedAt' || ((page.sort ?? 'id') === 'id' && !commitsInOrder),
    idField: properties.indexOf('id'),
    timeField: properties.indexOf('updatedAt'),
  };
}

/** Removes the extra row that indicates more rows, and restores the order of a backward scan. */
export function toPage<R extends Row>(rows: R[], page: PageRequest): Page<R> {
  const more = rows.length > page.size;
  const kept = more ? rows.slice(0, page.size) : rows;
  const { sort } = page;
  return { rows: page.backward ? kept.toReversed() : kept, more, ...(sort && { sort }) };
}

/**
 * Times have millisecond precision, and are settled when their millisecond is over. A page with a change from the current millisecond waits
 * for that.
 */
const MAX_WAIT_MS = 5;
/** How many times a page is read again because connections were opened meanwhile. */
const MAX_TRIES = 5;

/**
 * Reads the settled rows of a page. They include every row committed before the request, unless an older transaction is still open.
 * @throws AppError `unavailable` if the high-water mark cannot be read; as `readRows`
 */
async function readSettled(ctx: StoreContext, read: PageRead): Promise<RowBlock> {
  const { highWaterMarks, replicas } = ctx.store;
  const chosen = replicas === null ? null : await replicaOf(ctx);
  if (chosen !== null && replicas !== null) {
    const rows = await readReplayed(ctx, replicas, chosen, read);
    if (rows !== null) return rows;
    readFromPrimary(ctx);
  }
  const { table, bounds } = read;
  if (!read.needsMark) return readBetween(ctx, read, bounds);
  const askedAt = highWaterMarks.asked();
  // Gets the mark before it reads the page, because rows settled afterwards may be missing from the page.
  const known = highWaterMarks.latest();
  const rows = await readBetween(ctx, read, bounds);
  if (rows.length === 0) return rows;
  if (known !== null && stands(highWaterMarks, known) && isWithin(read, rows, known.tables[table]))
    return rows;
  let answer = await highWaterMarks.after(askedAt);
  const aheadMs = bounds.sort === 'updatedAt' ? latest(rows, read.timeField) - answer.tables[table].time : 0;
  if (aheadMs > 0 && aheadMs <= MAX_WAIT_MS) {
    await sleep(aheadMs + 1);
    answer = await highWaterMarks.after(highWaterMarks.asked());
  }
  if (bounds.sort === 'id' && (largest(rows, read.idField) ?? 0n) > answer.tables[table].drawn) {
    const whole = await readExplicitIds(ctx, read, answer);
    if (whole !== null) return whole;
  }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const settled = await readBetween(ctx, read, limitBounds(bounds, answer.tables[table]));
    if (stands(highWaterMarks, answer)) return settled;
    answer = await highWaterMarks.after(highWaterMarks.asked());
  }
  throw databaseUnavailable();
}

/** Reads the rows between two positions, settled or not. */
function readBetween(ctx: StoreContext, { by }: PageRead, bounds: Bounds): Promise<RowBlock> {
  if ('list' in by) return readBounded(ctx, by, bounds);
  const read = by.isExpensive ? scanRows : readRows;
  return read(ctx, by.statement, { ...by.values, ...valuesOfBounds(bounds) }, by.tenancy, by.owners);
}

/**
 * Reads a page from a replica, up to the high-water mark that it has replayed. Returns null if the primary must answer: if the page starts
 * at a position that this replica has not reached, or if there may be rows with explicit ids. If the replica is lost meanwhile, the primary
 * answers instead: below that mark it has at least the same rows.
 */
async function readReplayed(
  ctx: StoreContext,
  { marks }: Replicas,
  { mark: { tables } }: ChosenReplica,
  read: PageRead,
): Promise<RowBlock | null> {
  const { table, bounds, idField } = read;
  const mark = tables[table];
  if (read.needsMark && isAhead(bounds, mark)) return null;
  const rows = await readBetween(ctx, read, bounds);
  if (rows.length === 0 || !read.needsMark || isWithin(read, rows, mark)) return rows;
  const isAboveAll = (largest(rows, idField) ?? 0n) > (marks.latest()?.tables[table].drawn ?? 0n);
  if (bounds.sort === 'id' && isAboveAll && marks.isQuiet(table)) return null;
  return readBetween(ctx, read, limitBounds(bounds, mark));
}

/**
 * Reads a page with rows that were inserted with explicit ids, for example by an import that did not advance the sequence. If no
 * transaction is open and none begins meanwhile, all rows are settled; otherwise returns null.
 */
async function readExplicitIds(
  ctx: StoreContext,
  read: PageRead,
  answer: MarksAnswer,
): Promise<RowBlock | null> {
  const { highWaterMarks } = ctx.store;
  const { table } = read;
  const { id, drawn } = answer.tables[table];
  if (id !== drawn) return null;
  const rows = await readBetween(ctx, read, read.bounds);
  const after = await highWaterMarks.after(highWaterMarks.asked());
  return stands(highWaterMarks, answer) && after.tables[table].drawn === drawn ? rows : null;
}

function stands(highWaterMarks: HighWaterMarks, { generation }: MarksAnswer): boolean {
  return highWaterMarks.generation() === generation;
}

/** Limits bounds to a high-water mark. */
function limitBounds({ sort, low, high }: Bounds, mark: TableMark): Bounds {
  if (sort === 'id') {
    const isBelow = high.id !== null && high.id <= mark.id;
    return { sort, low, high: isBelow ? high : { id: mark.id + 1n, value: null } };
  }
  const isBelow = timeOf(high) <= mark.time;
  return { sort, low, high: isBelow ? high : { id: MAX_ID, value: new Date(mark.time) } };
}

/**
 * Whether a page starts at a position above a high-water mark. Rows between the mark and the position may be missing, and the page would
 * skip them.
 */
function isAhead({ sort, low, high }: Bounds, mark: TableMark): boolean {
  return [low, high].some((position) =>
    sort === 'id'
      ? position.id !== null && position.id > mark.id
      : timeOf(position) !== Number.POSITIVE_INFINITY && timeOf(position) > mark.time,
  );
}

/** The time of a position, in milliseconds since 1970; infinite for the start and the end of the list. */
function timeOf({ value }: Bounds['high']): number {
  return value instanceof Date ? value.getTime() : Number.POSITIVE_INFINITY;
}

function isWithin({ bounds, idField, timeField }: PageRead, rows: RowBlock, mark: TableMark): boolean {
  if (bounds.sort === 'updatedAt') return latest(rows, timeField) <= mark.time;
  return (largest(rows, idField) ?? 0n) <= mark.id;
}

/** The latest time in a field of some rows, in milliseconds since 1970; 0 if all are null. */
function latest(rows: RowBlock, field: number): number {
  const times = rows.map((block, index) => {
    const text = textOf(new BlockRow(block, index), field);
    return text === null ? 0 : toDate(text).getTime();
  });
  return Math.max(0, ...times);
}
