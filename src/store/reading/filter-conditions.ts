// The SQL of the conditions that a row has a value of a filter.
import type { TableFilter } from '../sql/filters.ts';

/** How a filter finds its rows. */
export type AnyMatch = TableFilter['match'];

/** A filter by whether a column has a value. */
export type SetMatch = Extract<AnyMatch, { isSet: boolean }>;

/** A condition that is true for every row. */
export const ALL = 'true';

/** The condition that a column has a value, or has none. */
export const hasValue = ({ set, isSet }: SetMatch) => `${set} is ${isSet ? 'not ' : ''}null`;

/** The condition that a time is in a range. @param ends SQL of an array of two times */
export const isBetween = (time: string, ends: string) => `${time} >= (${ends})[1] and ${time} < (${ends})[2]`;

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
