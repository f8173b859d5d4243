// Reads lists with a saved filter. If an index has all rows of the filter in the list's order, the page is read from there. Otherwise the
// cost of a page is limited before it is read, in four steps: first, a short walk through the list, or through the rows of a criterion
// whose index has the list's order, which soon fills a page if many rows match; second, a criterion that few rows match is read from its
// index; third, if there is none, the walk goes further; fourth, a criterion that many rows match is read, up to a limit. A page that needs
// more is refused. The next page of the same filter begins with the step that read the last one (last-steps.ts). Every step but the first
// waits in the queue of expensive reads. Each step alone returns all rows of a page, or reports that it does not.
import { AppError } from '../../errors.ts';
import type { Selection } from '../../pagination.ts';
import { attributesOf } from '../../resources/refine-attributes.ts';
import { selectList } from '../../rows/columns.ts';
import { BlockRow, NO_ROWS, type RowBlock, startOf, textOf } from '../../rows/row-block.ts';
import { isProvided, providedValues, type RefineCriteria, refinedStatement } from '../sql/refined.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import type { Table } from '../tables/table.ts';
import { type Probe, toBounds } from './counts.ts';
import { lastStepOf } from './last-steps.ts';
import { type Bounds, boundsOf, valuesOfBounds } from './positions.ts';
import { project } from './projections.ts';
import { readRows, scanRows } from './reads.ts';
import {
  conditionsOf,
  isOwn,
  orderedPage,
  type RefinedPage,
  sourceStatement,
  walkStatement,
} from './refined-statements.ts';
import { MAX_MERGED_ROWS } from './selections.ts';
import { sortKeyOf } from './sort-keys.ts';

type Row = { id: bigint };
type AnyTable = Table<Row>;

/** The limits of the steps, in rows. */
const LIMITS = {
  /** The rows that the first and the third step walk. */
  fewWalked: 1_000,
  manyWalked: 100_000,
  /** The maximum matches of a criterion in the second step: if the index contains the sort key, and if all rows must be read. */
  fewInIndex: 25_000,
  fewFound: 2_500,
  /** The same for the fourth step. */
  manyFound: 100_000,
  /** If the index alone determines the matching rows. */
  manyInIndex: 2_000_000,
} as const;

/** A list of one workspace, and the saved filter of its rows, or the criteria of the request. */
export interface RefinedList<R extends Row> {
  readonly table: Table<R>;
  readonly tenancy: Tenancy;
  readonly workspaceId: bigint;
  readonly criteria: RefineCriteria;
  /** Criteria that rows must match in addition. */
  readonly others?: RefineCriteria;
  /** Identifies the saved filter and its version, or the criteria. */
  readonly version: string;
  /** Other limits, for tests with fewer rows. */
  readonly limits?: Readonly<Record<keyof typeof LIMITS, number>>;
}

/** Whether the list has a row at the probe's position or on its side of it. @throws as `readBounded` */
export async function existsRefined<R extends Row>(
  ctx: StoreContext,
  list: RefinedList<R>,
  probe: Probe,
): Promise<boolean> {
  const { columns, owners, suffix } = project(list.table, ['id', probe.sort ?? 'id'], list.tenancy.teamId);
  const asked: RefinedPage = {
    name: `${list.table.name}.refined_exists${suffix}`,
    columns: selectList(columns),
    width: Object.keys(columns).length,
    owners,
    key: sortKeyOf(list.table, probe.sort ?? 'id'),
    direction: 'asc',
    limit: 1,
    isFirst: false,
    owned: isOwn(list.table),
  };
  const rows = await readBounded(ctx, { list, selection: probe, asked }, boundsOf(toBounds(probe)));
  return rows.length > 0;
}

/** How the rows of such a list are read. */
export interface RefinedRead {
  readonly list: RefinedList<Row>;
  readonly selection: Selection;
  readonly asked: RefinedPage;
}

/**
 * Reads the rows between two positions in the steps described at the top of this file.
 * @throws AppError `invalid` if they would cost too much; as `scanRows`
 */
