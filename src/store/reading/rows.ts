// Reads of any table: by ids, and by page under one or many parents. The caller's tenancy is part of each statement, so that rows of others
// and rows that do not exist give the same answer.

import type { Page, PageRequest } from '../../pagination.ts';
import { selectList } from '../../rows/columns.ts';
import { BlockRow, startOf, textOf } from '../../rows/row-block.ts';
import { isProvided, providedValues } from '../sql/refined.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import type { Table } from '../tables/table.ts';
import { inScope, readKnown } from './known-rows.ts';
import { findWorkspace, isBelowWorkspace, isOwned, ownedParents } from './parents.ts';
import { type ProjectedColumns, project } from './projections.ts';
import { readRows, scanRows } from './reads.ts';
import { BOUNDS, isExpensive, ofSelection, selectionOf, selectPage } from './selections.ts';
import { type PageStatement, readSettled } from './settled.ts';

type Row = { id: bigint };

/**
 * The visible row with this id that the caller owns, or null.
 * @param projection the properties that the request needs; null reads all
 */
export async function findById<R extends Row>(
  ctx: StoreContext,
  table: Table<R>,
  tenancy: Tenancy,
  id: bigint,
  projection: readonly string[] | null = null,
): Promise<R | null> {
  const [row] = await findKnown(ctx, table, tenancy, [id], projection, {
    name: 'id',
    value: id,
    rows: () => `${table.name} t where t.id = $3`,
  });
  return row ?? null;
}

/** The visible rows with these ids that the caller owns, in the ids' order; null where there is none. @param projection as in `findById` */
export async function findByIds<R extends Row>(
  ctx: StoreContext,
  table: Table<R>,
  tenancy: Tenancy,
  ids: readonly bigint[],
  projection: readonly string[] | null = null,
): Promise<(R | null)[]> {
  const [id, ...others] = ids;
  if (id !== undefined && others.length === 0) return [await findById(ctx, table, tenancy, id, projection)];
  const distinct = [...new Set(ids)];
  const rows = await findKnown(ctx, table, tenancy, distinct, projection, {
    name: 'ids',
    value: distinct,
    // A join, not `= any()`: a hash index can only be searched for one value at a time.
    rows: () => `unnest($3::bigint[]) i (id) cross join ${table.name} t where t.id = i.id`,
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id) ?? null);
}

/**
 * The visible rows with these ids that the caller owns, in no order. @param select the statement's name, its `$3`, and the SQL of the rows
 */
async function findKnown<R extends Row>(
  ctx: StoreContext,
  table: Table<R>,
  tenancy: Tenancy,
  ids: readonly bigint[],
  projection: readonly string[] | null,
  { name, value, rows }: { name: string; value: unknown; rows: () => string },
): Promise<R[]> {
  const { columns, make, owners, statement } = project(table, projection, tenancy.teamId);
  const blocks = await readKnown(ctx, tenancy, {
    known: table.parent.table === 'teams' ? null : { table: table.name, ids },
    value,
    owners,
    statementOf: (scope) =>
      statement(`${table.name}.${name}${scope.suffix}`, () =>
        inScope(
          `select ${selectList(columns)} from ${rows()} and ${isVisible(table)} and ${table.owned('$1', '$2')}`,
          scope,
        ),
      ),
  });
  return blocks.flatMap((block) => block.map(make));
}

