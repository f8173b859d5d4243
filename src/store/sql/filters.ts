// What the filters of a noun's lists are in SQL: a value is compared with a column, or with what another table pairs a row with.
import { typeOf } from '../../resources/field-types.ts';
import { filtersOf, type Resource, rangesOf, toSnakeCase } from '../../resources/resource.ts';

/** How a row `t` is compared with a value. */
export type Match =
  /**
   * By an expression over the row. @param keyOf the SQL to compare with, given the SQL of a value
   * @param start an expression that begins with the same, and is evaluated faster
   */
  | {
      readonly key: string;
      readonly keyOf?: (value: string) => string;
      readonly start?: string;
    }
  /**
   * By rows of another table in the workspace. @param row its column with the row’s id @param value its column with the value
   * @param where which of its rows count, as a condition that begins with a column; absent: all
   * @param repeats whether several of them may pair a row with the same value
   */
  | {
      readonly table: string;
      readonly row: string;
      readonly value: string;
      readonly where?: string;
      readonly repeats?: true;
    };

/** A comparison of the time in this column with a range, which is two values: from the first on, before the second. */
interface RangeMatch {
  readonly time: string;
}

/** A comparison by the rows of another table. */
export type PairMatch = Extract<Match, { table: string }>;

/** A filter of a table's lists. */
export interface TableFilter {
  readonly property: string;
  /** At most one row of a list has a given value. */
  readonly unique: boolean;
  /** No index has the rows with a value in the order of changes. */
  readonly untimed: boolean;
  /** The type of its values, of which there may be several. */
  readonly array: string;
  readonly match: Match | RangeMatch;
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
    return {
      ...{ property, unique: false, untimed: true, array: 'timestamptz[]' },
      match: { time: columnOf(property) },
    };
  });
  const byValue = filtersOf(resource).map(({ property, unique, untimed, type }) => ({
    property,
    unique,
    untimed,
    array: `${typeOf(type).columns[0]}[]`,
    match: matches[property] ?? { key: columnOf(property) },
  }));
  // A value finds fewer rows than a range.
  return [...byValue, ...byTime];
}
