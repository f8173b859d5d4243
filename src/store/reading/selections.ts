// The SQL for the filters and the order of a list. Its text depends on the set of filters and on the order, never on values. The first
// filter leads: each of its values is one range of an index, in the page's order if the index has it, and the ranges are merged. The other
// filters are conditions on the rows found.
import { MAX_ID } from '../../cursors.ts';
import type { PageRequest, Selection } from '../../pagination.ts';
import { type Sort, toSnakeCase } from '../../resources/resource.ts';
import type { TableFilter } from '../sql/filters.ts';
import type { PairMatch } from '../sql/matches.ts';
import type { SearchMatch } from '../sql/search.ts';
import { inWorkspace, type Statement, type Values } from '../sql/statements.ts';
import type { Table } from '../tables/table.ts';
import { between, rowsById } from './parents.ts';

type AnyTable = Table<{ id: bigint }>;
type Direction = 'asc' | 'desc';

/** The filters and the order of a list request. */
export interface Selected {
  readonly sort: Sort;
  /** The requested filters, in the order of the resource description. */
  readonly given: readonly TableFilter[];
  /** Their values, by the names of their parameters (`parameterOf`). */
  readonly values: Readonly<Record<string, readonly unknown[]>>;
  /** Identifies the SQL text; empty for an unfiltered list ordered by id. */
  readonly name: string;
}

/** The parameter of a filter's values. */
export const parameterOf = ({ property }: TableFilter) => `filter_${toSnakeCase(property)}`;

/** The SQL of the parent and its workspace. */
export interface PagePlaceholders {
  readonly parent: string;
  readonly workspace: string;
}

/** An unfiltered list, ordered by id. */
const UNFILTERED: Selected = { sort: 'id', given: [], values: {}, name: '' };

export function selectionOf(table: AnyTable, { sort = 'id', filter }: Selection): Selected {
  if (filter === undefined) return sort === 'id' ? UNFILTERED : { ...UNFILTERED, sort, name: `.${sort}` };
  const given = table.filters.filter(({ property }) => filter[property] !== undefined);
  return {
    sort,
    given,
    values: Object.fromEntries(given.map((one) => [parameterOf(one), filter[one.property] ?? []])),
    name: [
      ...(sort === 'id' ? [] : [sort]),
      ...given.map(({ property, match }) => ('time' in match ? `${property}Range` : property)),
    ]
      .map((part) => `.${part}`)
      .join(''),
  };
}

/** Marks the statement of a filtered list. Clients can request many different ones, so a connection keeps a limited number of them. */
export function boundedStatement<S extends Statement>(statement: S, { given }: Selected): S {
  return given.length === 0 ? statement : { ...statement, isProjection: true };
}

/** One row more than the page size, to detect more rows. */
export function limitOf({ size, rowsOnly }: PageRequest): number {
  return rowsOnly ? size : size + 1;
}

/** Backward paging scans from the other end. */
export function scanDirection(page: PageRequest): 'asc' | 'desc' {
  return (page.order === 'asc') !== page.backward ? 'asc' : 'desc';
}

/** A page that reads more index rows than this goes to the queue of expensive reads. */
export const MAX_MERGED_ROWS = 2_500;

/**
 * Whether a page may read many more rows than it returns: if another filter drops rows, if no index has them in the page's order so that
 * all are read, or if they come from many ranges. How many rows have words is known only when they are read.
 */
export function isExpensive({ sort, given, values }: Selected, parents: number, limit: number): boolean {
  const [leader] = given;
  if (leader === undefined) return false;
  const ranges = parents * (values[parameterOf(leader)]?.length ?? 0);
  if (leader.unique) return ranges > MAX_MERGED_ROWS;
  if ('text' in leader.match) return true;
  const isUntimed = (sort !== 'id' && ('table' in leader.match || leader.untimed)) || 'time' in leader.match;
  if (given.length === 1 && sort === 'updatedAt' && leader.property === sort) return false;
  return given.length > 1 || isUntimed || ranges * limit > MAX_MERGED_ROWS;
}

/** A position in a list; null: the list's start or end. */
interface Position {
  readonly id: bigint | null;
  /** The time, in a list by `updatedAt`. */
  readonly time: Date | null | undefined;
}

/** The two positions between which rows lie, the lower one first. They exclude both. */
export interface Bounds {
  readonly sort: Sort;
  readonly low: Position;
  readonly high: Position;
}