export async function readBounded(
  ctx: StoreContext,
  { list, selection, asked: given }: RefinedRead,
  bounds: Bounds,
): Promise<RowBlock> {
  const { table, tenancy, workspaceId, limits = LIMITS } = list;
  const { owners, limit, name } = given;
  const { sort } = given.key;
  const conditions = conditionsOf(list, selection);
  const { sources, isExact } = conditions;
  const { provided } = selection;
  const values = {
    team: tenancy.teamId,
    workspaces: tenancy.workspaceIds,
    workspace_id: workspaceId,
    limit,
    ...valuesOfBounds(bounds),
    ...conditions.values,
    ...(provided && providedValues(provided)),
  };
  const asked =
    provided === undefined ? given : { ...given, owned: `${given.owned} and ${isProvided('$workspace_id')}` };
  const readBy = (read: typeof readRows, step: string, text: string) =>
    read(ctx, refinedStatement(`${name}.${step}`, text), values, tenancy, owners);

  const ordered = sources.filter(({ orders }) => orders.includes(sort));
  if (isExact && ordered[0] !== undefined) {
    const read = ordered[0].ranges * limit > MAX_MERGED_ROWS ? scanRows : readRows;
    return readBy(read, 'o', orderedPage(table, asked, ordered[0]));
  }
  // Only a single range, because several would have to be merged before the first row is available.
  const base = ordered.find(({ ranges }) => ranges === 1) ?? null;
  /** @param isLikely whether the page is probably full; then a cheaper statement is tried first */
  const walk = async (
    read: typeof readRows,
    walked: number,
    most: readonly number[],
    isLikely: boolean,
  ): Promise<WalkResult> => {
    if (isLikely) {
      const rows = await readBy(read, 'p', walkStatement(table, conditions, asked, base, walked, null));
      if (rows.length >= limit) return { rows, isComplete: true, found: [] };
    }
    return toWalked(
      await readBy(read, 'w', walkStatement(table, conditions, asked, base, walked, most)),
      asked,
    );
  };
  const fromIndex = (index: number) =>
    readBy(scanRows, 's', sourceStatement(table, conditions, asked, index));
  const mostOf = (inIndex: number, found: number) =>
    sources.map(({ hasTimes, most = inIndex }) =>
      Math.min(most, sort === 'id' || (sort === 'updatedAt' && hasTimes) ? inIndex : found),
    );

  const { direction, isFirst } = asked;
  const { last, remember } = lastStepOf(
    list.version,
    name,
    sort,
    direction,
    limit,
    isFirst,
    selection.filter ?? {},
  );
  if (typeof last === 'number') return fromIndex(last);
  if (last === undefined || last === 'near') {
    const most = mostOf(limits.fewInIndex, limits.fewFound);
    const near = await walk(readRows, limits.fewWalked, most, last === undefined);
    if (near.isComplete) {
      if (near.rows.length < limit) remember('near');
      return near.rows;
    }
    const few = indexOfLeast(near.found, most);
    if (few !== null) {
      remember(few);
      return fromIndex(few);
    }
  }
  const isInIndex = isExact && sort === 'id' && sources[0]?.hasRepeats === false;
  const most = isInIndex ? limits.manyInIndex : limits.manyFound;
  const all = sources.map((source) => Math.min(source.most ?? most, most));
  const far = await walk(scanRows, limits.manyWalked, all, last === 'far');
  if (far.isComplete) {
    remember(far.rows.length >= limit ? 'far' : 'end');
    return far.rows;
  }
  const many = indexOfLeast(far.found, all);
  if (many !== null) {
    // Not for later pages: they may lie where a short walk finds the next page.
    if (isFirst) remember(many);
    return fromIndex(many);
  }
  throw tooManyRowsToRead(table, sources.length > 0, limits.manyWalked, most);
}

/** The 422 for a page that would read too many rows. */
function tooManyRowsToRead(
  { resource }: AnyTable,
  hasIndex: boolean,
  walked: number,
  found: number,
): AppError {
  const attributes = Object.entries(attributesOf(resource.refinedBy ?? '') ?? {});
  const indexed = attributes.flatMap(([name, { index }]) => (index === undefined ? [] : [name]));
  const why = hasIndex
    ? `its most selective criterion matches more than ${found} objects`
    : 'none of its criteria has an index';
  return new AppError(
    'invalid',
    `The criteria cannot be applied to this list: among ${walked} objects too few match all of them, and ${why}. Add a criterion by one of ${indexed.join(', ')}.`,
  );
}

/** The index of the smallest number within its limit; null if there is none. */
export function indexOfLeast(found: readonly number[], most: readonly number[]): number | null {
  const within = found.map((count, index) =>
    count <= (most[index] ?? 0) ? count : Number.POSITIVE_INFINITY,
  );
  const least = Math.min(...within);
  return least === Number.POSITIVE_INFINITY ? null : within.indexOf(least);
}

/** The result of a walk. */
interface WalkResult {
  readonly rows: RowBlock;
  /** Whether `rows` has all rows of the page. */
  readonly isComplete: boolean;
  /** If not, the number of rows of each source, up to one more than a limit. */
  readonly found: readonly number[];
}

function toWalked(block: RowBlock, { width }: RefinedPage): WalkResult {
  const first = new BlockRow(block, 0);
  const found: number[] = [];
  for (let field = width + 1; field < block.width; field++) found.push(Number(textOf(first, field) ?? 0));
  return {
    rows: startOf(first, 0) < 0 ? NO_ROWS : block,
    isComplete: textOf(first, width) === 't',
    found,
  };
}
