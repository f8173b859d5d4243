// The reads of every noun, with common rules in this order: check the scope, parse the input, read only rows that the caller owns.

import type { Caller } from '../../auth/actor.ts';
import { requireCaller, requireScope, type Scope, scopeFor } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { invalid, notFound } from '../../errors.ts';
import type { Page, PageRequest, Selection } from '../../pagination.ts';
import type { Row } from '../../resources/description/resource.ts';
import type { SortValue } from '../../resources/description/sorts.ts';
import type { Described } from '../../resources/nouns.ts';
import { setNull } from '../../rows/columns.ts';
import { type Count, countUnder, existsUnder, type Probe } from '../../store/reading/counts.ts';
import { findPagesUnder, findPageUnder, findRefinedPage } from '../../store/reading/pages.ts';
import { existsRefined, type RefinedList } from '../../store/reading/refined.ts';
import { countRefined } from '../../store/reading/refined-counts.ts';
import { findById, findByIds } from '../../store/reading/rows.ts';
import { mayHaveReadReplica, readFromPrimary } from '../../store/replicas/reading.ts';
import { SEARCH } from '../../store/sql/search.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';
import type { Table } from '../../store/tables/table.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { planByCriteria, refine } from '../filtering/refining.ts';
import { requireSearchable } from '../filtering/search.ts';
import { parseRef, type Ref } from './refs.ts';

export type { Count, Probe };

/** The properties of rows to read; null is all of them. Names of other things are ignored, such as a connection's `hasMore`. */
export type Projection = readonly string[] | null;

export interface Reads<Row, Needs extends Scope | null = Scope> {
  /** The scope for all of these; null: none. */
  readonly scope: Needs;
  /** @throws AppError `not_found` when it does not exist or the caller does not own it */
  get(ctx: Context, ref: Ref, projection?: Projection): Promise<Row>;
  /** In the order of the ids; null for a row that does not exist or that the caller does not own. */
  getMany(ctx: Context, ids: readonly bigint[], projection?: Projection): Promise<(Row | null)[]>;
  /**
   * In a list that is not ordered by id, a position without a value means the current place of its row.
   * @throws AppError `not_found` for the parent; `invalid` for `after` when that row is gone; as `refining` and `findRefinedPage` do
   */
  list(ctx: Context, parent: Ref, page: PageRequest, projection?: Projection): Promise<Page<Row>>;
  /** A page for each parent, in the order of the parents and by one statement; null for a parent that the caller does not own. */
  listMany(
    ctx: Context,
    parentIds: readonly bigint[],
    page: PageRequest,
    projection?: Projection,
  ): Promise<(Page<Row> | null)[]>;
  /**
   * The number of rows of each parent.
   * @param selection its order is ignored
   * @throws AppError `too_many_requests` when the team has too many counts waiting
   */
  countMany(ctx: Context, parentIds: readonly bigint[], selection?: Selection): Promise<Count[]>;
  /** Whether each parent has rows on one side of a position. */
  existMany(ctx: Context, parentIds: readonly bigint[], probe: Probe): Promise<boolean[]>;
}

/**
 * The reads of one noun. They require its read scope and return only rows that the caller owns.
 * @param table says which parent its lists are below
 */
export function readsOf<R extends Described>(noun: R, table = tableOf(noun)): Reads<Row<R> & { id: bigint }> {
  const scope = scopeFor(noun, 'read');
  return readsWith(table, scope, (ctx) => requireScope(ctx, scope));
}

/** The reads of a noun's open fields. */
export type OpenReads<Row> = Reads<Row, null>;

/**
 * The reads of a noun with `openFields`: for every caller that may enter the object. The rows have all fields; whoever shows another one
 * requires the noun's scope. A list that is filtered or ordered requires it too, because the order of rows tells what a field says.
 */
export function openReadsOf<R extends Described>(noun: R): OpenReads<Row<R> & { id: bigint }> {
  const scope = scopeFor(noun, 'read');
  return readsWith(tableOf(noun), null, (ctx, { filter = {}, sort = 'id' } = {}) =>
    sort === 'id' && Object.keys(filter).length === 0 ? requireCaller(ctx) : requireScope(ctx, scope),
  );
}