/** The bounds of a page, which do not depend on its size. */
export function boundsOf({ sort = 'id', order, ...page }: Omit<PageRequest, 'size' | 'backward'>): Bounds {
  const after = { id: page.after, time: page.afterTime };
  const before = { id: page.before, time: page.beforeTime };
  const [low, high] = order === 'asc' ? [after, before] : [before, after];
  return { sort, low, high };
}

/** Converts bounds to the values of the parameters of `rangeOf`. Ids start at 1. */
export function valuesOfBounds({ sort, low, high }: Bounds): Values {
  const ids = { low_id: low.id ?? 0n, high_id: high.id ?? MAX_ID };
  if (sort === 'id') return ids;
  const [lowTime, highTime] = [
    low.time?.toISOString() ?? '-infinity',
    high.time?.toISOString() ?? 'infinity',
  ];
  return { ...ids, low_time: lowTime, high_time: highTime };
}

/** The condition that the row with this id and time lies between two positions, excluding both. */
export function rangeOf(sort: Sort, id: string, time = 't.updated_at'): string {
  if (sort === 'id') return `${id} > $low_id and ${id} < $high_id`;
  return `(${time}, ${id}) > ($low_time::timestamptz, $low_id::bigint) and (${time}, ${id}) < ($high_time::timestamptz, $high_id::bigint)`;
}

/**
 * The same for rows `t` whose key has a value, and the order of such rows. In the order of ids, one comparison covers key and id together,
 * and the key leads the order. So only an index that begins with the key fits, whatever the planner's statistics are, and its scan starts
 * at the position rather than at the first row with the value. The order of changes has separate comparisons: with a combined one the
 * planner would prefer to read all rows with the value from the index by id, and to sort them.
 */
export function rangeOfValue(
  sort: Sort,
  [key, value]: readonly [key: string, value: string],
  direction: Direction,
): { readonly range: string; readonly order: string } {
  const order = orderOf(sort, direction);
  if (sort !== 'id') return { range: `${rangeOf(sort, 't.id')} and ${key} = ${value}`, order };
  return {
    range: `(${key}, t.id) > (${value}, $low_id) and (${key}, t.id) < (${value}, $high_id)`,
    order: `${key} ${direction}, ${order}`,
  };
}

export function orderOf(sort: Sort, direction: Direction, alias = 't'): string {
  const byId = `${alias}.id ${direction}`;
  return sort === 'id' ? byId : `${alias}.updated_at ${direction}, ${byId}`;
}

/**
 * The rows of one page of one parent's list, in order, at most `$limit`.
 * @param columns the select list over `t`
 * @param condition evaluated once, before any row
 */
export function selectPage(
  table: AnyTable,
  selected: Selected,
  { columns, places, direction }: { columns: string; places: PagePlaceholders; direction: Direction },
  condition: string,
): string {
  const { sort } = selected;
  const { parent, workspace } = places;
  const range = (id: string) => rangeOf(sort, id);
  const order = orderOf(sort, direction);
  const text =
    selected.given.length === 0
      ? `select ${columns} from ${table.name} t
        where ${between(table, parent, workspace, range('t.id'))} and ${condition} order by ${order} limit $limit`
      : `select ${columns} from ${rowsById(
          table,
          workspace,
          `select k.id from (
            select distinct s.* from ${merged(table, selected, places, { range, order: direction, limit: '$limit', isBounded: true })}
            order by ${orderOf(sort, direction, 's')} limit $limit
          ) k`,
          order,
        )} where ${condition} order by ${order}`;
  return inWorkspace(text, workspace);
}

/**
 * The ids of at most `limit` rows of one parent's list, in no particular order. @param isBounded whether only rows between two positions
 * count
 */
export function selectSome(
  table: AnyTable,
  selected: Selected,
  places: PagePlaceholders,
  { isBounded, limit, condition }: { isBounded: boolean; limit: number; condition: string },
): string {
  const { parent, workspace } = places;
  const range = (id: string) => (isBounded ? rangeOf(selected.sort, id) : `${id} > 0`);
  return selected.given.length === 0
    ? `select t.id from ${table.name} t where ${between(table, parent, workspace, range('t.id'))} and ${condition} limit ${limit}`
    : `select distinct s.id from ${merged(table, selected, places, { range, order: null, limit: `${limit}`, isBounded })}
      where ${condition} limit ${limit}`;
}

/** A condition that is true for every row. */
const ALL = 'true';

interface Range {
  readonly range: (id: string) => string;
  /** null: no order is needed. */
  readonly order: Direction | null;
  readonly limit: string;
  /** Whether the range is between two positions. */
  readonly isBounded: boolean;
}

