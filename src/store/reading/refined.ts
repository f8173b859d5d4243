// Lists that a saved filter selects. Where indexes have what all of it selects in the list's order, a page is read from there at once. For
// anything else, what a page costs is bounded before it is read, in four steps: the list itself is walked in its order, or what one of the
// criteria selects if an index has that in the list's order, which soon finds a page of what many rows match; if that does not end the page,
// a criterion that few rows match is read from its index; if there is none, the walk goes further, and then a criterion that many rows match
// is read, up to a limit. What needs more than that is refused. The next page of the same filter begins with the step that gave the last one
// (last-steps.ts). Every step but the first waits in the queue of expensive reads. Each of them alone gives all rows of a page, or tells
// that it does not.
import { AppError } from '../../errors.ts';
import type { Page, PageRequest, Selection } from '../../pagination.ts';
import { attributesOf } from '../../resources/refine-attributes.ts';
import { selectList } from '../../rows/columns.ts';
import { BlockRow, NO_ROWS, type RowBlock, startOf, textOf } from '../../rows/row-block.ts';
import {
  type Condition,
  inPairs,
  isProvided,
  providedValues,
  type Reading,
  type RefineCriteria,
  refinedCondition,
  refinedStatement,
  type Source,
} from '../sql/refined.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import { type Table, withWorkspace } from '../tables/table.ts';
import type { Owners } from '../tenancy/row-owners.ts';
import { type Count, MAX_EXACT_COUNT, NUMBERS, type Probe, toBounds } from './counts.ts';
import { lastStepOf } from './last-steps.ts';
import { between, isOwned } from './parents.ts';
import { project } from './projections.ts';
import { readRows, scanRows } from './reads.ts';
import { limitOf, orderFields, scanDirection, toPage, withSort } from './rows.ts';
import {
  BOUNDS,
  boundsOf,
  conditionOf,
  MAX_MERGED_ROWS,
  orderOf,
  rangeOf,
  rangeOfValue,
  selectionOf,
} from './selections.ts';
import { readSettled } from './settled.ts';

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

/** A source whose parameters have their numbers. */
interface PlacedSource extends Omit<Source, 'ids'> {
  ids(reading: Reading): string;
  /** The place of its part. */
  readonly part: number;
}

/** The conditions on a list's rows `t` with all parameters. `$3` is the workspace. */
interface Conditions {
  /** Their SQL, one for each part. */
  readonly parts: readonly { readonly sql: string; onId?(id: string): string }[];
  readonly values: readonly unknown[];
  /** The ids of all matching rows and perhaps others, each from an index. */
  readonly sources: readonly PlacedSource[];
  /** Whether there is one part, so that its source has no others. */
  readonly isExact: boolean;
}

/** All of some conditions. */
function allOf(conditions: readonly { readonly sql: string }[]): string {
  return conditions.length === 0 ? 'true' : conditions.map(({ sql }) => `(${sql})`).join(' and ');
}

/** @param first the number of the first parameter */
function conditionsOf<R extends Row>(
  { table, criteria }: Pick<RefinedList<R>, 'table' | 'criteria'>,
  selection: Pick<Selection, 'filter'>,
  first: number,
): Conditions {
  const { given, values } = selectionOf(table, selection);
  const parts = [
    ...given.map((filter, index): Condition => listCondition(filter, values[index] ?? [])),
    ...refinedCondition(table.matches, criteria),
  ];
  let next = first;
  const placed = parts.map(({ values, sql, onId, source }, part) => {
    const at = next;
    next += values.length;
    return {
      sql: sql(at),
      ...(onId && { onId: (id: string) => onId(at, id) }),
      source: source && { ...source, part, ids: (reading: Reading) => source.ids(at, reading) },
    };
  });
  const sources = placed.flatMap(({ source }) => source ?? []);
  return {
    parts: placed,
    values: parts.flatMap((part) => part.values),
    sources,
    isExact: parts.length === 1 && sources.length === 1,
  };
}

