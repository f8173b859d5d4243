// Reads of any table: by ids, by page under one or many parents, counts and probes. One statement each; the caller's
// reach is part of it, so that "not yours" and "not there" are one answer.

import type { Page, PageRequest } from '../pagination.ts';
import { selectList } from '../rows/columns.ts';
import { BlockRow, startOf, textOf } from '../rows/row-block.ts';
import { project } from './projections.ts';
import { statement } from './statements.ts';
import { readRows, type StoreContext, scanRows } from './store.ts';
import type { Table } from './tables.ts';
import type { Tenancy } from './tenancy.ts';

/** How a client names one row: the integer id or the public id. */
export type Ref = bigint | string;

type Row = { id: bigint };

/** The visible, owned rows with these ids, in the ids' order; null where there is none. */
export async function findByIds<R extends Row>(
  ctx: StoreContext,
  table: Table<R>,
  tenancy: Tenancy,
  ids: readonly bigint[],
): Promise<(R | null)[]> {
  const byIds = statement(
    `${table.name}.ids`,
    () => `select ${selectList(table.columns)} from ${table.name} t
      where t.id = any($3::bigint[]) and ${table.visible} and ${table.owned('$1', '$2')}`,
  );
  const rows = (await readRows(ctx, byIds, [tenancy.teamId, tenancy.workspaceIds, ids], tenancy.teamId)).map(
    project(table).make,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id) ?? null);
}

/** The visible, owned row that a client names, or null. */
export async function findByRef<R extends Row>(
  ctx: StoreContext,
  table: Table<R>,
  tenancy: Tenancy,
  ref: Ref,
): Promise<R | null> {
  if (typeof ref === 'bigint') return (await findByIds(ctx, table, tenancy, [ref]))[0] ?? null;
  const byPublicId = statement(
    `${table.name}.public_id`,
    () => `select ${selectList(table.columns)} from ${table.name} t
      where t.public_id = $3 and ${table.visible} and ${table.owned('$1', '$2')}`,
  );
  const rows = await readRows(ctx, byPublicId, [tenancy.teamId, tenancy.workspaceIds, ref], tenancy.teamId);
  const [row] = rows.map(project(table).make);
  return row ?? null;
}

/**
 * A page under one parent: null when the parent is not the caller's. One statement, and a second one only where the
 * page is empty, to tell an empty list from a parent that is not there.
 * @param wanted the properties of rows that will be asked for; null reads all
 */
export async function findPageUnder<R extends Row>(
  ctx: StoreContext,
  table: Table<R>,
  tenancy: Tenancy,
  parent: Ref,
  page: PageRequest,
  projection: readonly string[] | null = null,
): Promise<Page<R> | null> {
  const { table: parents, column } = table.parent;
  const named = typeof parent === 'string' ? 'p.public_id = $3' : 'p.id = $3';
  const form = `${table.name}.under_${typeof parent === 'string' ? 'ref' : 'id'}`;
  const direction = scanDirection(page);
  const projected = project(table, projection, tenancy.teamId);
  const owner = `(select p.id from ${parents} p where ${named} and ${parentInReach(parents)})`;
  const pageUnder = projected.statement(
    `${form}.${direction}`,
    () => `select ${selectList(projected.columns)} from ${table.name} t
      where ${between(`t.${column}`, owner)} and ${table.visible} and ${table.narrowed('$2')}
      order by t.${column} ${direction}, t.id ${direction} limit $4`,
  );
  const values = [tenancy.teamId, tenancy.workspaceIds, parent, limitOf(page), ...bounds(page)];
  const rows = await readRows(ctx, pageUnder, values, tenancy.teamId);
  if (rows.length > 0) return toPage(rows.map(projected.make), page);
  const parentOnly = statement(
    `${form}.parent`,
    () =>
      `select p.id from ${parents} p where ${named} and ${parentInReach(parents)} and ($2::bigint[] is null or true)`,
  );
  const owned = await readRows(
    ctx,
    parentOnly,
    [tenancy.teamId, tenancy.workspaceIds, parent],
    tenancy.teamId,
  );
  return owned.length > 0 ? { rows: [], more: false } : null;
}

/**
 * A page under each parent, in the parents' order, in one lateral join; null for a parent that is not the caller's. A parent
 * alone needs no join, which takes a tenth longer.
 * @param wanted the properties of rows that will be asked for; null reads all
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
  const direction = scanDirection(page);
  const link = table.parent;
  const projected = project(table, projection, tenancy.teamId);
  const pages = projected.statement(
    `${table.name}.under_ids.${direction}`,
    () => `select t.*, p.id as "parentId" from ${link.table} p left join lateral (
        select ${selectList(projected.columns)} from ${table.name} t
        where ${between(`t.${link.column}`, 'p.id')} and ${table.visible} and ${table.narrowed('$2')}
        order by t.${link.column} ${direction}, t.id ${direction} limit $4
      ) t on true
      where p.id = any($3::bigint[]) and ${parentInReach(link.table)}
      order by p.id, t.id ${direction}`,
  );
  const values = [tenancy.teamId, tenancy.workspaceIds, parents, limitOf(page), ...bounds(page)];
  const rows = await readRows(ctx, pages, values, tenancy.teamId);
  const byParent = new Map<string, R[]>();
  const behind = Object.keys(projected.columns).length;
  for (let index = 0; index < rows.length; index++) {
    const row = new BlockRow(rows, index);
    const parentId = textOf(row, behind) ?? '';
    const siblings = byParent.get(parentId) ?? [];
    // A parent without children has one row of nulls.
    if (startOf(row, 0) >= 0) siblings.push(projected.make(rows, index));
    byParent.set(parentId, siblings);
  }
  return parents.map((id) => {
    const siblings = byParent.get(String(id));
    return siblings === undefined ? null : toPage(siblings, page);
  });
}

/** How many rows a list has. */
export interface Count {
  /** Where it is not exact, there are more than so many. */
  readonly count: number;
  readonly isExact: boolean;
}