/** The ids and sort keys of the rows that the leading filter finds for each of its values, as `s`. A row may appear twice. */
function merged(table: AnyTable, selected: Selected, places: PagePlaceholders, range: Range): string {
  const [leader, ...others] = selected.given;
  if (leader === undefined) throw new Error('There is no filter.');
  const conditions = others.map((filter) => conditionOf(filter, `$${parameterOf(filter)}`));
  const { match } = leader;
  const find =
    'table' in match
      ? throughTable(table, selected.sort, match)
      : 'time' in match
        ? byTime(table, selected.sort, match.time)
        : 'text' in match
          ? byWords(table, selected.sort, match)
          : byKey(table, selected.sort, leader);
  const parameter = `$${parameterOf(leader)}::${leader.array}`;
  const values =
    'time' in match
      ? `(select ${parameter} as value) v`
      : 'text' in match
        ? // `offset 0`, so that the patterns are made once.
          `(select search_patterns(${parameter}) as value offset 0) v`
        : `unnest(${parameter}) v (value)`;
  const all = conditions.length === 0 ? ALL : conditions.join(' and ');
  return `${values} cross join lateral (
    ${find(places, range, all)} limit ${range.limit}
  ) s`;
}

type Find = (places: PagePlaceholders, range: Range, condition: string) => string;
/**
 * The `limit` at the end is an optimization fence: no join can start with the rows of the list. For a unique key, the row is found first
 * and compared with the range afterwards, so that the planner does not prefer to scan another index. For the same reason a boolean, for
 * which it expects half of the rows, is part of the range (`rangeOfValue`), and so is an expression, for which it has no statistics before
 * the table is analyzed. The index of an expression has no entries for null, so the condition must exclude null.
 */
function byKey(table: AnyTable, sort: Sort, { unique, untimed, match, array }: TableFilter): Find {
  if (!('key' in match)) throw new Error('It has no key.');
  const { key, keyOf } = match;
  const isPartOfRange = array === 'bool[]' || keyOf !== undefined;
  const isKnown = keyOf === undefined ? ALL : `${key} is not null`;
  return ({ parent, workspace }, { range, order, limit, isBounded }, condition) => {
    const value = keyOf?.('v.value') ?? 'v.value';
    if (untimed && sort !== 'id' && order !== null)
      return walkedOrFound(sort, `${key} = ${value}`, {
        ...{ table: table.name, workspace, condition, limit },
        below: (within) => between(table, parent, workspace, within),
        range: range('t.id'),
        order: (alias) => orderOf(sort, order, alias),
      });
    const rows = (within: string) =>
      `from ${table.name} t where ${between(table, parent, workspace, within)}`;
    if (unique)
      return `select t.id${timeOf(sort)} from (select t.* ${rows(`${key} = ${value}`)} offset 0) t where ${range('t.id')} and ${condition}`;
    if (order === null && keyOf !== undefined && sort === 'id') {
      const all = `(${key}, t.id) > (${value}, 0) and (${key}, t.id) < (${value}, ${MAX_ID})`;
      const within = isBounded ? rangeOfValue(sort, [key, value], 'asc').range : all;
      return `select t.id ${rows(within)} and ${isKnown} and ${condition}`;
    }
    if (order === null || !isPartOfRange) {
      const ordered = order === null ? '' : `order by ${orderOf(sort, order)}`;
      return `select t.id${timeOf(sort)} ${rows(`${range('t.id')} and ${key} = ${value}`)} and ${condition} ${ordered}`;
    }
    const { range: within, order: ordered } = rangeOfValue(sort, [key, value], order);
    return `select t.id${timeOf(sort)} ${rows(within)} and ${isKnown} and ${condition} order by ${ordered}`;
  };
}

/** The condition that a time is in a range. @param ends SQL of an array of two times */
const isBetween = (time: string, ends: string) => `${time} >= (${ends})[1] and ${time} < (${ends})[2]`;

/** `offset 0` is an optimization fence, because the planner cannot tell which of two ranges has fewer rows. */
function byTime(table: AnyTable, sort: Sort, time: string): Find {
  return ({ parent, workspace }, { range, order, limit }, condition) => {
    const has = isBetween(time, 'v.value');
    const below = (within: string) => between(table, parent, workspace, within);
    const rows = (within: string) => `from ${table.name} t where ${below(within)}`;
    if (order === null)
      return `select t.id${timeOf(sort)} from (select t.* ${rows(has)} offset 0) t where ${range('t.id')} and ${condition}`;
    if (sort === 'updatedAt' && time === 't.updated_at')
      return `select t.id${timeOf(sort)} ${rows(`${range('t.id')} and ${has}`)} and ${condition} order by ${orderOf(sort, order)}`;
    return walkedOrFound(sort, has, {
      ...{ table: table.name, workspace, condition, limit, below, range: range('t.id') },
      order: (alias) => orderOf(sort, order, alias),
    });
  };
}

