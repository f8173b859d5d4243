// Lists that a saved filter selects. Where indexes have what all of it selects in the list's order, a page is read from there at once. For
// anything else, what a page costs is bounded before it is read, in four steps: the list itself is walked in its order, or what one of the
// criteria selects if an index has that in the list's order, which soon finds a page of what many rows match; if that does not end the page,
// a criterion that few rows match is read from its index; if there is none, the walk goes further, and then a criterion that many rows match
// is read, up to a limit. What needs more than that is refused. The next page of the same filter begins with the step that gave the last one
// (last-steps.ts). Every step but the first waits in the queue of expensive reads. Each of them alone gives all rows of a page, or tells
// that it does not.
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
import { project } from './projections.ts';
import { readRows, scanRows } from './reads.ts';
import { type Asked, conditionsOf, isOwn, orderedOf, sourceOf, walkOf } from './refined-statements.ts';
import { BOUNDS, type Bounds, boundsOf, MAX_MERGED_ROWS, parametersOf } from './selections.ts';

type Row = { id: bigint };
type AnyTable = Table<Row>;

/** What the steps may read, in rows. */
const LIMITS = {
  /** How many the first and the third step walk. */
  fewWalked: 1_000,
  manyWalked: 100_000,
  /** How many a criterion may match in the second step: where the index has what they are ordered by, and where all of them are read. */
  fewInIndex: 25_000,
  fewFound: 2_500,
  /** The same in the fourth step. */
  manyFound: 100_000,
  /** Where the index alone tells which rows match. */
  manyInIndex: 2_000_000,
} as const;

/** A list of one workspace, and what selects its rows. */
export interface RefinedList<R extends Row> {
  readonly table: Table<R>;
  readonly tenancy: Tenancy;
  readonly workspaceId: bigint;
  readonly criteria: RefineCriteria;
  /** Tells the saved filter, and each of its versions, apart from all others. */
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
  const asked: Asked = {
    name: `${list.table.name}.refined_exists${suffix}`,
    columns: selectList(columns),
    width: Object.keys(columns).length,
    owners,
    sort: probe.sort ?? 'id',
    direction: 'asc',
    limit: 1,
    isFirst: false,
    owned: isOwn(list.table),
  };
  const rows = await readBounded(ctx, { list, selection: probe, asked }, boundsOf(toBounds(probe)));
  return rows.length > 0;
}

/** What rows of such a list are read by. */
export interface RefinedRead {
  readonly list: RefinedList<Row>;
  readonly selection: Selection;
  readonly asked: Asked;
}

/**
 * The rows between two positions, by the steps that are described at the top of this file.
 * @throws AppError `invalid` when they would cost too much; as `scanRows`
 */
export async function readBounded(
  ctx: StoreContext,
  { list, selection, asked: given }: RefinedRead,
  bounds: Bounds,
): Promise<RowBlock> {
  const { table, tenancy, workspaceId, limits = LIMITS } = list;
  const { owners, sort, limit, name } = given;
  const conditions = conditionsOf(list, selection, 5 + BOUNDS[sort]);
  const { sources, isExact } = conditions;
  const first = [
    tenancy.teamId,
    tenancy.workspaceIds,
    workspaceId,
    limit,
    ...parametersOf(bounds),
    ...conditions.values,
  ];
  const { provided } = selection;
  const values = provided === undefined ? first : [...first, ...providedValues(provided)];
  const asked =
    provided === undefined
      ? given
      : { ...given, owned: `${given.owned} and ${isProvided(first.length + 1)}` };
  const readBy = (read: typeof readRows, step: string, text: string) =>
    read(ctx, refinedStatement(`${name}.${step}`, text), values, tenancy, owners);

  const ordered = sources.filter(({ orders }) => orders.includes(sort));
  if (isExact && ordered[0] !== undefined) {
    const read = ordered[0].ranges * limit > MAX_MERGED_ROWS ? scanRows : readRows;
    return readBy(read, 'o', orderedOf(table, asked, ordered[0]));
  }
  // Several ranges would have to be merged before the first row is known.
  const base = ordered.find(({ ranges }) => ranges === 1) ?? null;
  /** @param isLikely whether the page is probably full: then this is all that has to be known */
  const walk = async (
    read: typeof readRows,
    walked: number,
    most: readonly number[],
    isLikely: boolean,
  ): Promise<Walked> => {
    if (isLikely) {
      const rows = await readBy(read, 'p', walkOf(table, conditions, asked, base, walked, null));
      if (rows.length >= limit) return { rows, isComplete: true, found: [] };
    }
    return toWalked(await readBy(read, 'w', walkOf(table, conditions, asked, base, walked, most)), asked);
  };
  const fromIndex = (index: number) => readBy(scanRows, 's', sourceOf(table, conditions, asked, index));
  const mostOf = (inIndex: number, found: number) =>
    sources.map(({ hasTimes }) => (sort === 'id' || hasTimes ? inIndex : found));

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
    const few = leastOf(near.found, most);
    if (few !== null) {
      remember(few);
      return fromIndex(few);
    }
  }
  const isInIndex = isExact && sort === 'id' && sources[0]?.hasRepeats === false;
  const most = isInIndex ? limits.manyInIndex : limits.manyFound;
  const all = sources.map(() => most);
  const far = await walk(scanRows, limits.manyWalked, all, last === 'far');
  if (far.isComplete) {
    remember(far.rows.length >= limit ? 'far' : 'end');
    return far.rows;
  }
  const many = leastOf(far.found, all);
  if (many !== null) {
    // It may have led to where a short walk finds the next page.
    if (isFirst) remember(many);
    return fromIndex(many);
  }
  throw tooCostly(table, sources.length > 0, limits.manyWalked, most);
}

/** The 422 for a page that would read too many rows. */
function tooCostly({ resource }: AnyTable, hasIndex: boolean, walked: number, found: number): AppError {
  const attributes = Object.entries(attributesOf(resource.refinedBy ?? '') ?? {});
  const indexed = attributes.flatMap(([name, { index }]) => (index === undefined ? [] : [name]));
  const why = hasIndex
    ? `its most selective criterion matches more than ${found} objects`
    : 'none of its criteria has an index';
  return new AppError(
    'invalid',
    `The saved filter cannot be applied to this list: among ${walked} objects too few match all of it, and ${why}. Add a criterion by one of ${indexed.join(', ')}.`,
  );
}

/** The index of the smallest number that is not above its limit; null for none. */
export function leastOf(found: readonly number[], most: readonly number[]): number | null {
  const within = found.map((count, index) =>
    count <= (most[index] ?? 0) ? count : Number.POSITIVE_INFINITY,
  );
  const least = Math.min(...within);
  return least === Number.POSITIVE_INFINITY ? null : within.indexOf(least);
}

/** What a walk has found. */
interface Walked {
  readonly rows: RowBlock;
  /** Whether these are all rows of the page. */
  readonly isComplete: boolean;
  /** If not: how many rows each source has, up to a limit and one more. */
  readonly found: readonly number[];
}

function toWalked(block: RowBlock, { width }: Asked): Walked {
  const first = new BlockRow(block, 0);
  const found: number[] = [];
  for (let field = width + 1; field < block.width; field++) found.push(Number(textOf(first, field) ?? 0));
  return {
    rows: startOf(first, 0) < 0 ? NO_ROWS : block,
    isComplete: textOf(first, width) === 't',
    found,
  };
}