/** Rows are counted up to here: what a count costs is bounded. */
export const MAX_EXACT_COUNT = 100_000;

/**
 * How many visible rows each parent has, in the parents' order; none under one that is not the caller's.
 * @throws AppError `too_many_requests` when the team has too many counts waiting
 */
export async function countUnder<R extends Row>(
  ctx: StoreContext,
  table: Table<R>,
  tenancy: Tenancy,
  parents: readonly bigint[],
): Promise<Count[]> {
  const link = table.parent;
  const counts = statement(
    `${table.name}.count`,
    () => `select p.id as "parentId", (select count(*) from (select from ${table.name} t
        where ${between(`t.${link.column}`, 'p.id', '0', MAX_ID)} and ${table.visible} and ${table.narrowed('$2')}
        limit ${MAX_EXACT_COUNT + 1}) s) as "count"
      from ${link.table} p where p.id = any($3::bigint[]) and ${parentInReach(link.table)}`,
  );
  const values = [tenancy.teamId, tenancy.workspaceIds, parents];
  const rows = await scanRows(ctx, counts, values, tenancy.teamId);
  const byParent = new Map(
    rows.map((block, index) => {
      const row = new BlockRow(block, index);
      return [textOf(row, 0), Number(textOf(row, 1))];
    }),
  );
  return parents.map((id) => {
    const found = byParent.get(String(id)) ?? 0;
    return { count: Math.min(found, MAX_EXACT_COUNT), isExact: found <= MAX_EXACT_COUNT };
  });
}

/** Whether each parent has a visible row at the probe's id or on its side of it, in the parents' order. */
export async function existsUnder<R extends Row>(
  ctx: StoreContext,
  table: Table<R>,
  tenancy: Tenancy,
  parents: readonly bigint[],
  probe: { id: bigint; side: 'at_or_below' | 'at_or_above' },
): Promise<boolean[]> {
  const link = table.parent;
  // One row of the index is enough: as a scalar it cannot become a join that reads the whole table.
  const exists = statement(
    `${table.name}.exists`,
    () => `select p.id from ${link.table} p where p.id = any($3::bigint[]) and ${parentInReach(link.table)}
      and (select true from ${table.name} t where ${between(`t.${link.column}`, 'p.id', '$4', '$5')} and ${table.visible}
        and ${table.narrowed('$2')} limit 1)`,
  );
  const [low, high] =
    probe.side === 'at_or_below' ? [0n, probe.id < MAX_ID ? probe.id + 1n : MAX_ID] : [probe.id - 1n, MAX_ID];
  const rows = await readRows(
    ctx,
    exists,
    [tenancy.teamId, tenancy.workspaceIds, parents, low, high],
    tenancy.teamId,
  );
  const having = new Set(rows.map((block, index) => textOf(new BlockRow(block, index), 0)));
  return parents.map((id) => having.has(String(id)));
}

/** A parent that the caller owns; `$1` is the team and `$2` the workspaces that the caller is narrowed to. */
function parentInReach(parent: Table<Row>['parent']['table']): string {
  if (parent === 'teams') return 'p.id = $1';
  if (parent === 'workspaces') return 'p.team_id = $1 and ($2::bigint[] is null or p.id = any($2))';
  return `exists (select from workspaces w where w.id = p.workspace_id and w.team_id = $1
    and ($2::bigint[] is null or w.id = any($2)))`;
}

/** One row too many tells whether there is more. */
function limitOf({ size, rowsOnly }: PageRequest): number {
  return rowsOnly ? size : size + 1;
}

/** Paging backward scans from the other end. */
function scanDirection(page: PageRequest): 'asc' | 'desc' {
  return (page.order === 'asc') !== page.backward ? 'asc' : 'desc';
}

/**
 * The rows of one parent between two ids, both left out. As a comparison of rows it can only be answered
 * by the index on (parent, id), whatever the planner thinks of a list's length: no scan through other parents' rows.
 */
function between(column: string, parent: string, low: unknown = '$5', high: unknown = '$6'): string {
  return `(${column}, t.id) > (${parent}, ${low}) and (${column}, t.id) < (${parent}, ${high})`;
}

const MAX_ID = 2n ** 63n - 1n;

/** The ids that a page lies between. Ids start at 1. */
function bounds({ order, after, before }: PageRequest): [bigint, bigint] {
  const [low, high] = order === 'asc' ? [after, before] : [before, after];
  return [low ?? 0n, high ?? MAX_ID];
}

/** Cuts off the one row too many that tells whether there is more, and restores the order of a backward scan. */
function toPage<R extends Row>(rows: R[], page: PageRequest): Page<R> {
  const more = rows.length > page.size;
  const kept = more ? rows.slice(0, page.size) : rows;
  return { rows: page.backward ? kept.toReversed() : kept, more };
}
