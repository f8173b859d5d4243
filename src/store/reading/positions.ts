// Where a page lies in its list: the order, the two positions between which its rows are, and the SQL of both.
import { MAX_ID } from '../../cursors.ts';
import type { PageRequest } from '../../pagination.ts';
import type { Sort, SortValue } from '../../resources/description/sorts.ts';
import type { Values } from '../sql/statements.ts';
import { type SortKey, sortParameter } from './sort-keys.ts';

export type Direction = 'asc' | 'desc';

/** One row more than the page size, to detect more rows. */
export function limitOf({ size, rowsOnly }: PageRequest): number {
  return rowsOnly ? size : size + 1;
}

/** Backward paging scans from the other end. */
export function scanDirection(page: PageRequest): 'asc' | 'desc' {
  return (page.order === 'asc') !== page.backward ? 'asc' : 'desc';
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

/** The `order by` of a list, whose rows with the same key are in the order of ids. */
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