/** A search first walks so many rows of the list: a page of words that many rows have is full by then. */
const SEARCHED_BY_WALK = 1_000;

/**
 * If the walk does not find a full page, the indexes of the words find all rows that have them, because they have no order. So a page costs
 * as much as rows have the words.
 */
function byWords(table: AnyTable, sort: Sort, { text, candidates, isExact }: SearchMatch): Find {
  return ({ parent, workspace }, { range, order: direction, limit, isBounded }, condition) => {
    const columns = (alias: string) => `${alias}.id${sort === 'id' ? '' : `, ${alias}.updated_at`}`;
    const below = (within: string) => between(table, parent, workspace, within);
    const has = `${text} like all(v.value)`;
    const isAlone =
      isExact && condition === ALL && table.visible === ALL && table.parent.table === 'workspaces';
    const found = (most: string, ids = candidates(workspace, 'v.value', most)) =>
      `${rowsById(table, workspace, ids)} where ${below(range('t.id'))} and ${isExact ? ALL : has} and ${condition}`;
    if (direction === null && !isBounded)
      return `select ${columns('t')} from ${found(isAlone ? limit : 'null')}`;
    const order = (alias?: string) => orderOf(sort, direction ?? 'asc', alias);
    const walk = (select: string) =>
      `select ${select} from ${table.name} t where ${below(range('t.id'))} order by ${order()}`;
    const first = `select x.id from (${candidates(workspace, 'v.value', 'null')}) x where ${range('x.id')} order by ${order('x')} limit ${limit}`;
    return `select ${columns('t')} from (
      with near as materialized (
        select ${columns('w')} from (${walk(`${columns('t')}, (${has} and ${condition}) as found`)} limit ${SEARCHED_BY_WALK}) w
        where w.found order by ${order('w')} limit ${limit}
      ), enough as materialized (
        select (select count(*) from near) >= ${limit} or not exists (${walk('')} offset ${SEARCHED_BY_WALK}) as yes
      )
      select ${columns('n')} from near n where (select yes from enough)
      union all
      select ${columns('t')} from ${found('null', isAlone && sort === 'id' ? first : undefined)} and not (select yes from enough)
    ) t order by ${order()}`;
  };
}

/** `offset 0` is an optimization fence: no join can start with the rows of the list. */
function throughTable(table: AnyTable, sort: Sort, match: PairMatch): Find {
  return (places, { range, order, limit }, condition) => {
    const { parent, workspace } = places;
    if (sort !== 'id' && order !== null)
      return pairedByTime(match, {
        ...{ table: table.name, workspace, condition, limit },
        below: (within) => between(table, parent, workspace, within),
        range: range('t.id'),
        order: (alias) => orderOf(sort, order, alias),
      });
    const [pair, row] = sort === 'id' ? [range(`a.${match.row}`), 'true'] : ['true', range('t.id')];
    const byPair = order === null ? '' : `order by a.${match.row} ${order}`;
    const byRow = order === null ? '' : `order by ${orderOf(sort, order)}`;
    // A pair always has its row, so the pairs alone suffice.
    if (sort === 'id' && condition === ALL && table.visible === ALL && table.parent.table === 'workspaces')
      return `select a.${match.row} as id from ${match.table} a where ${isPaired(match, workspace)} and ${pair} ${byPair}`;
    return `select t.id${timeOf(sort)} from ${match.table} a cross join lateral (
        select t.id${timeOf(sort)} from ${table.name} t
        where t.id = a.${match.row} and ${between(table, parent, workspace, row)} and ${condition} offset 0
      ) t
      where ${isPaired(match, workspace)} and ${pair} ${sort === 'id' ? byPair : byRow}`;
  };
}

/** If more rows than this have a value, the list is scanned in its order instead, up to `MAX_WALKED_ROWS` rows. */
const MANY_PAIRS = 2_500;
const MAX_WALKED_ROWS = 20_000;

