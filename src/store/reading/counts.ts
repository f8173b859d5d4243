// Counts the rows of lists, and tests for rows on one side of a position. One statement covers all parents.
import { MAX_ID } from '../../cursors.ts';
import type { Selection } from '../../pagination.ts';
import type { SortValue } from '../../resources/description/sorts.ts';
import { BlockRow, type RowBlock, textOf } from '../../rows/row-block.ts';
import { inWorkspace, type NamedStatement, statement, type Values } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import type { Table } from '../tables/table.ts';
import type { OwnerlessTable } from '../tenancy/row-owners.ts';
import { findWorkspace, isBelowWorkspace, isOwned, ownedParents, type PagePlaceholders } from './parents.ts';
import { boundsOf, valuesOfBounds } from './positions.ts';
import { readRows, scanRows } from './reads.ts';
import { selectSome } from './selected-rows.ts';
import { boundedStatement, isExpensive, type Selected, selectionOf } from './selections.ts';

type Row = { id: bigint };

/** The number of rows of a list. */
export interface Count {
  /** If `isExact` is false, there are more rows than this. */
  readonly count: number;
  readonly isExact: boolean;
}

/** These results contain no tenant's rows, so there is no owner to check. */
export const NUMBERS: OwnerlessTable = {
  unowned: 'numbers of rows, by the ids of parents that the caller named',
};

/** Counting stops at this number, which limits its cost. */
export const MAX_EXACT_COUNT = 100_000;

/** A position in a list, and the side to test. */
export interface Probe extends Selection {
  readonly id: bigint;
  /** The position's value, in a list that is not ordered by id. */
  readonly value?: SortValue | undefined;
  readonly side: 'at_or_below' | 'at_or_above';
}

/**
 * Counts the visible rows under each parent, in the parents' order; 0 for a parent that the caller does not own.
 * @throws AppError `too_many_requests` if the team has too many counts waiting
 */
export async function countUnder<R extends Row>(
  ctx: StoreContext,
  table: Table<R>,
  tenancy: Tenancy,
  parents: readonly bigint[],
  selection: Selection = {},
): Promise<Count[]> {
  const { filter } = selection;
  const { joinsParents } = await ctx.store.placement.rules();
  if (parents.length > 1 && !joinsParents)
    return (await Promise.all(parents.map((id) => countUnder(ctx, table, tenancy, [id], selection)))).flat();
  const selected = selectionOf(table, { ...(filter && { filter }) });
  const count = perParent(table, selected, { parents, joinsParents }, 'count', (places) => {
    const limit = MAX_EXACT_COUNT + 1;
    const condition = table.narrowed('$workspaces');
    return `(select count(*) from (${selectSome(table, selected, places, { isBounded: false, limit, condition })}) s)`;
  });
  const workspaces = await workspacesOf(ctx, table, tenancy, parents);
  const values = { team: tenancy.teamId, workspaces, ...count.values, ...selected.values };
  const found = byParent(await scanRows(ctx, count.statement, values, tenancy, NUMBERS));
  return parents.map((id) => {
    const rows = Number(found.get(String(id)) ?? 0);
    return { count: Math.min(rows, MAX_EXACT_COUNT), isExact: rows <= MAX_EXACT_COUNT };
  });
}

/**
 * Whether each parent has a visible row at the probe's position or on its side of it, in the parents' order.
 * @throws AppError `too_many_requests` if the read is expensive and the team has too many expensive reads waiting
 */
