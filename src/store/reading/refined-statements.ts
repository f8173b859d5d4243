// The SQL of lists with a saved filter: walks of the list in its order, the first rows of index ranges in this order, and the rows that a
// criterion selects from its index. refined.ts has the steps that read these.
import type { Selection } from '../../pagination.ts';
import {
  type Condition,
  inPairRange,
  inPairs,
  inRange,
  type Reading,
  type RefineCriteria,
  refinedCondition,
  type Source,
} from '../sql/refined.ts';
import type { SearchMatch } from '../sql/search.ts';
import type { Values } from '../sql/statements.ts';
import type { Table } from '../tables/table.ts';
import type { Owners } from '../tenancy/row-owners.ts';
import { conditionOf } from './filter-conditions.ts';
import { between, isOwned, type PagePlaceholders, rowById, rowsById } from './parents.ts';
import { orderOf, orderOfProjected, placeOf, rangeOf, rangeOfValue } from './positions.ts';
import { type AnyTable, parameterOf, selectionOf } from './selections.ts';
import type { SortKey } from './sort-keys.ts';

/** The parent of every list with a saved filter is a workspace. */
export const BELOW_WORKSPACE: PagePlaceholders = { parent: '$workspace_id', workspace: '$workspace_id' };

/** The source of one part of a list's conditions. */
export interface PartSource extends Source {
  /** The index of its part. */
  readonly part: number;
}

/** The conditions on a list's rows `t`. `$workspace_id` is the list's workspace. */
export interface Conditions {
  readonly parts: readonly Condition[];
  /** The values of all parts. */
  readonly values: Values;
  /** Each source has, from an index, the ids of all matching rows and perhaps of others. */
  readonly sources: readonly PartSource[];
  /** Whether there is only one part, so that its source has no other rows. */
  readonly isExact: boolean;
}

/** The conjunction of conditions. */
export function allOf(conditions: readonly { readonly sql: string }[]): string {
  return conditions.length === 0 ? 'true' : conditions.map(({ sql }) => `(${sql})`).join(' and ');
}

/**
 * The conditions of a saved filter and of the list's own filters.
 * @param prefix how the names of the saved filter's parameters begin; no two saved filters in one statement have the same
 */
export function conditionsOf<R extends { id: bigint }>(
  {
    table,
    criteria,
    others,
  }: {
    readonly table: Table<R>;
    readonly criteria: RefineCriteria;
    readonly others?: RefineCriteria | undefined;
  },
  selection: Pick<Selection, 'filter'>,
  prefix = 'criterion',
): Conditions {
  const { given, values } = selectionOf(table, selection);
  const parts = [
    ...given.map((filter) => listCondition(filter, values[parameterOf(filter)] ?? [])),
    ...refinedCondition(table.matches, criteria, prefix),
    ...(others === undefined ? [] : refinedCondition(table.matches, others, `${prefix}_other`)),
  ];
  const sources = parts.flatMap(({ source }, part) => (source === null ? [] : { ...source, part }));
  return {
    parts,
    values: Object.assign({}, ...parts.map((part) => part.values)),
    sources,
    isExact: parts.length === 1 && sources.length === 1 && sources[0]?.most === undefined,
  };
}

/** A filter of the list itself. Each has an index. */
function listCondition(filter: AnyTable['filters'][number], values: readonly unknown[]): Condition {
  const { match, array } = filter;
  const parameter = parameterOf(filter);
  const sql = conditionOf(filter, `$${parameter}`);
  if ('text' in match)
    return {
      values: { [parameter]: values },
      sql,
      source: match.isExact ? byWords(match, `$${parameter}::${array}`) : null,
    };
  if ('isSet' in match) return { values: {}, sql, source: match.isSet ? inRange(sql) : null };
  if ('isRange' in match)
    return { values: { [parameter]: values }, sql, source: inPairRange(match, `$${parameter}::${array}`) };
  return {
    values: { [parameter]: values },
    sql,
    source: 'table' in match ? inPairs(match, `$${parameter}::${array}`, values.length) : inRange(sql),
  };
}

/** A search costs more for each row than other criteria. */
const FEW_WITH_WORDS = 2_500;

/** Rows with some words. With more of them, another criterion or the list itself is read. */
function byWords({ candidates }: SearchMatch, words: string): Source {
  const limit = String(FEW_WITH_WORDS + 1);
  return {
    ids: () => candidates('$workspace_id', `(select search_patterns(${words}))`, limit),
    most: FEW_WITH_WORDS,
    ...{ ranges: 1, hasRepeats: false, isOfRows: false, hasTimes: false, orders: [] },
  };
}