/** A filter of the list itself. Each has an index. */
function listCondition(filter: AnyTable['filters'][number], values: readonly unknown[]): Condition {
  const { match, array } = filter;
  const sql = (first: number) => conditionOf(filter, `$${first}`);
  return {
    values: [values],
    sql,
    source:
      'table' in match
        ? inPairs(match, array, values.length)
        : {
            ids: (first, reading) => reading.rows(sql(first)),
            ...{ ranges: 1, hasRepeats: false, isOfRows: true, hasTimes: false, orders: [] },
          },
  };
}

/** What a page is read with. */
interface Asked {
  readonly name: string;
  readonly columns: string;
  /** The number of columns. */
  readonly width: number;
  readonly owners: Owners;
  readonly sort: NonNullable<Selection['sort']>;
  readonly direction: 'asc' | 'desc';
  readonly limit: number;
  /** Whether it is the page at an end of the list. */
  readonly isFirst: boolean;
  /** The condition for any row: that the caller owns the list, and what is provided. */
  readonly owned: string;
}

/** A page of the list. @throws AppError `invalid` when it would cost too much; as `scanRows` */
export async function findRefinedPage<R extends Row>(
  ctx: StoreContext,
  list: RefinedList<R>,
  page: PageRequest,
  projection: readonly string[] | null = null,
): Promise<Page<R>> {
  const { table, tenancy } = list;
  const projected = project(table, withSort(projection, page), tenancy.teamId);
  const asked: Asked = {
    name: `${table.name}.refined${projected.suffix}`,
    columns: selectList(projected.columns),
    width: Object.keys(projected.columns).length,
    owners: projected.owners,
    sort: page.sort ?? 'id',
    direction: scanDirection(page),
    limit: limitOf(page),
    isFirst: page.after === null && page.before === null,
    owned: isOwn(table),
  };
  const rows = await readSettled(ctx, {
    ...orderFields(table, page, projected),
    read: (bounds) => readBounded(ctx, list, page, asked, bounds),
  });
  return toPage(rows.map(projected.make), page);
}

/** Whether the list has a row at the probe's position or on its side of it. @throws as `findRefinedPage` */
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
  const rows = await readBounded(ctx, list, probe, asked, boundsOf(toBounds(probe)));
  return rows.length > 0;
}

/** The rows between two positions, by the steps that are described at the top of this file. */
async function readBounded<R extends Row>(
  ctx: StoreContext,
  list: RefinedList<R>,
  selection: Selection,
  given: Asked,
  bounds: unknown[],
): Promise<RowBlock> {
  const { table, tenancy, workspaceId, limits = LIMITS } = list;
  const { owners, sort, limit, name } = given;
  const conditions = conditionsOf(list, selection, 5 + BOUNDS[sort]);
  const { sources, isExact } = conditions;
  const first = [tenancy.teamId, tenancy.workspaceIds, workspaceId, limit, ...bounds, ...conditions.values];
  const { provided } = selection;
  const values = provided === undefined ? first : [...first, ...providedValues(provided)];
  const asked =
    provided === undefined
      ? given
      : { ...given, owned: `${given.owned} and ${isProvided(first.length + 1)}` };
  const readBy = (read: typeof readRows, step: string, text: string) =>
    read(ctx, refinedStatement(`${name}.${step}`, withWorkspace(text, '$3')), values, tenancy, owners);

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
    `The saved filter cannot be applied to this list: among ${walked} objects too few match all of it, and ${why}. Add a criterion that selects fewer, by one of ${indexed.join(', ')}.`,
  );
}

