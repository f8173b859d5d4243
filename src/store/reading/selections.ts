// The SQL for the filters and the order of a list. Its text depends on the set of filters and on the order, never on values. The first
// filter leads: each of its values is one range of an index, in the page's order if the index has it, and the ranges are merged. The other
// filters are conditions on the rows found.
import { MAX_ID } from '../../cursors.ts';
import type { FilterValues, PageRequest, Selection } from '../../pagination.ts';
import { toSnakeCase } from '../../resources/description/names.ts';
import type { Sort, SortValue } from '../../resources/description/sorts.ts';
import type { TableFilter } from '../sql/filters.ts';
import type { SearchMatch } from '../sql/search.ts';
import { inWorkspace, type Statement, type Values } from '../sql/statements.ts';
import { parentLink, type Table } from '../tables/table.ts';
import { between, rowById, rowsById } from './parents.ts';
import { BY_ID, type SortKey, sortKeyOf, sortParameter } from './sort-keys.ts';

type AnyTable = Table<{ id: bigint }>;
type AnyMatch = TableFilter['match'];
type AnyPairMatch = Extract<AnyMatch, { table: string }>;
type SetMatch = Extract<AnyMatch, { isSet: boolean }>;
type Direction = 'asc' | 'desc';

/** The filters and the order of a list request. */
export interface Selected {
  readonly key: SortKey;
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

/** In a list whose rows are paired with its parent, this leads all filters. Its one value is the parent’s id, not a parameter of its own. */
const OF_PARENT = { property: '(parent)', unique: false, untimed: true, array: 'bigint[]' } as const;

const isOfParent = ({ property }: TableFilter) => property === OF_PARENT.property;

/** An unfiltered list, ordered by id. */
const UNFILTERED: Selected = { key: BY_ID, given: [], values: {}, name: '' };

export function selectionOf(table: AnyTable, { sort = 'id', filter }: Selection): Selected {
  const key = sortKeyOf(table, sort);
  const { paired } = table;
  const always = paired === undefined ? [] : [{ ...OF_PARENT, match: paired }];
  if (filter === undefined) {
    const name = sort === 'id' ? '' : `.by_${sort}`;
    return name === '' && always.length === 0 ? UNFILTERED : { key, given: always, values: {}, name };
  }
  const given = table.filters.flatMap((one) => askedFor(one, filter[one.property]));
  return {
    key,
    given: [...always, ...given],
    values: Object.fromEntries(given.map((one) => [parameterOf(one), filter[one.property] ?? []])),
    name: [
      // A filter may have the name of an order.
      ...(sort === 'id' ? [] : [`by_${sort}`]),
      ...given.map(({ property, match }) => {
        if ('isSet' in match) return match.isSet ? property : `${property}Not`;
        return 'time' in match ? `${property}Range` : property;
      }),
    ]
      .map((part) => `.${part}`)
      .join(''),
  };
}

/** The filter if it is given. Whether a column has a value is part of the statement, so that partial indexes fit; both are no filter. */
function askedFor(filter: TableFilter, values: FilterValues[string] | undefined): TableFilter[] {
  if (values === undefined) return [];
  const { match } = filter;
  if (!('set' in match)) return [filter];
  return values.length === 1 ? [{ ...filter, match: { ...match, isSet: values[0] === true } }] : [];
}

/** Marks the statement of a filtered list. Clients can request many different ones, so a connection keeps a limited number of them. */
export function boundedStatement<S extends Statement>(statement: S, { given }: Selected): S {
  return given.every(isOfParent) ? statement : { ...statement, isProjection: true };
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
export function isExpensive({ key, given, values }: Selected, parents: number, limit: number): boolean {
  const [leader] = given;
  if (leader === undefined) return key.isScanned;
  if (isOfParent(leader)) {
    // A list of ids is short.
    const isLong =
      'table' in leader.match && leader.match.isUnordered === true && leader.match.mayBeGone !== true;
    return given.length > 1 || key.sort !== 'id' || isLong;
  }
  const ranges = parents * (values[parameterOf(leader)]?.length ?? 0);
  if (leader.unique) return ranges > MAX_MERGED_ROWS;
  const { match } = leader;
  if ('text' in match) return true;
  if ('isSet' in match)
    return given.length > 1 || !match.isSet || !(key.sort === 'id' || key.sort === 'updatedAt');
  if ('isRange' in match || ('table' in match && match.isUnordered)) return true;
  if (given.length === 1 && !key.isScanned && leader.property === key.sort) return false;
  const isUntimed = (key.sort !== 'id' && ('table' in match || isUnordered(leader, key))) || 'time' in match;
  return given.length > 1 || isUntimed || ranges * limit > MAX_MERGED_ROWS;
}

/** Whether no index has the rows with one value of a filter in an order. */
function isUnordered({ untimed }: TableFilter, { sort }: SortKey): boolean {
  return sort !== 'id' && (untimed || sort !== 'updatedAt');
}

/** A position in a list; null: the list's start or end. */
interface Position {
  readonly id: bigint | null;
  /** The value, in a list that is not ordered by id. */
  readonly value: SortValue | undefined;
}

/** The two positions between which rows lie, the lower one first. They exclude both. */
export interface Bounds {
  readonly sort: Sort;
  readonly low: Position;
  readonly high: Position;
}

/** The bounds of a page, which do not depend on its size. */
export function boundsOf({ sort = 'id', order, ...page }: Omit<PageRequest, 'size' | 'backward'>): Bounds {
  const after = { id: page.after, value: page.afterValue };
  const before = { id: page.before, value: page.beforeValue };
  const [low, high] = order === 'asc' ? [after, before] : [before, after];
  return { sort, low, high };
}

/** Converts bounds to the values of the parameters of `rangeOf`. Ids start at 1. */
export function valuesOfBounds({ sort, low, high }: Bounds): Values {
  const ids = { low_id: low.id ?? 0n, high_id: high.id ?? MAX_ID };
  if (sort === 'id') return ids;
  return {
    ...ids,
    low_key: sortParameter(sort, low.id === null ? undefined : low.value, 'low'),
    high_key: sortParameter(sort, high.id === null ? undefined : high.value, 'high'),
  };
}

/** The key over rows `t` of a table; over those of a query that selected it by `placeOf`, its column. */
function keyOver({ sort, column, keyOf }: SortKey, alias: string): string {
  if (sort === 'id') return `${alias}.id`;
  return alias === 't' ? keyOf(column) : `${alias}.sort_key`;
}

/** The columns that position a row in the list. */
export function placeOf(key: SortKey, alias = 't'): string {
  return key.sort === 'id'
    ? `${alias}.id`
    : `${alias}.id, ${keyOver(key, alias)}${alias === 't' ? ' as sort_key' : ''}`;
}

/** The condition that the row with this id and key lies between two positions, excluding both. @param alias of the row's key */
export function rangeOf(key: SortKey, id: string, alias = 't'): string {
  if (key.sort === 'id') return `${id} > $low_id and ${id} < $high_id`;
  const row = `(${keyOver(key, alias)}, ${id})`;
  const position = (end: 'low' | 'high') => `(${key.keyOf(`$${end}_key::${key.type}`)}, $${end}_id::bigint)`;
  return `${row} > ${position('low')} and ${row} < ${position('high')}`;
}

/**
 * The same for rows `t` whose key has a value, and the order of such rows. In the order of ids, one comparison covers key and id together,
 * and the key leads the order. So only an index that begins with the key fits, whatever the planner's statistics are, and its scan starts
 * at the position rather than at the first row with the value. Other orders have separate comparisons: with a combined one the planner
 * would prefer to read all rows with the value from the index by id, and to sort them.
 */
export function rangeOfValue(
  sortKey: SortKey,
  [key, value]: readonly [key: string, value: string],
  direction: Direction,
): { readonly range: string; readonly order: string } {
  const order = orderOf(sortKey, direction);
  if (sortKey.sort !== 'id') return { range: `${rangeOf(sortKey, 't.id')} and ${key} = ${value}`, order };
  return {
    range: `(${key}, t.id) > (${value}, $low_id) and (${key}, t.id) < (${value}, $high_id)`,
    order: `${key} ${direction}, ${order}`,
  };
}

export function orderOf(key: SortKey, direction: Direction, alias = 't'): string {
  const byId = `${alias}.id ${direction}`;
  if (key.sort === 'id') return byId;
  const byKey = `${keyOver(key, alias)} ${direction}`;
  return key.isUnique ? byKey : `${byKey}, ${byId}`;
}

/** The same for rows with projected properties, among them the one of the key. */
export function orderOfProjected(key: SortKey, direction: Direction, alias: string): string {
  const byKey = key.sort === 'id' ? '' : `${key.keyOf(`${alias}."${key.sort}"`)} ${direction}, `;
  return `${byKey}${alias}.id ${direction}`;
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
  const { key } = selected;
  const { parent, workspace } = places;
  const range = (id: string) => rangeOf(key, id);
  const order = orderOf(key, direction);
  const text =
    selected.given.length === 0
      ? `select ${columns} from ${table.name} t
        where ${between(table, parent, workspace, range('t.id'))} and ${condition} order by ${order} limit $limit`
      : `select ${columns} from ${rowsById(
          table,
          workspace,
          `select k.id from (
            select distinct s.* from ${merged(table, selected, places, { range, order: direction, limit: '$limit', isBounded: true })}
            order by ${orderOf(key, direction, 's')} limit $limit
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
  const range = (id: string) => (isBounded ? rangeOf(selected.key, id) : `${id} > 0`);
  return selected.given.length === 0
    ? `select t.id from ${table.name} t where ${between(table, parent, workspace, range('t.id'))} and ${condition} limit ${limit}`
    : `select distinct s.id from ${merged(table, selected, places, { range, order: null, limit: `${limit}`, isBounded })}
      where ${condition} limit ${limit}`;
}

/** A condition that is true for every row. */
const ALL = 'true';

const IN_WORKSPACE = parentLink({ table: 'workspaces', column: 'workspace_id', title: 'Workspace' });

interface Range {
  readonly range: (id: string) => string;
  /** null: no order is needed. */
  readonly order: Direction | null;
  readonly limit: string;
  /** Whether the range is between two positions. */
  readonly isBounded: boolean;
}

/** The ids and sort keys of the rows that the leading filter finds for each of its values, as `s`. A row may appear twice. */
function merged(list: AnyTable, selected: Selected, of: PagePlaceholders, range: Range): string {
  const [leader, ...others] = selected.given;
  if (leader === undefined) throw new Error('There is no filter.');
  // Paired rows are those of the workspace that have the parent as a value.
  const table = isOfParent(leader) ? { ...list, parent: IN_WORKSPACE } : list;
  const places = isOfParent(leader) ? { ...of, parent: of.workspace } : of;
  const conditions = others.map((filter) => conditionOf(filter, `$${parameterOf(filter)}`));
  const { match } = leader;
  const find =
    'table' in match
      ? throughTable(table, selected.key, match)
      : 'time' in match
        ? byTime(table, selected.key, match.time)
        : 'text' in match
          ? byWords(table, selected.key, match)
          : 'isSet' in match
            ? bySet(table, selected.key, match)
            : byKey(table, selected.key, leader);
  const parameter = `$${parameterOf(leader)}::${leader.array}`;
  const values = isOfParent(leader)
    ? `(select ${of.parent}::bigint as value) v`
    : 'isSet' in match
      ? '(select true) v (value)'
      : 'time' in match || 'isRange' in match
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
function byKey(table: AnyTable, sortKey: SortKey, filter: TableFilter): Find {
  const { unique, match, array } = filter;
  if (!('key' in match)) throw new Error('It has no key.');
  const { sort } = sortKey;
  const { key, keyOf } = match;
  const isPartOfRange = array === 'bool[]' || keyOf !== undefined;
  const isKnown = keyOf === undefined ? ALL : `${key} is not null`;
  return ({ parent, workspace }, { range, order, limit, isBounded }, condition) => {
    const value = keyOf?.('v.value') ?? 'v.value';
    if (isUnordered(filter, sortKey) && order !== null && !unique)
      return walkedOrFound(sortKey, `${key} = ${value}`, {
        ...{ table: table.name, workspace, condition, limit },
        below: (within) => between(table, parent, workspace, within),
        range: range('t.id'),
        order: (alias) => orderOf(sortKey, order, alias),
      });
    const rows = (within: string) =>
      `from ${table.name} t where ${between(table, parent, workspace, within)}`;
    if (unique)
      return `select ${placeOf(sortKey)} from (select t.* ${rows(`${key} = ${value}`)} offset 0) t where ${range('t.id')} and ${condition}`;
    if (order === null && keyOf !== undefined && sort === 'id') {
      const all = `(${key}, t.id) > (${value}, 0) and (${key}, t.id) < (${value}, ${MAX_ID})`;
      const within = isBounded ? rangeOfValue(sortKey, [key, value], 'asc').range : all;
      return `select t.id ${rows(within)} and ${isKnown} and ${condition}`;
    }
    if (order === null || !isPartOfRange) {
      const ordered = order === null ? '' : `order by ${orderOf(sortKey, order)}`;
      return `select ${placeOf(sortKey)} ${rows(`${range('t.id')} and ${key} = ${value}`)} and ${condition} ${ordered}`;
    }
    const { range: within, order: ordered } = rangeOfValue(sortKey, [key, value], order);
    return `select ${placeOf(sortKey)} ${rows(within)} and ${isKnown} and ${condition} order by ${ordered}`;
  };
}

/** The condition that a column has a value, or has none. */
const hasValue = ({ set, isSet }: SetMatch) => `${set} is ${isSet ? 'not ' : ''}null`;

/** Indexes have the rows with a value by id and by last change. Most rows have none, so a walk of the list finds those. */
function bySet(table: AnyTable, sortKey: SortKey, match: SetMatch): Find {
  return ({ parent, workspace }, { range, order, limit }, condition) => {
    const has = hasValue(match);
    const below = (within: string) => between(table, parent, workspace, within);
    const isInOrder = sortKey.sort === 'id' || sortKey.sort === 'updatedAt';
    if (order !== null && !isInOrder)
      return walkedOrFound(sortKey, has, {
        ...{ table: table.name, workspace, condition, limit, below, range: range('t.id') },
        order: (alias) => orderOf(sortKey, order, alias),
      });
    const ordered = order === null ? '' : `order by ${orderOf(sortKey, order)}`;
    return `select ${placeOf(sortKey)} from ${table.name} t where ${below(range('t.id'))} and ${has} and ${condition} ${ordered}`;
  };
}

/** The condition that a time is in a range. @param ends SQL of an array of two times */
const isBetween = (time: string, ends: string) => `${time} >= (${ends})[1] and ${time} < (${ends})[2]`;

/** `offset 0` is an optimization fence, because the planner cannot tell which of two ranges has fewer rows. */
function byTime(table: AnyTable, sortKey: SortKey, time: string): Find {
  return ({ parent, workspace }, { range, order, limit }, condition) => {
    const has = isBetween(time, 'v.value');
    const below = (within: string) => between(table, parent, workspace, within);
    const rows = (within: string) => `from ${table.name} t where ${below(within)}`;
    if (order === null)
      return `select ${placeOf(sortKey)} from (select t.* ${rows(has)} offset 0) t where ${range('t.id')} and ${condition}`;
    if (sortKey.column === time)
      return `select ${placeOf(sortKey)} ${rows(`${range('t.id')} and ${has}`)} and ${condition} order by ${orderOf(sortKey, order)}`;
    return walkedOrFound(sortKey, has, {
      ...{ table: table.name, workspace, condition, limit, below, range: range('t.id') },
      order: (alias) => orderOf(sortKey, order, alias),
    });
  };
}

/** A search first walks so many rows of the list: a page of words that many rows have is full by then. */
const SEARCHED_BY_WALK = 1_000;

/**
 * If the walk does not find a full page, the indexes of the words find all rows that have them, because they have no order. So a page costs
 * as much as rows have the words.
 */
function byWords(table: AnyTable, key: SortKey, { text, candidates, isExact }: SearchMatch): Find {
  return ({ parent, workspace }, { range, order: direction, limit, isBounded }, condition) => {
    const columns = (alias: string) => placeOf(key, alias);
    const below = (within: string) => between(table, parent, workspace, within);
    const has = `${text} like all(v.value)`;
    const isAlone =
      isExact && condition === ALL && table.visible === ALL && table.parent.table === 'workspaces';
    const found = (most: string, ids = candidates(workspace, 'v.value', most)) =>
      `${rowsById(table, workspace, ids)} where ${below(range('t.id'))} and ${isExact ? ALL : has} and ${condition}`;
    if (direction === null && !isBounded)
      return `select ${columns('t')} from ${found(isAlone ? limit : 'null')}`;
    const order = (alias?: string) => orderOf(key, direction ?? 'asc', alias);
    const walk = (select: string) =>
      `select ${select} from ${table.name} t where ${below(range('t.id'))} order by ${order()}`;
    const first = `select x.id from (${candidates(workspace, 'v.value', 'null')}) x where ${range('x.id')} order by ${order('x')} limit ${limit}`;
    return `select ${columns('u')} from (
      with near as materialized (
        select ${columns('w')} from (${walk(`${columns('t')}, (${has} and ${condition}) as found`)} limit ${SEARCHED_BY_WALK}) w
        where w.found order by ${order('w')} limit ${limit}
      ), enough as materialized (
        select (select count(*) from near) >= ${limit} or not exists (${walk('')} offset ${SEARCHED_BY_WALK}) as yes
      )
      select ${columns('n')} from near n where (select yes from enough)
      union all
      select ${columns('t')} from ${found('null', isAlone && key.sort === 'id' ? first : undefined)} and not (select yes from enough)
    ) u order by ${order('u')}`;
  };
}

/** `offset 0` is an optimization fence: no join can start with the rows of the list. */
function throughTable(table: AnyTable, sortKey: SortKey, match: AnyPairMatch): Find {
  const { sort } = sortKey;
  return (places, { range, order, limit }, condition) => {
    const { parent, workspace } = places;
    if ((sort !== 'id' || 'isRange' in match) && order !== null)
      return pairedInOrder(sortKey, match, {
        ...{ table: table.name, workspace, condition, limit },
        below: (within) => between(table, parent, workspace, within),
        range: range('t.id'),
        order: (alias) => orderOf(sortKey, order, alias),
      });
    const [pair, row] = sort === 'id' ? [range(`a.${match.row}`), ALL] : [ALL, range('t.id')];
    const { pairs, byPair } =
      order === null || match.isUnordered
        ? {
            pairs: pairsOf(match, `${isPaired(match, workspace)} and ${pair}`),
            byPair: order === null ? '' : `order by a.${match.row} ${order}`,
          }
        : pairsInOrder(match, workspace, order);
    // If a pair always has its row, the pairs alone suffice.
    if (
      !match.mayBeGone &&
      sort === 'id' &&
      condition === ALL &&
      table.visible === ALL &&
      table.parent.table === 'workspaces'
    )
      return `select a.${match.row} as id from ${pairs} ${byPair}`;
    return `select ${placeOf(sortKey, 'x')} from ${pairs} cross join lateral (
        select ${placeOf(sortKey)} from ${rowById(table.name, between(table, parent, workspace, `t.id = a.${match.row}`))}
        where ${row} and ${condition} offset 0
      ) x ${byPair}`;
  };
}

/** The ids of the rows that another table pairs with a value, each once, as `a`. @param paired the condition on its rows */
function pairsOf({ table, row, repeats }: AnyPairMatch, paired: string): string {
  return `(select ${repeats ? 'distinct ' : ''}a.${row} from ${table} a where ${paired}) a`;
}

/**
 * The same between the positions of a page in the order of ids. As in `rangeOfValue`, one comparison covers value and id, so that only an
 * index that begins with the value fits.
 */
function pairsInOrder(
  { table, row, value, where, repeats }: AnyPairMatch,
  workspace: string,
  direction: Direction,
) {
  const place = `a.${value}, a.${row}`;
  const byPair = `order by a.${value} ${direction}, a.${row} ${direction}`;
  // An index may have only the rows with a value, which a comparison of rows does not imply.
  const condition = `a.workspace_id = ${workspace} and a.${value} is not null and (${place}) > (v.value, $low_id) and (${place}) < (v.value, $high_id)${where === undefined ? '' : ` and a.${where}`}`;
  const pairs = repeats
    ? `(select distinct on (${place}) ${place} from ${table} a where ${condition} ${byPair}) a`
    : `(select ${place} from ${table} a where ${condition}) a`;
  return { pairs, byPair };
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
 * The ids and keys of the rows with the value `v.value`, in an order for which there is no index. If few rows have the value, reads
 * all of them. If many have it, scanning the list itself soon finds the next ones. Only if neither holds, many rows are read. Finds at
 * least `limit` rows, if there are that many. For a value that few rows have, `near` is not used and therefore not executed.
 */
function pairedInOrder(
  key: SortKey,
  match: AnyPairMatch,
  { table, workspace, below, range, condition, order, limit }: PairedList,
): string {
  const pairs = `from ${match.table} a where ${isPaired(match, workspace)}`;
  const walk = `select ${placeOf(key)} from ${table} t where ${below(range)} order by ${order()}`;
  const isFurther =
    condition === ALL
      ? ALL
      : `exists (select from ${rowById(table, below('t.id = w.id'))} where ${condition} offset 0)`;
  return `select ${placeOf(key, 'u')} from (
      with near as materialized (
        select ${placeOf(key, 'w')} from (${walk} limit ${MAX_WALKED_ROWS}) w
        where exists (select ${pairs} and a.${match.row} = w.id offset 0)
          and ${isFurther}
        order by ${order('w')} limit ${limit}
      ), enough as materialized (
        select case when exists (select ${pairs} offset ${MANY_PAIRS})
          then (select count(*) from near) >= ${limit} or not exists (${walk} offset ${MAX_WALKED_ROWS}) else false end as yes
      )
      select ${placeOf(key, 'n')} from near n where (select yes from enough)
      union all
      select ${placeOf(key, 'x')} from ${pairsOf(match, `${isPaired(match, workspace)} and not (select yes from enough)`)} cross join lateral (
        select ${placeOf(key)} from ${rowById(table, below(`t.id = a.${match.row}`))} where ${range} and ${condition} offset 0
      ) x
    ) u order by ${order('u')}`;
}

/** The same for a value in the rows themselves, in any order. @param has the condition that a row `t` has the value */
function walkedOrFound(
  key: SortKey,
  has: string,
  { table, below, range, condition, order, limit }: PairedList,
): string {
  const walk = (select: string) =>
    `select ${select} from ${table} t where ${below(range)} order by ${order()}`;
  return `select ${placeOf(key, 'u')} from (
      with near as materialized (
        select ${placeOf(key, 'w')} from (${walk(`${placeOf(key)}, (${has} and ${condition}) as found`)} limit ${MAX_WALKED_ROWS}) w
        where w.found order by ${order('w')} limit ${limit}
      ), enough as materialized (
        select case when exists (select from ${table} t where ${below(has)} offset ${MANY_PAIRS})
          then (select count(*) from near) >= ${limit} or not exists (${walk('')} offset ${MAX_WALKED_ROWS}) else false end as yes
      )
      select ${placeOf(key, 'n')} from near n where (select yes from enough)
      union all
      select ${placeOf(key)} from (select t.* from ${table} t where ${below(has)} and not (select yes from enough) offset 0) t
      where ${range} and ${condition}
    ) u order by ${order('u')}`;
}

/** The condition that the row `a` of another table pairs its row with the value `v.value`. */
function isPaired(match: AnyPairMatch, workspace: string): string {
  const { value, where } = match;
  const has = 'isRange' in match ? isBetween(`a.${value}`, 'v.value') : `a.${value} = v.value`;
  return `a.workspace_id = ${workspace} and ${has}${where === undefined ? '' : ` and a.${where}`}`;
}

/** The condition that a row has one of a filter's values. It uses a scalar subquery, which cannot become a join. */
export function conditionOf({ array, match }: TableFilter, values: string): string {
  if ('isSet' in match) return hasValue(match);
  if ('set' in match) throw new TypeError('The statement depends on the value.');
  if ('table' in match)
    return `(select true from ${match.table} b where b.workspace_id = $row_workspace and b.${match.row} = t.id
      and ${'isRange' in match ? isBetween(`b.${match.value}`, `${values}::${array}`) : `b.${match.value} = any(${values}::${array})`}${match.where === undefined ? '' : ` and b.${match.where}`} limit 1)`;
  if ('time' in match) return isBetween(match.time, `${values}::${array}`);
  if ('text' in match)
    return `${match.text} like all(array(select u.pattern from unnest(search_patterns(${values}::${array})) u (pattern)))`;
  const { key, keyOf } = match;
  if (keyOf === undefined) return `${key} = any(${values}::${array})`;
  return `${key} = any(array(select ${keyOf('u.value')} from unnest(${values}::${array}) u (value)))`;
}