/** The parts of a page's statement. */
export interface RefinedPage {
  readonly name: string;
  readonly columns: string;
  /** The number of columns. */
  readonly width: number;
  readonly owners: Owners;
  readonly key: SortKey;
  readonly direction: 'asc' | 'desc';
  readonly limit: number;
  /** Whether it is the page at an end of the list. */
  readonly isFirst: boolean;
  /** The condition for any row: the caller owns the list, and the workspace has this version of the saved filter. */
  readonly owned: string;
}

/** The rows `t` of a list with a condition, in order. */
function inOrder(
  table: AnyTable,
  { key, direction }: RefinedPage,
  columns: string,
  limits: string,
  condition = 'true',
): string {
  const range = between(table, BELOW_WORKSPACE, `${rangeOf(key, 't.id')} and ${condition}`);
  return `select ${columns} from ${table.name} t where ${range} order by ${orderOf(key, direction)} ${limits}`;
}

/** Reads complete ranges. @param columns of the list's rows `t` */
export function completeRanges(table: AnyTable, columns = 't.id'): Reading {
  const rows = (condition: string) =>
    `select ${columns} from ${table.name} t where ${between(table, BELOW_WORKSPACE, condition)}`;
  return {
    rows,
    equal: (key, value) => rows(`${key} = ${value}`),
    pairs: ({ table: pairs, row, value: column }, value) =>
      `select b.${row} as id from ${pairs} b where b.workspace_id = $workspace_id and b.${column} = ${value}`,
  };
}

/** Reads the first rows of each range, in the list's order. */
function rangesInOrder(table: AnyTable, asked: RefinedPage, columns: string, limits: string): Reading {
  const { direction } = asked;
  return {
    rows: (condition) => inOrder(table, asked, columns, limits, condition),
    equal(key, value) {
      const { range, order } = rangeOfValue(asked.key, [key, value], direction);
      // `is not null`, because some indexes contain only rows with a value.
      return `select ${columns} from ${table.name} t
        where ${between(table, BELOW_WORKSPACE, `${range} and ${key} is not null`)} order by ${order} ${limits}`;
    },
    pairs({ table: pairs, row, value: column }, value) {
      const [key, id] = [`b.${column}`, `b.${row}`];
      return `select ${id} as id from ${pairs} b
        where b.workspace_id = $workspace_id and (${key}, ${id}) > (${value}, $low_id) and (${key}, ${id}) < (${value}, $high_id)
        order by ${key} ${direction}, ${id} ${direction} ${limits}`;
    },
  };
}

/** Rows of a list as `t`, for a `from` clause. PostgreSQL reads them one by one, as the query consumes them. */
interface Ordered {
  readonly sql: string;
  /** The alias whose id and key determine their order. */
  readonly alias: string;
}

/** The first rows of a source in the list's order. */
function fromRanges(table: AnyTable, asked: RefinedPage, source: PartSource, limit: string): Ordered {
  if (source.isOfRows && source.ranges === 1)
    return { sql: `(${source.ids(rangesInOrder(table, asked, 't.*', limit))}) t`, alias: 't' };
  return {
    sql: `(${firstIds(table, asked, source, limit)}) x cross join lateral (${rowWithId(table)}) t`,
    alias: 'x',
  };
}

/** The ids and keys of the first rows of a source in the list's order. */
function firstIds(table: AnyTable, asked: RefinedPage, source: PartSource, limit: string): string {
  const { key, direction } = asked;
  const ids = source.ids(rangesInOrder(table, asked, placeOf(key), limit));
  const each = source.hasRepeats ? 'distinct ' : '';
  return `select ${each}${placeOf(key, 'x')} from (${ids}) x order by ${orderOf(key, direction, 'x')} ${limit}`;
}

/** The row with the id `x.id`, for a lateral join that stops when the page is full. `offset 0` is an optimization fence: no join can start with the rows of the list. */
function rowWithId(table: AnyTable, condition = 'true'): string {
  return `select t.* from ${rowById(table.name, between(table, BELOW_WORKSPACE, 't.id = x.id'))} where ${condition} offset 0`;
}

/** The condition that the caller owns the list. */
export const isOwn = (table: AnyTable) =>
  `${isOwned('workspaces', '$workspace_id', '$workspace_id')} and ${table.narrowed('$workspaces')}`;

/** The page of a source's rows in the list's order. */
export function orderedPage(table: AnyTable, asked: RefinedPage, source: PartSource): string {
  const { key, direction, columns, owned } = asked;
  const order = orderOf(key, direction);
  if (source.isOfRows && source.ranges === 1)
    return `select ${columns} from ${fromRanges(table, asked, source, 'limit $limit').sql} where ${owned} order by ${order}`;
  return shownRows(table, asked, firstIds(table, asked, source, 'limit $limit'));
}

