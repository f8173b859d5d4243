// Lists that a saved filter selects. Any criteria are possible, so what a page costs is bounded before it is read, in four steps: the list
// itself is walked in its order, which soon finds a page of what many rows match; if that does not end the page, a criterion that few rows
// match is read from its index; if there is none, the list is walked further, and then a criterion that many rows match is read, up to a
// limit. What needs more than that is refused. The next page of the same filter begins with the step that gave the last one
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
  type RefineCriteria,
  refinedCondition,
  refinedStatement,
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
import { BOUNDS, boundsOf, conditionOf, orderOf, rangeOf, selectionOf } from './selections.ts';
import { readSettled } from './settled.ts';

type Row = { id: bigint };
type AnyTable = Table<Row>;

/** What the steps may read, in rows. */
const LIMITS = {
  /** How many the first and the third step walk. */
  fewWalked: 1_000,
  manyWalked: 100_000,
  /** How many a criterion may match in the second step: in the order of ids, and in the order of time, where all of them are read. */
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

/** The condition on a list's rows `t` with all parameters. `$3` is the workspace. */
interface Conditions {
  readonly sql: string;
  readonly values: readonly unknown[];
  /** The SQL of the ids of all matching rows and perhaps others, each from an index. */
  readonly sources: readonly { readonly ids: string; readonly hasRepeats: boolean }[];
  /** Whether there is one criterion, so that its source has no others, and each id once. */
  readonly isExact: boolean;
}

/** @param first the number of the first parameter */
function conditionsOf<R extends Row>(
  { table, criteria }: Pick<RefinedList<R>, 'table' | 'criteria'>,
  selection: Pick<Selection, 'filter'>,
  first: number,
): Conditions {
  const rows = (condition: string) =>
    `select t.id from ${table.name} t where ${between(table, '$3', '$3', condition)}`;
  const { given, values } = selectionOf(table, selection);
  const parts = [
    ...given.map((filter, index): Condition => listCondition(filter, values[index] ?? [])),
    ...refinedCondition(table.matches, criteria),
  ];
  let next = first;
  const placed = parts.map((part) => {
    const at = next;
    next += part.values.length;
    const { source } = part;
    return {
      sql: part.sql(at),
      sources: source === null ? [] : [{ ids: source.ids(at, rows), hasRepeats: source.hasRepeats }],
    };
  });
  const sources = placed.flatMap((part) => part.sources);
  return {
    sql: withWorkspace(placed.map(({ sql }) => `(${sql})`).join(' and '), '$3'),
    values: parts.flatMap((part) => part.values),
    sources,
    isExact: parts.length === 1 && sources[0]?.hasRepeats === false,
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
        ? inPairs(match, array)
        : { ids: (first, rows) => rows(sql(first)), hasRepeats: false },
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
  const { columns, owners, suffix } = project(list.table, ['id'], list.tenancy.teamId);
  const asked: Asked = {
    name: `${list.table.name}.refined_exists${suffix}`,
    columns: selectList(columns),
    width: Object.keys(columns).length,
    owners,
    sort: probe.sort ?? 'id',
    direction: 'asc',
    limit: 1,
    isFirst: false,
  };
  const rows = await readBounded(ctx, list, probe, asked, boundsOf(toBounds(probe)));
  return rows.length > 0;
}

/** The rows between two positions, by the steps that are described at the top of this file. */
async function readBounded<R extends Row>(
  ctx: StoreContext,
  list: RefinedList<R>,
  selection: Selection,
  asked: Asked,
  bounds: unknown[],
): Promise<RowBlock> {
  const { table, tenancy, workspaceId, limits = LIMITS } = list;
  const { owners, sort, limit, name } = asked;
  const conditions = conditionsOf(list, selection, 5 + BOUNDS[sort]);
  const { sources, isExact } = conditions;
  const values = [tenancy.teamId, tenancy.workspaceIds, workspaceId, limit, ...bounds, ...conditions.values];
  const walk = async (read: typeof readRows, walked: number, found: number) =>
    toWalked(
      await read(
        ctx,
        refinedStatement(`${name}.w`, walkOf(table, conditions, asked, walked, found)),
        values,
        tenancy,
        owners,
      ),
      asked,
    );
  const fromIndex = (index: number) => {
    const text = sourceOf(table, conditions, asked, index);
    return scanRows(ctx, refinedStatement(`${name}.s`, text), values, tenancy, owners);
  };

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
  const fewFound = sort === 'id' ? limits.fewInIndex : limits.fewFound;
  if (last === undefined) {
    const near = await walk(readRows, limits.fewWalked, fewFound);
    if (near.isComplete) return near.rows;
    const few = leastOf(near.found, fewFound);
    if (few !== null) {
      remember(few);
      return fromIndex(few);
    }
  }
  const most = isExact && sort === 'id' ? limits.manyInIndex : limits.manyFound;
  const far = await walk(scanRows, limits.manyWalked, most);
  if (far.isComplete) {
    remember('far');
    return far.rows;
  }
  const many = leastOf(far.found, most);
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

/** The index of the smallest number that is not above the limit; null for none. */
function leastOf(found: readonly number[], most: number): number | null {
  const least = Math.min(...found);
  return least <= most ? found.indexOf(least) : null;
}

/** What a walk has found. */
interface Walked {
  readonly rows: RowBlock;
  /** Whether these are all rows of the page. */
  readonly isComplete: boolean;
  /** If not: how many rows each source has, up to a limit and one more. */
  readonly found: readonly number[];
}

/** The ids and times of the rows of a list, in order. */
function inOrder(table: AnyTable, { sort, direction }: Asked, columns: string, limits: string): string {
  const range = between(table, '$3', '$3', rangeOf(sort, 5, 't.id'));
  return `select ${columns} from ${table.name} t where ${range} order by ${orderOf(sort, direction)} ${limits}`;
}

/** The rows of a page `k`, which has their ids and times, with their columns. */
function shownRows(table: AnyTable, { columns }: Asked): string {
  return `select ${columns} from k join ${table.name} t on t.workspace_id = $3 and t.id = k.id
    where ${isOwned('workspaces', '$3', '$3')} and ${table.narrowed('$2')}`;
}

const timeOf = (sort: Asked['sort']) => (sort === 'id' ? '' : ', t.updated_at');

/**
 * Walks the list. Where the page is not complete, counts what the sources have. There is a row of nulls where no row was found.
 */
function walkOf(
  table: AnyTable,
  conditions: Conditions,
  asked: Asked,
  walked: number,
  found: number,
): string {
  const { sort, direction } = asked;
  const byTime = sort === 'id' ? '' : `p."${sort}" ${direction}, `;
  const counts = conditions.sources.map(
    ({ ids }) =>
      `, case when not s.is_complete then (select count(*) from (select from (${ids}) x limit ${found + 1}) x) end`,
  );
  return withWorkspace(
    `with k as materialized (
      select t.id${timeOf(sort)} from (${inOrder(table, asked, 't.*', `limit ${walked}`)}) t
      where ${conditions.sql} order by ${orderOf(sort, direction)} limit $4
    ), s as materialized (
      select case when (select count(*) from k) >= $4 then true
        else not exists (${inOrder(table, asked, '1', `offset ${walked} limit 1`)}) end as is_complete
    )
    select p.*, s.is_complete${counts.join('')} from s left join lateral (${shownRows(table, asked)}) p on true
    order by ${byTime}p.id ${direction}`,
    '$3',
  );
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
function idsOf({ ids, hasRepeats }: Conditions['sources'][number]): string {
  return `(select ${hasRepeats ? 'distinct ' : ''}x.id from (${ids}) x offset 0) x`;
}

/**
 * Reads the rows of a source. In the order of ids only their ids are read first, then rows until the page is full; in the order of time,
 * all rows.
 */
function sourceOf(table: AnyTable, conditions: Conditions, asked: Asked, index: number): string {
  const { sort, direction } = asked;
  const source = conditions.sources[index];
  if (source === undefined) throw new TypeError('There is no such source.');
  const inRange = `select x.id from ${idsOf(source)} where ${rangeOf('id', 5, 'x.id')} order by x.id ${direction}`;
  const range = between(table, '$3', '$3', rangeOf(sort, 5, 't.id'));
  const rowOf = `cross join lateral (
      select t.id, t.updated_at from ${table.name} t where t.id = x.id and ${range} and ${conditions.sql} offset 0
    ) t`;
  const byId = conditions.isExact
    ? `${inRange} limit $4`
    : `select x.id from (${inRange}) x ${rowOf} order by x.id ${direction} limit $4`;
  const byTime = `select t.id, t.updated_at from ${idsOf(source)} ${rowOf} order by ${orderOf(sort, direction)} limit $4`;
  return withWorkspace(
    `with k as materialized (${sort === 'id' ? byId : byTime}) ${shownRows(table, asked)} order by ${orderOf(sort, direction)}`,
    '$3',
  );
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
  const { sources, isExact } = conditions;
  const limit = MAX_EXACT_COUNT + 1;
  const owned = `${isOwned('workspaces', '$3', '$3')} and ${table.narrowed('$2')}`;
  const values = [tenancy.teamId, tenancy.workspaceIds, workspaceId, ...conditions.values];
  const numbers = async (name: string, selected: readonly string[]) => {
    if (selected.length === 0) return [];
    // Never evaluated: it tells PostgreSQL the types of all parameters.
    const types = `(select from ${table.name} t where false and ${conditions.sql})`;
    const text = withWorkspace(`select ${selected.join(', ')} where ${owned} and not exists ${types}`, '$3');
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
    sources.map(({ ids }) => `(select count(*) from (select from (${ids}) x limit ${limit}) x)`),
  );
  if (isExact) return upTo(found[0] ?? 0);
  const least = sources[leastOf(found, MAX_EXACT_COUNT) ?? -1];
  const listed = between(table, '$3', '$3', 't.id > 0');
  if (least !== undefined) {
    const matching = `select from ${table.name} t where ${listed} and t.id = x.id and ${conditions.sql} offset 0`;
    const [count = 0] = await numbers('refined_count', [
      `(select count(*) from ${idsOf(least)} cross join lateral (${matching}) t)`,
    ]);
    return upTo(count);
  }
  const walked = (limits: string) =>
    `(select t.* from ${table.name} t where ${listed} order by t.id ${limits}) t`;
  const [count = 0, more = 0] = await numbers('refined_count', [
    `(select count(*) from ${walked(`limit ${MAX_EXACT_COUNT}`)} where ${conditions.sql})`,
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
    const { sql, values: more } = conditionsOf({ table, criteria }, {}, values.length + 1);
    values.push(...more);
    return `, (${sql}) is true`;
  });
  const text = `select t.workspace_id, t.id${matches.join('')} from ${table.name} t where t.workspace_id = $3
    and t.id = any($4::bigint[]) and ${table.visible} and ${isOwned('workspaces', '$3', '$3')} and ${table.narrowed('$2')}`;
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
