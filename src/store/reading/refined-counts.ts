// Counts the rows of a list that match a saved filter, and tests rows against saved filters.
import type { Selection } from '../../pagination.ts';
import { BlockRow, textOf } from '../../rows/row-block.ts';
import { type RefineCriteria, refinedStatement } from '../sql/refined.ts';
import type { Values } from '../sql/statements.ts';
import type { StoreContext } from '../store.ts';
import type { Owners } from '../tenancy/row-owners.ts';
import { type Count, MAX_EXACT_COUNT, NUMBERS } from './counts.ts';
import { between, rowById, rowsById } from './parents.ts';
import { readRows, scanRows } from './reads.ts';
import { indexOfLeast, type RefinedList } from './refined.ts';
import { allOf, BELOW_WORKSPACE, completeRanges, conditionsOf, idsOf, isOwn } from './refined-statements.ts';

type Row = { id: bigint };

/**
 * Counts the rows of the list: exactly if an index or a short list allows it, otherwise only among the first rows.
 * @throws AppError `too_many_requests` if the team has too many expensive reads waiting
 */
export async function countRefined<R extends Row>(
  ctx: StoreContext,
  list: RefinedList<R>,
  selection: Selection,
): Promise<Count> {
  const { table, tenancy, workspaceId } = list;
  const conditions = conditionsOf(list, selection);
  const { sources } = conditions;
  const sql = allOf(conditions.parts);
  const isExact = conditions.isExact && sources[0]?.hasRepeats === false;
  const limit = MAX_EXACT_COUNT + 1;
  const values = {
    team: tenancy.teamId,
    workspaces: tenancy.workspaceIds,
    workspace_id: workspaceId,
    ...conditions.values,
  };
  const numbers = async (name: string, selected: readonly string[]) => {
    if (selected.length === 0) return [];
    const text = `select ${selected.join(', ')} where ${isOwn(table)}`;
    const block = await scanRows(
      ctx,
      refinedStatement(`${table.name}.${name}`, text),
      values,
      tenancy,
      NUMBERS,
    );
    return block.length === 0
      ? []
      : selected.map((_, field) => Number(textOf(new BlockRow(block, 0), field)));
  };
  const upTo = (count: number): Count => ({
    count: Math.min(count, MAX_EXACT_COUNT),
    isExact: count <= MAX_EXACT_COUNT,
  });

  const found = await numbers(
    'refined_sources',
    sources.map(
      ({ ids }) => `(select count(*) from (select from (${ids(completeRanges(table))}) x limit ${limit}) x)`,
    ),
  );
  if (isExact) return upTo(found[0] ?? 0);
  const least =
    sources[
      indexOfLeast(
        found,
        sources.map(({ most = MAX_EXACT_COUNT }) => most),
      ) ?? -1
    ];
  const listed = between(table, BELOW_WORKSPACE, 't.id > 0');
  if (least !== undefined) {
    const row = rowById(table.name, between(table, BELOW_WORKSPACE, 't.id = x.id'));
    const matching = `select from ${row} where ${sql} offset 0`;
    const [count = 0] = await numbers('refined_count', [
      `(select count(*) from ${idsOf(least, completeRanges(table))} cross join lateral (${matching}) t)`,
    ]);
    return upTo(count);
  }
  const walked = (limits: string) =>
    `(select t.* from ${table.name} t where ${listed} order by t.id ${limits}) t`;
  const [count = 0, more = 0] = await numbers('refined_count', [
    `(select count(*) from ${walked(`limit ${MAX_EXACT_COUNT}`)} where ${sql})`,
    `(select count(*) from ${walked(`offset ${MAX_EXACT_COUNT} limit 1`)})`,
  ]);
  return { count, isExact: more === 0 };
}

/**
 * A statement with more comparisons than this, over all its rows, waits in the queue of expensive reads, because planning it takes long.
 */
const FEW_COMPARISONS = 100;

/**
 * Finds the rows of a table that match each of several saved filters, by filter id. Leaves out filters that the workspace does not have.
 * @throws AppError as `readRows` and `scanRows` do
 */
export async function findMatches<R extends Row>(
  ctx: StoreContext,
  { table, tenancy, workspaceId }: Omit<RefinedList<R>, 'criteria' | 'version'>,
  ids: readonly bigint[],
  filters: readonly RefineCriteria[],
): Promise<Map<bigint, boolean[]>> {
  const conditions = filters.map((criteria, index) =>
    conditionsOf({ table, criteria }, {}, `filter_${index + 1}_criterion`),
  );
  const matches = conditions.map(({ parts }) => `, (${allOf(parts)}) is true`);
  const values: Values = Object.assign(
    { team: tenancy.teamId, workspaces: tenancy.workspaceIds, workspace_id: workspaceId, ids },
    ...conditions.map((one) => one.values),
  );
  const text = `select t.workspace_id, t.id${matches.join('')} from ${rowsById(table, '$workspace_id', 'select unnest($ids::bigint[])')}
    where t.workspace_id = $workspace_id and ${table.visible} and ${isOwn(table)}`;
  const owners: Owners = [{ of: 'workspace', field: 0, row: 0 }];
  const comparisons = filters.reduce((sum, { criteria }) => sum + criteria.length, 0) * ids.length;
  const read = comparisons > FEW_COMPARISONS ? scanRows : readRows;
  const block = await read(ctx, refinedStatement(`${table.name}.matches`, text), values, tenancy, owners);
  return new Map(
    Array.from({ length: block.length }, (_, index) => {
      const row = new BlockRow(block, index);
      return [BigInt(textOf(row, 1) ?? 0), filters.map((_filter, field) => textOf(row, field + 2) === 't')];
    }),
  );
}