/** @param permit the caller, if it may read such rows */
function readsWith<R extends { id: bigint }, Needs extends Scope | null>(
  table: Table<R>,
  scope: Needs,
  permit: (ctx: Context, selection?: Selection) => Caller,
): Reads<R, Needs> {
  const { parent: over } = table;
  /** Reads each parent’s list by the criteria of the request, one by one. @param plain reads a list that needs no more than a filter */
  async function byCriteria<S extends Selection, Result>(
    ctx: Context,
    tenancy: Tenancy,
    parentIds: readonly bigint[],
    selection: S & { readonly criteria: NonNullable<Selection['criteria']> },
    plain: (parentId: bigint, selection: S) => Promise<Result>,
    refined: (list: RefinedList<R>, selection: S) => Promise<Result>,
  ): Promise<Result[]> {
    const results: Result[] = [];
    for (const parentId of parentIds) {
      const plan = planByCriteria<R, S>(ctx, table, tenancy, parentId, selection);
      results.push(
        await (plan.list === null ? plain(parentId, plan.selection) : refined(plan.list, plan.selection)),
      );
    }
    return results;
  }
  const hasCriteria = <S extends Selection>(
    selection: S,
  ): selection is S & { readonly criteria: NonNullable<Selection['criteria']> } =>
    selection.criteria !== undefined;
  return {
    scope,
    async get(ctx, ref, projection = null) {
      return requireRow(ctx, table, permit(ctx).tenancy, ref, projection);
    },
    async getMany(ctx, ids, projection = null) {
      return findByIds(ctx, table, permit(ctx).tenancy, ids, projection);
    },
    async list(ctx, parent, page, projection = null) {
      const { tenancy } = permit(ctx, page);
      const parentId = parseRef(over.title, over.table, parent);
      if (isSearched(page)) await requireSearchable(ctx, table.resource);
      const positioned = await withValue(ctx, table, tenancy, page);
      const { refinedBy } = positioned;
      const read = async (plain: PageRequest) => {
        const found = await findPageUnder(ctx, table, tenancy, parentId, plain, projection);
        if (found === null) throw notFound(over.title);
        return found;
      };
      if (refinedBy === undefined) return read(positioned);
      return refine(
        ctx,
        table,
        tenancy,
        [parentId],
        { ...positioned, refinedBy },
        {
          read: ({ list, selection }) =>
            list === null ? read(selection) : findRefinedPage(ctx, list, selection, projection),
          tells: ({ rows }) => rows.length > 0,
        },
      );
    },
    async listMany(ctx, parentIds, page, projection = null) {
      const { tenancy } = permit(ctx, page);
      if (isSearched(page)) await requireSearchable(ctx, table.resource);
      const { refinedBy } = page;
      const read = (plain: PageRequest) => findPagesUnder(ctx, table, tenancy, parentIds, plain, projection);
      if (refinedBy === undefined && hasCriteria(page))
        return byCriteria(
          ctx,
          tenancy,
          parentIds,
          page,
          async (id, plain) =>
            (await findPagesUnder(ctx, table, tenancy, [id], plain, projection))[0] ?? null,
          (list, selection) => findRefinedPage(ctx, list, selection, projection),
        );
      if (refinedBy === undefined) return read(page);
      return refine(
        ctx,
        table,
        tenancy,
        parentIds,
        { ...page, refinedBy },
        {
          read: async ({ list, selection }) =>
            list === null
              ? read(selection)
              : forEach(parentIds, await findRefinedPage(ctx, list, selection, projection)),
          tells: (pages) => pages.every((found) => found !== null && found.rows.length > 0),
        },
      );
    },
    async countMany(ctx, parentIds, counted = {}) {
      const { tenancy } = permit(ctx, counted);
      if (isSearched(counted)) await requireSearchable(ctx, table.resource);
      const { refinedBy } = counted;
      if (refinedBy === undefined && hasCriteria(counted))
        return byCriteria(
          ctx,
          tenancy,
          parentIds,
          counted,
          async (id, plain) => (await countUnder(ctx, table, tenancy, [id], plain))[0] ?? NOTHING,
          (list, selection) => countRefined(ctx, list, selection),
        );
      if (refinedBy === undefined) return countUnder(ctx, table, tenancy, parentIds, counted);
      return refine(
        ctx,
        table,
        tenancy,
        parentIds,
        { ...counted, refinedBy },
        {
          read: async ({ list, selection }) =>
            list === null
              ? countUnder(ctx, table, tenancy, parentIds, selection)
              : forEach(parentIds, await countRefined(ctx, list, selection)),
        },
      );
    },
    async existMany(ctx, parentIds, probed) {
      const { tenancy } = permit(ctx, probed);
      if (isSearched(probed)) await requireSearchable(ctx, table.resource);
      const { refinedBy } = probed;
      if (refinedBy === undefined && hasCriteria(probed))
        return byCriteria(
          ctx,
          tenancy,
          parentIds,
          probed,
          async (id, plain) => (await existsUnder(ctx, table, tenancy, [id], plain))[0] ?? false,
          (list, selection) => existsRefined(ctx, list, selection),
        );
      if (refinedBy === undefined) return existsUnder(ctx, table, tenancy, parentIds, probed);
      return refine(
        ctx,
        table,
        tenancy,
        parentIds,
        { ...probed, refinedBy },
        {
          read: async ({ list, selection }) =>
            list === null
              ? existsUnder(ctx, table, tenancy, parentIds, selection)
              : forEach(parentIds, await existsRefined(ctx, list, selection)),
        },
      );
    },
  };
}

