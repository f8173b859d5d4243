// What the filters of a noun's lists are in SQL: a value is compared with a column, or with what another table pairs a row with.
import { typeOf } from '../../resources/field-types.ts';
import { filtersOf, type Resource, toSnakeCase } from '../../resources/resource.ts';

/** How a row `t` is compared with a value. */
export type Match =
  /** By an expression over the row. @param keyOf of a value, what it is compared with, given its SQL */
  | { readonly key: string; readonly keyOf?: (value: string) => string }
  /** By the rows of another table of the workspace. @param row its column of the row’s id @param value that of the value */
  | { readonly table: string; readonly row: string; readonly value: string };

/** A comparison by the rows of another table. */
export type PairMatch = Extract<Match, { table: string }>;

/** A filter of a table's lists. */
export interface TableFilter {
  readonly property: string;
  /** At most one row of a list has a value. */
  readonly unique: boolean;
  /** The type of its values, of which there may be several. */
  readonly array: string;
  readonly match: Match;
}

/**
 * The filters of a noun's lists.
 * @param computed the SQL of fields that are no column of the table by their own name
 * @param matches how those are compared that are not simply equal to a field
 */
export function tableFilters(
  resource: Resource,
  computed: Readonly<Record<string, string | undefined>>,
  matches: Readonly<Record<string, Match | undefined>>,
): readonly TableFilter[] {
  return filtersOf(resource).map(({ property, unique, type }) => ({
    property,
    unique,
    array: `${typeOf(type).columns[0]}[]`,
    match: matches[property] ?? { key: computed[property] ?? `t.${toSnakeCase(property)}` },
  }));
}
