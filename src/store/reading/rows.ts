// Reads rows of any table by id. Each statement includes the caller's tenancy, so that another tenant's row and a missing row give the same
// answer.

import { selectList } from '../../rows/columns.ts';
import type { Values } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import type { Table } from '../tables/table.ts';
import { inScope, readKnown } from './known-rows.ts';
import { project } from './projections.ts';

type Row = { id: bigint };

/**
 * Finds the visible row with this id that the caller owns, or null.
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
    values: { id },
    rows: () => `${table.name} t where t.id = $id`,
  });
  return row ?? null;
}

/**
 * Finds the visible rows with these ids that the caller owns, in the ids' order; null for a missing row. @param projection as in `findById`
 */
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
    values: { ids: distinct },
    // A join, not `= any()`: a hash index can only be searched for one value at a time.
    rows: () => `unnest($ids::bigint[]) i (id) cross join ${table.name} t where t.id = i.id`,
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id) ?? null);
}

/**
 * Finds the visible rows with these ids that the caller owns, in no particular order. @param select the statement's name, its values, and
 * the SQL of the rows
 */
async function findKnown<R extends Row>(
  ctx: StoreContext,
  table: Table<R>,
  tenancy: Tenancy,
  ids: readonly bigint[],
  projection: readonly string[] | null,
  { name, values, rows }: { name: string; values: Values; rows: () => string },
): Promise<R[]> {
  const { columns, make, owners, statement } = project(table, projection, tenancy.teamId);
  const blocks = await readKnown(ctx, tenancy, {
    known: table.parent.table === 'teams' ? null : { table: table.name, ids },
    values,
    owners,
    statementOf: (scope) =>
      statement(`${table.name}.${name}${scope.suffix}`, () =>
        inScope(
          `select ${selectList(columns)} from ${rows()} and ${isVisible(table)} and ${table.owned('$team', '$workspaces', scope.workspace ?? undefined)}`,
          scope,
        ),
      ),
  });
  return blocks.flatMap((block) => block.map(make));
}

/**
 * The condition of visible rows, for look-ups by id. In this form the planner cannot use a partial index on visible rows, which has another
 * order.
 */
function isVisible<R extends Row>(table: Table<R>): string {
  return `(${table.visible}) is true`;
}