/**
 * A page under one parent; null when the caller does not own the parent. For lists of a workspace or a team one statement suffices; only
 * where the page is empty, a second one tells an empty list from a missing parent. For a funnel's list its workspace is found first: with
 * it, the page is one range of an index.
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
  const parents = table.parent.table;
  const isNested = isBelowWorkspace(parents);
  const workspaceId = isNested ? await findWorkspace(ctx, parents, tenancy, parent) : parent;
  if (workspaceId === null) return null;
  const direction = scanDirection(page);
  const selected = selectionOf(table, page);
  const projected = project(table, withSort(projection, page), tenancy.teamId);
  const { provided } = page;
  const pageUnder = projected.statement(
    `${table.listName ?? table.name}.under_id.${direction}${selected.name}${provided ? '.provided' : ''}`,
    () => {
      const behind = 5 + BOUNDS[selected.sort];
      const [workspace, value] = isNested ? [`$${behind}`, behind + 1] : ['$3', behind];
      const places = { parent: '$3', workspace, bound: 5, value };
      const owned = `${isOwned(parents, '$3', workspace)} and ${table.narrowed('$2')}${provided ? ` and ${isProvided(value + selected.given.length)}` : ''}`;
      return selectPage(
        table,
        selected,
        { columns: selectList(projected.columns), places, direction },
        owned,
      );
    },
  );
  const read = isExpensive(selected, 1, limitOf(page)) ? scanRows : readRows;
  const asked = ofSelection(pageUnder, selected);
  const first = [tenancy.teamId, tenancy.workspaceIds, parent, limitOf(page)];
  const rest = [
    ...(isNested ? [workspaceId] : []),
    ...selected.values,
    ...(provided ? providedValues(provided) : []),
  ];
  const rows = await readSettled(ctx, {
    ...positionFields(table, page, projected),
    read: (bounds) => read(ctx, asked, [...first, ...bounds, ...rest], tenancy, projected.owners),
  });
  const isThere =
    rows.length > 0 ||
    isNested ||
    (parents === 'teams'
      ? parent === tenancy.teamId
      : (await findWorkspace(ctx, parents, tenancy, parent)) !== null);
  return isThere ? toPage(rows.map(projected.make), page) : null;
}

/**
 * A page under each parent, in the parents' order, in one lateral join; null for a parent that the caller does not own. A single parent
 * needs no join, which would take a tenth longer. Where statements cannot join parents, each one is read separately.
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
  const { sort } = selected;
  const projected = project(table, withSort(projection, page), tenancy.teamId);
  const behind = Object.keys(projected.columns).length;
  const pages = projected.statement(
    `${table.listName ?? table.name}.under_ids.${direction}${selected.name}`,
    () => {
      const workspace = isBelowWorkspace(table.parent.table) ? 'p.workspace_id' : 'p.id';
      const places = { parent: 'p.id', workspace, bound: 5, value: 5 + BOUNDS[sort] };
      const columns = selectList(projected.columns);
      const byTime = sort === 'id' ? '' : `f."${sort}" ${direction}, `;
      return `select f.*, p.id as "parentId" from ${ownedParents(table.parent.table)} left join lateral (
        ${selectPage(table, selected, { columns, places, direction }, table.narrowed('$2'))}
      ) f on true
      order by p.id, ${byTime}f.id ${direction}`;
    },
  );
  const read = isExpensive(selected, parents.length, limitOf(page)) ? scanRows : readRows;
  const asked = ofSelection(pages, selected);
  const first = [tenancy.teamId, tenancy.workspaceIds, [...new Set(parents)], limitOf(page)];
  const rows = await readSettled(ctx, {
    ...positionFields(table, page, projected),
    read: (bounds) => read(ctx, asked, [...first, ...bounds, ...selected.values], tenancy, projected.owners),
  });
  const byParent = new Map<string, R[]>();
  for (let index = 0; index < rows.length; index++) {
    const row = new BlockRow(rows, index);
    const parentId = textOf(row, behind) ?? '';
    const siblings = byParent.get(parentId) ?? [];
    // A parent without children gives one row of nulls.
    if (startOf(row, 0) >= 0) siblings.push(projected.make(rows, index));
    byParent.set(parentId, siblings);
  }
  return parents.map((id) => {
    const siblings = byParent.get(String(id));
    return siblings === undefined ? null : toPage(siblings, page);
  });
}

/** For rows found by id. In this form the planner cannot use a partial index on visible rows, whose order is another one. */
function isVisible<R extends Row>(table: Table<R>): string {
  return `(${table.visible}) is true`;
}

/**
 * A page of a table, and the indexes of the fields that its rows are ordered by. Times are not in the order of commits below one parent
 * either: two changes may have the same millisecond, and clocks are set back.
 */
export function positionFields<R extends Row>(
  { name, commitsInOrder }: Table<R>,
  page: PageRequest,
  { columns }: ProjectedColumns<R>,
): Omit<PageStatement, 'read'> {
  const properties = Object.keys(columns);
  const [idField, timeField] = [properties.indexOf('id'), properties.indexOf('updatedAt')];
  return {
    table: name,
    page,
    idField,
    timeField,
    commitsInOrder: commitsInOrder && page.sort !== 'updatedAt',
  };
}

/** One row more than the page size tells whether there are more rows. */
export function limitOf({ size, rowsOnly }: PageRequest): number {
  return rowsOnly ? size : size + 1;
}

/** Backward paging scans from the other end. */
export function scanDirection(page: PageRequest): 'asc' | 'desc' {
  return (page.order === 'asc') !== page.backward ? 'asc' : 'desc';
}

/** Adds the property that the rows are ordered by, because cursors contain it. */
export function withSort(
  projection: readonly string[] | null,
  { sort }: PageRequest,
): readonly string[] | null {
  return projection === null || sort === undefined ? projection : [...projection, sort];
}

/** Removes the extra row that tells whether there are more rows, and restores the order of a backward scan. */
export function toPage<R extends Row>(rows: R[], page: PageRequest): Page<R> {
  const more = rows.length > page.size;
  const kept = more ? rows.slice(0, page.size) : rows;
  const { sort } = page;
  return { rows: page.backward ? kept.toReversed() : kept, more, ...(sort && { sort }) };
}