/** The index of the smallest number that is not above its limit; null for none. */
function leastOf(found: readonly number[], most: readonly number[]): number | null {
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

/** The rows `t` of a list with a condition, in order. */
function inOrder(
  table: AnyTable,
  { sort, direction }: Asked,
  columns: string,
  limits: string,
  condition = 'true',
): string {
  const range = between(table, '$3', '$3', `${rangeOf(sort, 5, 't.id')} and ${condition}`);
  return `select ${columns} from ${table.name} t where ${range} order by ${orderOf(sort, direction)} ${limits}`;
}

/** What of a row tells its place in the list. */
const placeOf = (sort: Asked['sort'], alias = 't') =>
  sort === 'id' ? `${alias}.id` : `${alias}.id, ${alias}.updated_at`;

/** Reads whole ranges. @param columns of the list's rows `t` */
function wholeRanges(table: AnyTable, columns = 't.id'): Reading {
  const rows = (condition: string) =>
    `select ${columns} from ${table.name} t where ${between(table, '$3', '$3', condition)}`;
  return {
    rows,
    equal: (key, value) => rows(`${key} = ${value}`),
    pairs: ({ table: pairs, row, value: column }, value) =>
      `select b.${row} as id from ${pairs} b where b.workspace_id = $3 and b.${column} = ${value}`,
  };
}

/**
 * Reads the first rows of each range, in the list's order. Those with a value are compared with it and the positions at once, and ordered by
 * it first, although all have the same: so only an index that begins with it has them in order, whatever the planner knows of the table.
 */
function rangesInOrder(table: AnyTable, asked: Asked, columns: string, limits: string): Reading {
  const { sort, direction } = asked;
  return {
    rows: (condition) => inOrder(table, asked, columns, limits, condition),
    equal(key, value) {
      // As some indexes have only rows that have one.
      const range = `${rangeOfValue(sort, 5, key, value)} and ${key} is not null`;
      return `select ${columns} from ${table.name} t where ${between(table, '$3', '$3', range)}
        order by ${key} ${direction}, ${orderOf(sort, direction)} ${limits}`;
    },
    pairs({ table: pairs, row, value: column }, value) {
      const [key, id] = [`b.${column}`, `b.${row}`];
      return `select ${id} as id from ${pairs} b
        where b.workspace_id = $3 and (${key}, ${id}) > (${value}, $5) and (${key}, ${id}) < (${value}, $6)
        order by ${key} ${direction}, ${id} ${direction} ${limits}`;
    },
  };
}

/** Rows of a list, each as `t`, for a `from` clause. */
interface Ordered {
  readonly sql: string;
  /** The alias whose id and time they are in the order of. */
  readonly alias: string;
}

/** The first rows that a source has in the list's order. */
function fromRanges(table: AnyTable, asked: Asked, source: PlacedSource, limit: string): Ordered {
  const { sort, direction } = asked;
  if (source.isOfRows && source.ranges === 1)
    return { sql: `(${source.ids(rangesInOrder(table, asked, 't.*', limit))}) t`, alias: 't' };
  const place = placeOf(sort);
  const ids = source.ids(rangesInOrder(table, asked, place, limit));
  const each = source.hasRepeats ? 'distinct ' : '';
  const first = `select ${each}${placeOf(sort, 'x')} from (${ids}) x order by ${orderOf(sort, direction, 'x')} ${limit}`;
  return { sql: `(${first}) x cross join lateral (${rowById(table)}) t`, alias: 'x' };
}

/** The row with the id `x.id`. `offset 0` is an optimization fence: no join can start with the rows of the list. */
function rowById(table: AnyTable, condition = 'true'): string {
  return `select t.* from ${table.name} t where t.id = x.id and ${between(table, '$3', '$3', condition)} offset 0`;
}

/** That the caller owns the list. */
const isOwn = (table: AnyTable) => `${isOwned('workspaces', '$3', '$3')} and ${table.narrowed('$2')}`;

/** The page of what a source has in the list's order. */
function orderedOf(table: AnyTable, asked: Asked, source: PlacedSource): string {
  const { sql, alias } = fromRanges(table, asked, source, 'limit $4');
  const order = orderOf(asked.sort, asked.direction, alias);
  return `select ${asked.columns} from ${sql} where ${asked.owned} order by ${order}`;
}

/** The rows of a page `k`, which has their ids and times, with their columns. */
function shownRows(table: AnyTable, { columns, owned }: Asked): string {
  return `select ${columns} from k join ${table.name} t on t.workspace_id = $3 and t.id = k.id where ${owned}`;
}

/**
 * The rows that a walk of the list finds for the page, or of what a source has in its order. In the order of time only what the conditions
 * need is read of other rows, which indexes may have: else each is somewhere else in the table.
 * @param most if given, there is a field behind each row that tells whether the page is complete, and where it is not, how many rows each
 * source has, up to these and one more; and there is a row of nulls where no row was found. This takes longer.
 */
function walkOf(
  table: AnyTable,
  { parts, sources }: Conditions,
  asked: Asked,
  base: PlacedSource | null,
  walked: number,
  most: readonly number[] | null,
): string {
  const { sort, direction, columns, owned } = asked;
  const { sql, alias } =
    base === null
      ? { sql: `(${inOrder(table, asked, 't.*', `limit ${walked}`)}) t`, alias: 't' }
      : fromRanges(table, asked, base, `limit ${walked}`);
  const condition = allOf(parts.filter((_, part) => part !== base?.part));
  const matching = (selected: string, condition: string) =>
    `select ${selected} from ${sql} where ${condition} order by ${orderOf(sort, direction, alias)} limit $4`;
  const matches =
    sort === 'id' ? matching(columns, `${owned} and ${condition}`) : matching(placeOf(sort), condition);
  if (most === null)
    return sort === 'id'
      ? matches
      : `with k as materialized (${matches}) ${shownRows(table, asked)} order by ${orderOf(sort, direction)}`;
  const behind = `offset ${walked} limit 1`;
  const next =
    base === null
      ? inOrder(table, asked, '1', behind)
      : base.ids(rangesInOrder(table, asked, placeOf(sort), behind));
  const counts = sources.map(
    ({ ids }, index) =>
      `, case when not s.is_complete then
        (select count(*) from (select from (${ids(wholeRanges(table))}) x limit ${(most[index] ?? 0) + 1}) x) end`,
  );
  const [shown, byTime] =
    sort === 'id' ? ['k', ''] : [`lateral (${shownRows(table, asked)})`, `p."${sort}" ${direction}, `];
  return `with k as materialized (${matches}), s as materialized (
      select case when (select count(*) from k) >= $4 then true else not exists (${next}) end as is_complete
    )
    select p.*, s.is_complete${counts.join('')} from s left join ${shown} p on true order by ${byTime}p.id ${direction}`;
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

/** The ids of a source, each once. `offset 0` is an optimization fence: the planner cannot scan the list instead. */
function idsOf({ ids, hasRepeats }: PlacedSource, reading: Reading): string {
  return `(select ${hasRepeats ? 'distinct ' : ''}x.* from (${ids(reading)}) x offset 0) x`;
}

/**
 * Reads the rows of a source. Where it tells what they are ordered by, this is all that is read at first, then rows until the page is full;
 * else all rows. Conditions that need no more than an id come before the row is read.
 */
function sourceOf(
  table: AnyTable,
  { parts, sources, isExact }: Conditions,
  asked: Asked,
  index: number,
): string {
  const { sort, direction, columns, owned } = asked;
  const source = sources[index];
  if (source === undefined) throw new TypeError('There is no such source.');
  const order = orderOf(sort, direction);
  if (sort !== 'id' && !source.isOfRows) {
    const range = `${rangeOf(sort, 5, 't.id')} and ${allOf(parts)}`;
    return `with k as materialized (
        select ${placeOf(sort)} from ${idsOf(source, wholeRanges(table))} cross join lateral (${rowById(table, range)}) t
        order by ${order} limit $4
      ) ${shownRows(table, asked)} order by ${order}`;
  }
  const orderOfIds = orderOf(sort, direction, 'x');
  const inRange = `select x.* from ${idsOf(source, wholeRanges(table, placeOf(sort)))}
    where ${rangeOf(sort, 5, 'x.id', 'x.updated_at')} order by ${orderOfIds}`;
  const others = parts.filter((_, part) => part !== source.part);
  const early = others.flatMap(({ onId }) => (onId === undefined ? [] : [{ sql: onId('x.id') }]));
  const late = others.filter(({ onId }) => onId === undefined);
  return `select ${columns} from (${inRange} ${isExact ? 'limit $4' : 'offset 0'}) x cross join lateral (${rowById(table, allOf(late))}) t
    where ${owned} and ${allOf(early)} order by ${orderOfIds} limit $4`;
}

/**
 * The number of rows of the list: exact as far as an index tells, or where the list is short. Else it is how many there are among the first
 * ones.
 * @throws AppError `too_many_requests` when the team has too many expensive reads waiting
 */
export async function countRefined<R extends Row>(
  ctx: StoreContext,
  list: RefinedList<R>,
  selection: Selection,
): Promise<Count> {
  const { table, tenancy, workspaceId } = list;
  const conditions = conditionsOf(list, selection, 4);
  const { sources } = conditions;
  const sql = allOf(conditions.parts);
  const isExact = conditions.isExact && sources[0]?.hasRepeats === false;
  const limit = MAX_EXACT_COUNT + 1;
  const values = [tenancy.teamId, tenancy.workspaceIds, workspaceId, ...conditions.values];
  const numbers = async (name: string, selected: readonly string[]) => {
    if (selected.length === 0) return [];
    // Never evaluated: it tells PostgreSQL the types of all parameters.
    const types = `(select from ${table.name} t where false and ${sql})`;
    const text = withWorkspace(
      `select ${selected.join(', ')} where ${isOwn(table)} and not exists ${types}`,
      '$3',
    );
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
      ({ ids }) => `(select count(*) from (select from (${ids(wholeRanges(table))}) x limit ${limit}) x)`,
    ),
  );
  if (isExact) return upTo(found[0] ?? 0);
  const least =
    sources[
      leastOf(
        found,
        found.map(() => MAX_EXACT_COUNT),
      ) ?? -1
    ];
  const listed = between(table, '$3', '$3', 't.id > 0');
  if (least !== undefined) {
    const matching = `select from ${table.name} t where ${listed} and t.id = x.id and ${sql} offset 0`;
    const [count = 0] = await numbers('refined_count', [
      `(select count(*) from ${idsOf(least, wholeRanges(table))} cross join lateral (${matching}) t)`,
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

/** A statement that compares more than this, over all its rows, waits in the queue of expensive reads: it takes long to plan. */
const FEW_COMPARISONS = 100;

/**
 * Which rows of a table match each of several saved filters, by their ids. Those that the workspace does not have are left out.
 * @throws AppError as `readRows` and `scanRows` do
 */
export async function findMatches<R extends Row>(
  ctx: StoreContext,
  { table, tenancy, workspaceId }: Omit<RefinedList<R>, 'criteria' | 'version'>,
  ids: readonly bigint[],
  filters: readonly RefineCriteria[],
): Promise<Map<bigint, boolean[]>> {
  const values: unknown[] = [tenancy.teamId, tenancy.workspaceIds, workspaceId, ids];
  const matches = filters.map((criteria) => {
    const { parts, values: more } = conditionsOf({ table, criteria }, {}, values.length + 1);
    values.push(...more);
    return `, (${allOf(parts)}) is true`;
  });
  const text = `select t.workspace_id, t.id${matches.join('')} from ${table.name} t where t.workspace_id = $3
    and t.id = any($4::bigint[]) and ${table.visible} and ${isOwn(table)}`;
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
