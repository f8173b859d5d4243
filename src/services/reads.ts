// The reads that every noun has, with the rules that are the same for all: who may, then input, then owned rows only.

import { requireScope, type Scope, scopeFor } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { invalid, notFound } from '../errors.ts';
import type { Page, PageRequest, Selection } from '../pagination.ts';
import type { Described } from '../resources/nouns.ts';
import type { Row } from '../resources/resource.ts';
import { setNull } from '../rows/columns.ts';
import { type Count, countUnder, existsUnder, MAX_EXACT_COUNT, type Probe } from '../store/reading/counts.ts';
import { findById, findByIds, findPagesUnder, findPageUnder } from '../store/reading/rows.ts';
import { leaveReplica, mayBeReplica } from '../store/replicas/reading.ts';
import type { Tenancy } from '../store/sql/tenancy.ts';
import type { Table } from '../store/tables/table.ts';
import { tableOf } from '../store/tables/tables.ts';
import { parseRef, type Ref } from './refs.ts';

export { type Count, MAX_EXACT_COUNT, type Probe };

/** The properties of rows that will be asked for; null is all of them. */
export type Projection = readonly string[] | null;

export interface Reads<Row> {
  /** What the caller needs for any of these. */
  readonly scope: Scope;
  /** @throws AppError `not_found` when it does not exist or is not the caller's */
  get(ctx: Context, ref: Ref): Promise<Row>;
  /** In the ids' order; null for what does not exist or is not the caller's. */
  getMany(ctx: Context, ids: readonly bigint[]): Promise<(Row | null)[]>;
  /**
   * In a list by `updatedAt`, a position without a time is where its row is now.
   * @throws AppError `not_found` for the parent; `invalid` for `after` where that row is gone
   */
  list(ctx: Context, parent: Ref, page: PageRequest): Promise<Page<Row>>;
  /** A page under each parent, in their order and in one statement; null where the parent is not the caller's. */
  listMany(
    ctx: Context,
    parentIds: readonly bigint[],
    page: PageRequest,
    projection?: Projection,
  ): Promise<(Page<Row> | null)[]>;
  /**
   * How many there are under each parent.
   * @param selection without its order
   * @throws AppError `too_many_requests` when the team has too many counts waiting
   */
  countMany(ctx: Context, parentIds: readonly bigint[], selection?: Selection): Promise<Count[]>;
  /** Whether each parent has any on one side of a place. */
  existMany(ctx: Context, parentIds: readonly bigint[], probe: Probe): Promise<boolean[]>;
}

/** The reads of one noun: whoever holds the scope, of their own rows only. */
export function readsOf<R extends Described>(noun: R): Reads<Row<R> & { id: bigint }> {
  const table = tableOf(noun);
  const scope = scopeFor(noun, 'read');
  const { title, parent: over } = table;
  return {
    scope,
    async get(ctx, ref) {
      const { tenancy } = requireScope(ctx, scope);
      const row = await findById(ctx, table, tenancy, parseRef(title, table.name, ref));
      if (row === null) throw notFound(title);
      return row;
    },
    async getMany(ctx, ids) {
      return findByIds(ctx, table, requireScope(ctx, scope).tenancy, ids);
    },
    async list(ctx, parent, page) {
      const { tenancy } = requireScope(ctx, scope);
      const parentId = parseRef(over.title, over.table, parent);
      const found = await findPageUnder(
        ctx,
        table,
        tenancy,
        parentId,
        await withTime(ctx, table, tenancy, page),
      );
      if (found === null) throw notFound(over.title);
      return found;
    },
    async listMany(ctx, parentIds, page, projection = null) {
      return findPagesUnder(ctx, table, requireScope(ctx, scope).tenancy, parentIds, page, projection);
    },
    async countMany(ctx, parentIds, selection) {
      return countUnder(ctx, table, requireScope(ctx, scope).tenancy, parentIds, selection);
    },
    async existMany(ctx, parentIds, probe) {
      return existsUnder(ctx, table, requireScope(ctx, scope).tenancy, parentIds, probe);
    },
  };
}

/**
 * The page, whose position `after` has a time where the list is ordered by time.
 * @throws AppError `invalid` where that row is gone
 */
export async function withTime<Row extends { id: bigint }>(
  ctx: Context,
  table: Table<Row>,
  tenancy: Tenancy,
  page: PageRequest,
): Promise<PageRequest> {
  if (page.sort !== 'updatedAt' || page.after === null || page.afterTime != null) return page;
  const { after } = page;
  const find = () => findById(ctx, table, tenancy, after) as Promise<{ updatedAt?: Date } | null>;
  let row = await find();
  if (row === null && mayBeReplica(ctx)) {
    // It may be from a server that is ahead of this one.
    leaveReplica(ctx);
    row = await find();
  }
  if (row?.updatedAt === undefined)
    throw invalid(
      'after',
      `There is no such ${table.title.toLowerCase()} any more: follow the Link header, which has its time too.`,
    );
  return { ...page, afterTime: row.updatedAt };
}

/** What some callers may not see of rows that they may read otherwise. */
interface Withheld<Row> {
  /** What they may not see. */
  readonly properties: readonly string[];
  /** The property that tells who may. */
  readonly by: Extract<keyof Row, string>;
  mayRead(ctx: Context, row: Row): boolean;
}

/** The same reads; what the caller may not see of a row is null. */
export function withholding<Row extends { id: bigint }>(
  reads: Reads<Row>,
  { properties, by, mayRead }: Withheld<Row>,
): Reads<Row> {
  function shown(ctx: Context, row: Row): Row {
    if (!mayRead(ctx, row)) setNull(row, properties);
    return row;
  }
  return {
    ...reads,
    get: async (ctx, ref) => shown(ctx, await reads.get(ctx, ref)),
    getMany: async (ctx, ids) => (await reads.getMany(ctx, ids)).map((row) => row && shown(ctx, row)),
    async list(ctx, parent, page) {
      const found = await reads.list(ctx, parent, page);
      return { ...found, rows: found.rows.map((row) => shown(ctx, row)) };
    },
    async listMany(ctx, parentIds, page, projection = null) {
      const isNone = projection?.every((property) => !properties.includes(property)) ?? false;
      if (isNone) return reads.listMany(ctx, parentIds, page, projection);
      const pages = await reads.listMany(ctx, parentIds, page, projection && [...projection, by]);
      return pages.map((found) => found && { ...found, rows: found.rows.map((row) => shown(ctx, row)) });
    },
  };
}