/** The rows of a page with their columns, in order. @param page a query for their ids */
function shownRows(
  table: AnyTable,
  { columns, owned, key, direction }: RefinedPage,
  page = 'select * from k',
): string {
  const order = orderOf(key, direction);
  const rows = rowsById(table, '$workspace_id', `select p.id from (${page}) p`, order);
  return `select ${columns} from ${rows} where ${between(table, BELOW_WORKSPACE, owned)} order by ${order}`;
}

/**
 * The rows of the page that a walk finds, through the list or through a source in the list's order. In other orders than by id, it reads from
 * other rows only the columns of the conditions, which indexes may contain, because consecutive rows are far apart in the table.
 * @param most if set, each row ends with a field that tells whether the page is complete and, if not, with the number of rows of each
 * source, up to one more than these; without a row, it returns a row of nulls. This takes longer.
 */
export function walkStatement(
  table: AnyTable,
  { parts, sources }: Conditions,
  asked: RefinedPage,
  base: PartSource | null,
  walked: number,
  most: readonly number[] | null,
): string {
  const { key, direction, columns, owned } = asked;
  const { sql, alias } =
    base === null
      ? { sql: `(${inOrder(table, asked, 't.*', `limit ${walked}`)}) t`, alias: 't' }
      : fromRanges(table, asked, base, `limit ${walked}`);
  const condition = allOf(parts.filter((_, part) => part !== base?.part));
  const matching = (selected: string, condition: string) =>
    `select ${selected} from ${sql} where ${condition} order by ${orderOf(key, direction, alias)} limit $limit`;
  const matches =
    key.sort === 'id' ? matching(columns, `${owned} and ${condition}`) : matching(placeOf(key), condition);
  if (most === null)
    return key.sort === 'id' ? matches : `with k as materialized (${matches}) ${shownRows(table, asked)}`;
  const behind = `offset ${walked} limit 1`;
  const next =
    base === null
      ? inOrder(table, asked, '1', behind)
      : base.ids(rangesInOrder(table, asked, placeOf(key), behind));
  const counts = sources.map(
    ({ ids }, index) =>
      `, case when not s.is_complete then
        (select count(*) from (select from (${ids(completeRanges(table))}) x limit ${(most[index] ?? 0) + 1}) x) end`,
  );
  const shown = key.sort === 'id' ? 'k' : `lateral (${shownRows(table, asked)})`;
  return `with k as materialized (${matches}), s as materialized (
      select case when (select count(*) from k) >= $limit then true else not exists (${next}) end as is_complete
    )
    select p.*, s.is_complete${counts.join('')} from s left join ${shown} p on true order by ${orderOfProjected(key, direction, 'p')}`;
}

/** The ids of a source, each once. `offset 0` is an optimization fence: the planner cannot scan the list instead. */
export function idsOf({ ids, hasRepeats }: PartSource, reading: Reading): string {
  return `(select ${hasRepeats ? 'distinct ' : ''}x.* from (${ids(reading)}) x offset 0) x`;
}

/**
 * Reads the rows of a source. If its index contains the sort key, first reads only the index, then rows until the page is full; otherwise
 * reads all rows. Conditions on the id alone are tested before a row is read.
 */
export function sourceStatement(
  table: AnyTable,
  { parts, sources, isExact }: Conditions,
  asked: RefinedPage,
  index: number,
): string {
  const { key, direction, columns, owned } = asked;
  const source = sources[index];
  if (source === undefined) throw new TypeError('There is no such source.');
  const order = orderOf(key, direction);
  if (key.sort !== 'id' && !source.isOfRows) {
    const range = `${rangeOf(key, 't.id')} and ${allOf(parts)}`;
    return `with k as materialized (
        select ${placeOf(key)} from ${rowsById(table, '$workspace_id', `select x.id from ${idsOf(source, completeRanges(table))}`)}
        where ${between(table, BELOW_WORKSPACE, range)}
        order by ${order} limit $limit
      ) ${shownRows(table, asked)}`;
  }
  const orderOfIds = orderOf(key, direction, 'x');
  const inRange = `select x.* from ${idsOf(source, completeRanges(table, placeOf(key)))}
    where ${rangeOf(key, 'x.id', 'x')} order by ${orderOfIds}`;
  if (isExact) return shownRows(table, asked, `${inRange} limit $limit`);
  const others = parts.filter((_, part) => part !== source.part);
  const early = others.flatMap(({ onId }) => (onId === undefined ? [] : [{ sql: onId('x.id') }]));
  const late = others.filter(({ onId }) => onId === undefined);
  return `select ${columns} from (${inRange} offset 0) x cross join lateral (${rowWithId(table, allOf(late))}) t
    where ${owned} and ${allOf(early)} order by ${orderOfIds} limit $limit`;
}
