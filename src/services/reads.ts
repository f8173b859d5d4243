// The reads that every noun has, with the rules that are the same for all: who may, then input, then owned rows only.

import { requireScope, type Scope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import type { Page, PageRequest } from '../pagination.ts';
import { type Count, countUnder, existsUnder, MAX_EXACT_COUNT } from '../store/counts.ts';
import { findById, findByIds, findPagesUnder, findPageUnder } from '../store/rows.ts';
import type { Table } from '../store/tables.ts';
import { parseRef, type Ref } from './refs.ts';

export { type Count, MAX_EXACT_COUNT };

/** A place in a list, and the side of it to look at. */
export interface Probe {
  readonly id: bigint;
  readonly side: 'at_or_below' | 'at_or_above';
}

/** The properties of rows that will be asked for; null is all of them. */
export type Projection = readonly string[] | null;

export interface Reads<Row> {
  /** What the caller needs for any of these. */
  readonly scope: Scope;
  /** @throws AppError `not_found` when it does not exist or is not the caller's */
  get(ctx: Context, ref: Ref): Promise<Row>;
  /** In the ids' order; null for what does not exist or is not the caller's. */
  getMany(ctx: Context, ids: readonly bigint[]): Promise<(Row | null)[]>;
  /** @throws AppError `not_found` for the parent */
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
   * @throws AppError `too_many_requests` when the team has too many counts waiting
   */
  countMany(ctx: Context, parentIds: readonly bigint[]): Promise<Count[]>;
  /** Whether each parent has any on one side of a place. */
  existMany(ctx: Context, parentIds: readonly bigint[], probe: Probe): Promise<boolean[]>;
}

/** The reads of one noun: whoever holds the scope, of their own rows only. */
export function readsOf<Row extends { id: bigint }>(table: Table<Row>, scope: Scope): Reads<Row> {
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
      const found = await findPageUnder(ctx, table, tenancy, parentId, page);
      if (found === null) throw notFound(over.title);
      return found;
    },
    async listMany(ctx, parentIds, page, projection = null) {
      return findPagesUnder(ctx, table, requireScope(ctx, scope).tenancy, parentIds, page, projection);
    },
    async countMany(ctx, parentIds) {
      return countUnder(ctx, table, requireScope(ctx, scope).tenancy, parentIds);
    },
    async existMany(ctx, parentIds, probe) {
      return existsUnder(ctx, table, requireScope(ctx, scope).tenancy, parentIds, probe);
    },
  };
}
