// The SQL of a noun's list filters: a value is compared with a column of the row, or with a column of another table that refers to the row.
import { typeOf } from '../../resources/description/field-types.ts';
import { filtersOf, rangesOf } from '../../resources/description/lists.ts';
import { toSnakeCase } from '../../resources/description/names.ts';
import type { Resource } from '../../resources/description/resource.ts';
import type { Match, PairMatch } from './matches.ts';
import { SEARCH, type SearchMatch, searchMatch } from './search.ts';

/** Compares the time in this column with a range of two values: from the first, before the second. */
interface RangeMatch {
  readonly time: string;
}

/** Compares by the rows of another table whose value is in such a range. */
interface PairRangeMatch extends PairMatch {
  readonly isRange: true;
}

/** Compares by whether a column has a value, once it is known which of both is asked for. */
interface SetMatch {
  readonly set: string;
  readonly isSet: boolean;
}

/** A filter of a table's lists. */
export interface TableFilter {
  readonly property: string;
  /** At most one row of a list has a given value. */
  readonly unique: boolean;
  /** No index orders the rows with a value by the time of changes. */
  readonly untimed: boolean;
  /** The SQL array type for its values. */
  readonly array: string;
  readonly match: Match | RangeMatch | PairRangeMatch | SetMatch | SearchMatch;
}

/**
 * The filters of a noun's lists.
 * @param computed the SQL of fields that are not columns of the same name
 * @param matches how to compare, for filters that are not plain equality with a field
 */
export function tableFilters(
  resource: Resource,
  computed: Readonly<Record<string, string | undefined>>,
  matches: Readonly<Record<string, Match | undefined>>,
): readonly TableFilter[] {
  const columnOf = (property: string) => computed[property] ?? `t.${toSnakeCase(property)}`;
  const byTime = rangesOf(resource).map(({ property }): TableFilter => {
    const match = matches[property];
    return {
      ...{ property, unique: false, untimed: true, array: 'timestamptz[]' },
      match:
        match !== undefined && 'table' in match ? { ...match, isRange: true } : { time: columnOf(property) },
    };
  });
  const byValue = filtersOf(resource).map(({ property, unique, untimed, type }) => ({
    property,
    unique,
    untimed,
    array: `${typeOf(type).columns[0]}[]`,
    match: matches[property] ?? { key: columnOf(property) },
  }));
  const search = searchMatch(resource, matches);
  const byWords: TableFilter[] =
    search === null
      ? []
      : [{ property: SEARCH, unique: false, untimed: true, array: 'text[]', match: search }];
  // Those that find the fewest rows come first: a unique value finds one, and a value finds fewer than a range.
  return [
    ...byValue.filter(({ unique }) => unique),
    ...byWords,
    ...byValue.filter(({ unique }) => !unique),
    ...byTime,
  ];
}