/** A list whose rows are paired with a value by another table. */
interface PairedList {
  /** The table of the list; its rows are `t`. */
  readonly table: string;
  readonly workspace: string;
  /** The condition that a row is in the list, combined with another condition. */
  readonly below: (within: string) => string;
  /** The condition that a row is between the page's positions. */
  readonly range: string;
  readonly condition: string;
  readonly order: (alias?: string) => string;
  readonly limit: string;
}

/**
 * The ids and times of the rows with the value `v.value`, ordered by time, for which there is no index. If few rows have the value, reads
 * all of them. If many have it, scanning the list itself soon finds the next ones. Only if neither holds, many rows are read. Finds at
 * least `limit` rows, if there are that many. For a value that few rows have, `near` is not used and therefore not executed.
 */
function pairedByTime(
  match: PairMatch,
  { table, workspace, below, range, condition, order, limit }: PairedList,
): string {
  const pairs = `from ${match.table} a where ${isPaired(match, workspace)}`;
  const walk = `select t.id, t.updated_at from ${table} t where ${below(range)} order by ${order()}`;
  const isFurther =
    condition === ALL
      ? ALL
      : `exists (select from ${table} t where ${below('t.id = w.id')} and ${condition} offset 0)`;
  return `select t.id, t.updated_at from (
      with near as materialized (
        select w.id, w.updated_at from (${walk} limit ${MAX_WALKED_ROWS}) w
        where exists (select ${pairs} and a.${match.row} = w.id offset 0)
          and ${isFurther}
        order by ${order('w')} limit ${limit}
      ), enough as materialized (
        select case when exists (select ${pairs} offset ${MANY_PAIRS})
          then (select count(*) from near) >= ${limit} or not exists (${walk} offset ${MAX_WALKED_ROWS}) else false end as yes
      )
      select n.id, n.updated_at from near n where (select yes from enough)
      union all
      select t.id, t.updated_at from ${match.table} a cross join lateral (
        select t.id, t.updated_at from ${table} t where t.id = a.${match.row} and ${below(range)} and ${condition} offset 0
      ) t
      where ${isPaired(match, workspace)} and not (select yes from enough)
    ) t order by ${order()}`;
}

/** The same for a value in the rows themselves, in either order. @param has the condition that a row `t` has the value */
function walkedOrFound(
  sort: Sort,
  has: string,
  { table, below, range, condition, order, limit }: PairedList,
): string {
  const columns = (alias: string) => `${alias}.id${sort === 'id' ? '' : `, ${alias}.updated_at`}`;
  const walk = (select: string) =>
    `select ${select} from ${table} t where ${below(range)} order by ${order()}`;
  return `select ${columns('t')} from (
      with near as materialized (
        select ${columns('w')} from (${walk(`${columns('t')}, (${has} and ${condition}) as found`)} limit ${MAX_WALKED_ROWS}) w
        where w.found order by ${order('w')} limit ${limit}
      ), enough as materialized (
        select case when exists (select from ${table} t where ${below(has)} offset ${MANY_PAIRS})
          then (select count(*) from near) >= ${limit} or not exists (${walk('')} offset ${MAX_WALKED_ROWS}) else false end as yes
      )
      select ${columns('n')} from near n where (select yes from enough)
      union all
      select ${columns('t')} from (select t.* from ${table} t where ${below(has)} and not (select yes from enough) offset 0) t
      where ${range} and ${condition}
    ) t order by ${order()}`;
}

/** The condition that the row `a` of another table pairs its row with the value `v.value`. */
function isPaired({ value, where }: PairMatch, workspace: string): string {
  return `a.workspace_id = ${workspace} and a.${value} = v.value${where === undefined ? '' : ` and a.${where}`}`;
}

const timeOf = (sort: Sort) => (sort === 'id' ? '' : ', t.updated_at');

/** The condition that a row has one of a filter's values. It uses a scalar subquery, which cannot become a join. */
export function conditionOf({ array, match }: TableFilter, values: string): string {
  if ('table' in match)
    return `(select true from ${match.table} b where b.workspace_id = $row_workspace and b.${match.row} = t.id
      and b.${match.value} = any(${values}::${array})${match.where === undefined ? '' : ` and b.${match.where}`} limit 1)`;
  if ('time' in match) return isBetween(match.time, `${values}::${array}`);
  if ('text' in match)
    return `${match.text} like all(array(select u.pattern from unnest(search_patterns(${values}::${array})) u (pattern)))`;
  const { key, keyOf } = match;
  if (keyOf === undefined) return `${key} = any(${values}::${array})`;
  return `${key} = any(array(select ${keyOf('u.value')} from unnest(${values}::${array}) u (value)))`;
}
