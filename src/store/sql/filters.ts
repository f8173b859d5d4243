// The SQL of a noun's list filters: a value is compared with a column of the row, or with a column of another table that refers to the row.
import { typeOf } from '../../resources/field-types.ts';
import { filtersOf, type Resource, rangesOf, toSnakeCase } from '../../resources/resource.ts';

/** How to compare a row `t` with a value. */
export type Match =
  /**
   * By an expression over the row. @param keyOf the SQL to compare with, from the SQL of a value
   * @param start a faster expression with the same beginning, for prefixes
   */
  | {
      readonly key: string;
      readonly keyOf?: (value: string) => string;
      readonly start?: string;
    }
  /**
   * By rows of another table in the workspace. @param row its column with the row’s id @param value its column with the value
   * @param where the condition on its rows, which begins with a column; absent: all rows
   * @param repeats whether several of its rows may pair a row with the same value
   */
  | {
      readonly table: string;
      readonly row: string;
      readonly value: string;
      readonly where?: string;
      readonly repeats?: true;
    };

/** Compares the time in this column with a range of two values: from the first, before the second. */
interface RangeMatch {
  readonly time: string;
}

/** Compares by the rows of another table. */
export type PairMatch = Extract<Match, { table: string }>;

/** A filter of a table's lists. */
export interface TableFilter {
  readonly property: string;
  /** At most one row of a list has a given value. */
  readonly unique: boolean;
  /** No index orders the rows with a value by the time of changes. */
  readonly untimed: boolean;
  /** The SQL array type for its values. */
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
  // Values come first, because a value finds fewer rows than a range.
  return [...byValue, ...byTime];
}
