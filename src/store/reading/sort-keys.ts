// The values by which lists are ordered, as SQL over their rows. A key is never null, so that one comparison of rows covers it and the id.
import { MAX_SORT_CHARS, textOfSortValue } from '../../cursors.ts';
import { toSnakeCase } from '../../resources/description/names.ts';
import { SORT_TYPES, type Sort, type SortValue } from '../../resources/description/sorts.ts';
import { sqlOf } from '../../rows/columns.ts';
import type { Table } from '../tables/table.ts';

/** The key of a list's order. */
export interface SortKey {
  readonly sort: Sort;
  /** The SQL type of a position's value. */
  readonly type: string;
  /** The SQL of the property over a row `t`. */
  readonly column: string;
  /** The key, from the SQL of a value of the property. */
  keyOf(value: string): string;
  /** No two rows of a list have the same key, so that it orders them without their ids. */
  readonly isUnique: boolean;
  /** No index has the order. */
  readonly isScanned: boolean;
}

/** The order of ids. */
export const BY_ID: SortKey = keyNamed('id', 't.id', 'bigint');
/** The orders of rows with these columns, which have no table of their own. */
export const BY_TIME: Readonly<Partial<Record<Sort, SortKey>>> = {
  createdAt: keyNamed('createdAt', 't.created_at', 'timestamptz'),
  updatedAt: keyNamed('updatedAt', 't.updated_at', 'timestamptz'),
};

function keyNamed(sort: Sort, column: string, type: string): SortKey {
  return { sort, type, column, keyOf: (value) => value, isUnique: false, isScanned: false };
}

/** The SQL types of positions by the types of properties. */
const SQL_TYPES = { timestamp: 'timestamptz', text: 'text', int4: 'int', decimal: 'numeric' } as const;

type KeyedTable = Pick<Table<{ id: bigint }>, 'resource' | 'matches' | 'columns'>;

/**
 * The key of one order of a table's lists. Text is compared as filters compare it, or else ignoring letter case, and in the order of code
 * points: so the position behind all texts is a text too, and the order is the same in every database. Rows without a text come first, as
 * those with an empty one.
 */
export function sortKeyOf({ resource, matches, columns }: KeyedTable, sort: Sort): SortKey {
  if (sort === 'id') return BY_ID;
  const type = SORT_TYPES[sort];
  const { nullable } = resource.fields[sort] ?? {};
  const isUnique = resource.filters?.[sort]?.unique === true && type !== 'text';
  const isScanned = resource.scannedSorts?.includes(sort) === true;
  const key = {
    ...{ sort, isUnique, isScanned, type: SQL_TYPES[type] },
    column: sqlOf(columns, sort) ?? `t.${toSnakeCase(sort)}`,
  };
  if (type !== 'text')
    return { ...key, keyOf: (value) => (nullable ? `coalesce(${value}, ${LEAST[type]})` : value) };
  const match = matches[sort];
  const compared = match !== undefined && 'keyOf' in match ? match.keyOf : undefined;
  const keyOf = compared ?? ((value: string) => `lower(${value})`);
  const filled = (value: string) => (nullable ? `coalesce(${keyOf(value)}, '')` : keyOf(value));
  return { ...key, keyOf: (value) => `(${filled(value)} collate "C")` };
}

/** The SQL of a value that no other precedes. */
const LEAST = { timestamp: `'-infinity'`, int4: '-2147483648', decimal: `'-infinity'` } as const;

/** Sorts after all texts: the last character of Unicode, in the order of code points. */
const LAST_TEXT = '\u{10ffff}'.repeat(MAX_SORT_CHARS);

/** The values of parameters that precede and follow all others. */
const ENDS = {
  timestamp: ['-infinity', 'infinity'],
  text: ['', LAST_TEXT],
  int4: ['-2147483648', '2147483647'],
  decimal: ['-infinity', 'infinity'],
} as const;

/** The parameter of a position's value. @param value undefined: the start or the end of the list @param end which of them */
export function sortParameter(
  sort: Exclude<Sort, 'id'>,
  value: SortValue | undefined,
  end: 'low' | 'high',
): string | null {
  if (value === undefined) return ENDS[SORT_TYPES[sort]][end === 'low' ? 0 : 1];
  return value === null ? null : textOfSortValue(value);
}
