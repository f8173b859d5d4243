// What a list request selects: the filters that are given, the order, and whether finding the rows is expensive. The text of a statement
// depends on the set of filters and on the order, never on values.
import type { FilterValues, Selection } from '../../pagination.ts';
import { toSnakeCase } from '../../resources/description/names.ts';
import type { TableFilter } from '../sql/filters.ts';
import type { Statement } from '../sql/statements.ts';
import type { Table } from '../tables/table.ts';
import { BY_ID, type SortKey, sortKeyOf } from './sort-keys.ts';

/** The table of any noun. */
export type AnyTable = Table<{ id: bigint }>;

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

/** In a list whose rows are paired with its parent, this leads all filters. Its one value is the parent’s id, not a parameter of its own. */
const OF_PARENT = { property: '(parent)', unique: false, untimed: true, array: 'bigint[]' } as const;

/** Whether a filter is the one by the parent of paired rows. */
export const isOfParent = ({ property }: TableFilter) => property === OF_PARENT.property;

/** An unfiltered list, ordered by id. */
const UNFILTERED: Selected = { key: BY_ID, given: [], values: {}, name: '' };

/** What a request selects of a table's lists. `name` has a part for the order and for each filter. */
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
export function isUnordered({ untimed }: TableFilter, { sort }: SortKey): boolean {
  return sort !== 'id' && (untimed || sort !== 'updatedAt');
}