const NOTHING: Count = { count: 0, isExact: true };

const isSearched = ({ filter }: Selection) => filter?.[SEARCH] !== undefined;

/** The same result for each parent: all of them are the same workspace, because a saved filter belongs to one. */
function forEach<Result>(parentIds: readonly bigint[], result: Result): Result[] {
  return parentIds.map(() => result);
}

/** A row that the caller owns. @throws AppError `not_found` */
export async function requireRow<Row extends { id: bigint }>(
  ctx: Context,
  table: Table<Row>,
  tenancy: Tenancy,
  ref: Ref,
  projection: Projection = null,
): Promise<Row> {
  const row = await findById(ctx, table, tenancy, parseRef(table.title, table.name, ref), projection);
  if (row === null) throw notFound(table.title);
  return row;
}

/**
 * Completes a page request: in a list that is not ordered by id, `after` gets the value of its row.
 * @throws AppError `invalid` when that row is gone
 */
export async function withValue<Row extends { id: bigint }>(
  ctx: Context,
  table: Table<Row>,
  tenancy: Tenancy,
  page: PageRequest,
): Promise<PageRequest> {
  return positioned(ctx, table.title, page, (after) => findById(ctx, table, tenancy, after));
}

/** As `withValue`, for rows that have no table of their own. @param title of a row @param findRow a row by its id */
export async function positioned(
  ctx: Context,
  title: string,
  page: PageRequest,
  findRow: (id: bigint) => Promise<object | null>,
): Promise<PageRequest> {
  const { sort = 'id', after, afterValue } = page;
  if (sort === 'id' || after === null || afterValue !== undefined) return page;
  const find = () => findRow(after) as Promise<{ readonly [Property in typeof sort]?: SortValue } | null>;
  let row = await find();
  if (row === null && mayHaveReadReplica(ctx)) {
    // The position may come from a server that is ahead of this replica.
    readFromPrimary(ctx);
    row = await find();
  }
  const value = row?.[sort];
  if (value === undefined)
    throw invalid('after', {
      code: 'not_found',
      message: `There is no longer such a ${title.toLowerCase()}. Follow the URL in the Link header, which has its value too.`,
    });
  return { ...page, afterValue: value };
}

/** Properties that some callers may not see, although they may read the rows. */
interface Withheld<Row> {
  /** The hidden properties. */
  readonly properties: readonly string[];
  /** The properties that decide who may see them. */
  readonly by: readonly Extract<keyof Row, string>[];
  mayRead(ctx: Context, row: Row): boolean;
  /** Hides parts of them from a caller who may see the others. */
  hide(ctx: Context, row: Row): void;
}

/** The same reads, with null for properties that the caller may not see. */
export function withholding<Row extends { id: bigint }>(
  reads: Reads<Row>,
  { properties, by, mayRead, hide }: Withheld<Row>,
): Reads<Row> {
  function shown(ctx: Context, row: Row): Row {
    if (!mayRead(ctx, row)) setNull(row, properties);
    else hide(ctx, row);
    return row;
  }
  /** Whether a projection has none of them. */
  const isWithout = (projection: Projection) =>
    projection?.every((property) => !properties.includes(property)) ?? false;
  return {
    ...reads,
    get: async (ctx, ref) => shown(ctx, await reads.get(ctx, ref)),
    async getMany(ctx, ids, projection = null) {
      if (isWithout(projection)) return reads.getMany(ctx, ids, projection);
      const rows = await reads.getMany(ctx, ids, projection && [...projection, ...by]);
      return rows.map((row) => row && shown(ctx, row));
    },
    async list(ctx, parent, page, projection = null) {
      const found = await reads.list(ctx, parent, page, projection && [...projection, ...by]);
      return { ...found, rows: found.rows.map((row) => shown(ctx, row)) };
    },
    async listMany(ctx, parentIds, page, projection = null) {
      if (isWithout(projection)) return reads.listMany(ctx, parentIds, page, projection);
      const pages = await reads.listMany(ctx, parentIds, page, projection && [...projection, ...by]);
      return pages.map((found) => found && { ...found, rows: found.rows.map((row) => shown(ctx, row)) });
    },
  };
}
