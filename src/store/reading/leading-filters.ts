// The SQL that finds the rows with a value of the leading filter, by the kind of filter.
import { MAX_ID } from '../../cursors.ts';
import type { TableFilter } from '../sql/filters.ts';
import type { SearchMatch } from '../sql/search.ts';
import { ALL, hasValue, isBetween, type SetMatch } from './filter-conditions.ts';
import { type AnyPairMatch, isPaired, pairsInOrder, pairsOf } from './pairs.ts';
import { between, type PagePlaceholders, rowById, rowsById } from './parents.ts';
import { type Direction, orderOf, placeOf, rangeOfValue } from './positions.ts';
import { type AnyTable, isUnordered, parameterOf } from './selections.ts';
import type { SortKey } from './sort-keys.ts';
import { pairedInOrder, type WalkedList, walkedOrFound } from './walks.ts';

/** The part of a list that is read. */
export interface Range {
  readonly range: (id: string) => string;
  /** null: no order is needed. */
  readonly order: Direction | null;
  readonly limit: string;
  /** Whether the range is between two positions. */
  readonly isBounded: boolean;
}

/** The query of the ids and sort keys of the rows with the value `v.value`. @param condition that the rows meet besides */
type Find = (places: PagePlaceholders, range: Range, condition: string) => string;

/** How the rows with a value of a filter are found. */
export function finderOf(table: AnyTable, key: SortKey, filter: TableFilter): Find {
  const { match } = filter;
  if ('table' in match) return throughTable(table, key, match);
  if ('time' in match) return byTime(table, key, match.time);
  if ('text' in match) return byWords(table, key, match);
  if ('isSet' in match) return bySet(table, key, match);
  return byKey(table, key, filter);
}

/** The given values of a filter, as `v`. */
export function valuesOf(filter: TableFilter): string {
  const { match, array } = filter;
  const parameter = `$${parameterOf(filter)}::${array}`;
  if ('isSet' in match) return '(select true) v (value)';
  if ('time' in match || 'isRange' in match) return `(select ${parameter} as value) v`;
  // `offset 0`, so that the patterns are made once.
  if ('text' in match) return `(select search_patterns(${parameter}) as value offset 0) v`;
  return `unnest(${parameter}) v (value)`;
}

/** Whether a list has every row of its workspace. */
function hasAllRows({ visible, parent }: AnyTable, condition: string): boolean {
  return condition === ALL && visible === ALL && parent.table === 'workspaces';
}

/** The list as the walks need it, with an order. */
function walkedList(
  table: AnyTable,
  key: SortKey,
  places: PagePlaceholders,
  { range, limit }: Range,
  condition: string,
  order: Direction,
): WalkedList {
  return {
    ...{ table: table.name, workspace: places.workspace, condition, limit, range: range('t.id') },
    below: (within: string) => between(table, places, within),
    order: (alias?: string) => orderOf(key, order, alias),
  };
}

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
  return (places, part, condition) => {
    const { range, order, isBounded } = part;
    const value = keyOf?.('v.value') ?? 'v.value';
    if (isUnordered(filter, sortKey) && order !== null && !unique) {
      const list = walkedList(table, sortKey, places, part, condition, order);
      return walkedOrFound(sortKey, `${key} = ${value}`, list);
    }
    const rows = (within: string) => `from ${table.name} t where ${between(table, places, within)}`;
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

/** Indexes have the rows with a value by id and by last change. Most rows have none, so a walk of the list finds those. */
function bySet(table: AnyTable, sortKey: SortKey, match: SetMatch): Find {
  return (places, part, condition) => {
    const { range, order } = part;
    const has = hasValue(match);
    const isInOrder = sortKey.sort === 'id' || sortKey.sort === 'updatedAt';
    if (order !== null && !isInOrder)
      return walkedOrFound(sortKey, has, walkedList(table, sortKey, places, part, condition, order));
    const ordered = order === null ? '' : `order by ${orderOf(sortKey, order)}`;
    return `select ${placeOf(sortKey)} from ${table.name} t where ${between(table, places, range('t.id'))} and ${has} and ${condition} ${ordered}`;
  };
}

/** `offset 0` is an optimization fence, because the planner cannot tell which of two ranges has fewer rows. */
function byTime(table: AnyTable, sortKey: SortKey, time: string): Find {
  return (places, part, condition) => {
    const { range, order } = part;
    const has = isBetween(time, 'v.value');
    const rows = (within: string) => `from ${table.name} t where ${between(table, places, within)}`;
    if (order === null)
      return `select ${placeOf(sortKey)} from (select t.* ${rows(has)} offset 0) t where ${range('t.id')} and ${condition}`;
    if (sortKey.column === time)
      return `select ${placeOf(sortKey)} ${rows(`${range('t.id')} and ${has}`)} and ${condition} order by ${orderOf(sortKey, order)}`;
    return walkedOrFound(sortKey, has, walkedList(table, sortKey, places, part, condition, order));
  };
}

/** A search first walks so many rows of the list: a page of words that many rows have is full by then. */
const SEARCHED_BY_WALK = 1_000;

/**
 * If the walk does not find a full page, the indexes of the words find all rows that have them, because they have no order. So a page costs
 * as much as rows have the words.
 */
function byWords(table: AnyTable, key: SortKey, { text, candidates, isExact }: SearchMatch): Find {
  return (places, { range, order: direction, limit, isBounded }, condition) => {
    const { workspace } = places;
    const columns = (alias: string) => placeOf(key, alias);
    const below = (within: string) => between(table, places, within);
    const has = `${text} like all(v.value)`;
    const isAlone = isExact && hasAllRows(table, condition);
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
  return (places, part, condition) => {
    const { workspace } = places;
    const { range, order } = part;
    if ((sort !== 'id' || 'isRange' in match) && order !== null)
      return pairedInOrder(sortKey, match, walkedList(table, sortKey, places, part, condition, order));
    const [pair, row] = sort === 'id' ? [range(`a.${match.row}`), ALL] : [ALL, range('t.id')];
    const { pairs, byPair } =
      order === null || match.isUnordered
        ? {
            pairs: pairsOf(match, `${isPaired(match, workspace)} and ${pair}`),
            byPair: order === null ? '' : `order by a.${match.row} ${order}`,
          }
        : pairsInOrder(match, workspace, order);
    // If a pair always has its row, the pairs alone suffice.
    if (!match.mayBeGone && sort === 'id' && hasAllRows(table, condition))
      return `select a.${match.row} as id from ${pairs} ${byPair}`;
    return `select ${placeOf(sortKey, 'x')} from ${pairs} cross join lateral (
        select ${placeOf(sortKey)} from ${rowById(table.name, between(table, places, `t.id = a.${match.row}`))}
        where ${row} and ${condition} offset 0
      ) x ${byPair}`;
  };
}
