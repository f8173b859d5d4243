// How many rows the lists of any table have, and whether there is one on a side of an id: one statement for all parents.
import { MAX_ID } from '../pagination.ts';
import { BlockRow, type RowBlock, textOf } from '../rows/row-block.ts';
import { between, isBelowWorkspace, isOwned, ownedParents } from './parents.ts';
import { type Statement, statement } from './statements.ts';
import { readRows, type StoreContext, scanRows } from './store.ts';
import type { Table } from './tables.ts';
import type { Tenancy } from './tenancy.ts';

type Row = { id: bigint };

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
  const count = perParent(table, parents, 'count', (parent, workspace) => {
    const under = between(table, parent, workspace, '0', `${MAX_ID}`);
    return `(select count(*) from (select from ${table.name} t where ${under} and ${table.narrowed('$2')}
      limit ${MAX_EXACT_COUNT + 1}) s)`;
  });
  const values = [tenancy.teamId, tenancy.workspaceIds, count.parents];
  const found = valuesOf(await scanRows(ctx, count.statement, values, tenancy.teamId));
  return parents.map((id) => {
    const rows = Number(found.get(String(id)) ?? 0);
    return { count: Math.min(rows, MAX_EXACT_COUNT), isExact: rows <= MAX_EXACT_COUNT };
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
  const exists = perParent(table, parents, 'exists', (parent, workspace) => {
    const under = between(table, parent, workspace, '$4', '$5');
    // One row of the index is enough: as a scalar it cannot become a join that reads the whole table.
    return `(select true from ${table.name} t where ${under} and ${table.narrowed('$2')} limit 1)`;
  });
  const [low, high] =
    probe.side === 'at_or_below' ? [0n, probe.id < MAX_ID ? probe.id + 1n : MAX_ID] : [probe.id - 1n, MAX_ID];
  const values = [tenancy.teamId, tenancy.workspaceIds, exists.parents, low, high];
  const found = valuesOf(await readRows(ctx, exists.statement, values, tenancy.teamId));
  return parents.map((id) => (found.get(String(id)) ?? null) !== null);
}

/**
 * The statement that gives the value of an expression for each parent that is the caller's, and what is its `$3`. For one parent
 * alone it joins nothing.
 */
function perParent<R extends Row>(
  table: Table<R>,
  parents: readonly bigint[],
  name: string,
  value: (parent: string, workspace: string) => string,
): { statement: Statement; parents: bigint | bigint[] } {
  const above = table.parent.table;
  const [only, ...others] = parents;
  if (only === undefined || others.length > 0 || isBelowWorkspace(above)) {
    const text = () =>
      `select p.id as "parentId", ${value('p.id', 'p.workspace_id')} as "value" from ${ownedParents(above)}`;
    return { statement: statement(`${table.name}.${name}`, text), parents: [...new Set(parents)] };
  }
  const text = () =>
    `select $3::bigint as "parentId", ${value('$3', '$3')} as "value" where ${isOwned(above, '$3', '$3')}`;
  return { statement: statement(`${table.name}.${name}_one`, text), parents: only };
}

/** What `perParent` gave, by the parents' ids. */
function valuesOf(rows: RowBlock): Map<string | null, string | null> {
  return new Map(
    rows.map((block, index) => {
      const row = new BlockRow(block, index);
      return [textOf(row, 0), textOf(row, 1)];
    }),
  );
}