export async function existsUnder<R extends Row>(
  ctx: StoreContext,
  table: Table<R>,
  tenancy: Tenancy,
  parents: readonly bigint[],
  probe: Probe,
): Promise<boolean[]> {
  const { joinsParents } = await ctx.store.placement.rules();
  if (parents.length > 1 && !joinsParents)
    return (await Promise.all(parents.map((id) => existsUnder(ctx, table, tenancy, [id], probe)))).flat();
  const selected = selectionOf(table, probe);
  const exists = perParent(table, selected, { parents, joinsParents }, 'exists', (places) => {
    // A scalar subquery needs one row of the index, and cannot become a join that reads the complete table.
    const condition = table.narrowed('$workspaces');
    return `(select true from (${selectSome(table, selected, places, { isBounded: true, limit: 1, condition })}) s)`;
  });
  const workspaces = await workspacesOf(ctx, table, tenancy, parents);
  const bounds = valuesOfBounds(boundsOf(toBounds(probe)));
  const values = { team: tenancy.teamId, workspaces, ...exists.values, ...bounds, ...selected.values };
  const read = isExpensive(selected, parents.length, 1) ? scanRows : readRows;
  const found = byParent(await read(ctx, exists.statement, values, tenancy, NUMBERS));
  return parents.map((id) => (found.get(String(id)) ?? null) !== null);
}

/** The workspace of the parent if one statement cannot join several parents; otherwise the caller's workspaces. */
async function workspacesOf<R extends Row>(
  ctx: StoreContext,
  { parent: { table: above } }: Table<R>,
  tenancy: Tenancy,
  [parent]: readonly bigint[],
): Promise<readonly bigint[] | null> {
  if (!isBelowWorkspace(above) || parent === undefined || (await ctx.store.placement.rules()).joinsParents)
    return tenancy.workspaceIds;
  const workspace = await findWorkspace(ctx, above, tenancy, parent);
  return workspace === null ? [] : [workspace];
}

/** The bounds of a probe, which include the probe's own position. */
export function toBounds({ id, value, side, sort = 'id' }: Probe) {
  const bounds = { sort, order: 'asc', after: null, before: null } as const;
  return side === 'at_or_below'
    ? { ...bounds, before: id < MAX_ID ? id + 1n : MAX_ID, beforeValue: value }
    : { ...bounds, after: id - 1n, afterValue: value };
}

/**
 * The statement that evaluates an expression for each parent that the caller owns, and the value of its parameter for the parents. For a
 * single parent it uses no join.
 */
function perParent<R extends Row>(
  table: Table<R>,
  selected: Selected,
  { parents, joinsParents }: { readonly parents: readonly bigint[]; readonly joinsParents: boolean },
  name: string,
  value: (places: PagePlaceholders) => string,
): { statement: NamedStatement; values: Values } {
  const above = table.parent.table;
  const [only, ...others] = parents;
  // Pairs are in the parent's workspace, also where no row names it.
  const valueIn = (places: PagePlaceholders) => inWorkspace(value(places), places.workspace);
  const whole = `${table.listName ?? table.name}.${name}`;
  if (only === undefined || others.length > 0 || isBelowWorkspace(above)) {
    // A single parent whose workspace must be named is in the only one of the caller (`workspacesOf`).
    const named = joinsParents ? 'p.workspace_id' : '($workspaces::bigint[])[1]';
    const workspace = isBelowWorkspace(above) ? named : 'p.id';
    const text = () =>
      `select p.id as "parentId", ${valueIn({ parent: 'p.id', workspace })} as "value" from ${ownedParents(above)}`;
    return {
      statement: selectionStatement(joinsParents ? whole : `${whole}_named`, selected, text),
      values: { parent_ids: [...new Set(parents)] },
    };
  }
  const text = () =>
    `select $parent_id::bigint as "parentId", ${valueIn({ parent: '$parent_id', workspace: '$parent_id' })} as "value" where ${isOwned(above, '$parent_id', '$parent_id')}`;
  return { statement: selectionStatement(`${whole}_one`, selected, text), values: { parent_id: only } };
}

/** A statement for a selection. */
function selectionStatement(name: string, selected: Selected, text: () => string): NamedStatement {
  return boundedStatement(statement(`${name}${selected.name}`, text), selected);
}

/** The results of `perParent` by parent id. */
function byParent(rows: RowBlock): Map<string | null, string | null> {
  return new Map(
    rows.map((block, index) => {
      const row = new BlockRow(block, index);
      return [textOf(row, 0), textOf(row, 1)];
    }),
  );
}
