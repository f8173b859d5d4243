// Rows whose columns are getters over PostgreSQL's bytes, decoded on access (decoders.ts) or written as JSON undecoded (json-writers.ts).
// Pure.
import type { FieldType } from '../resources/description/field-types.ts';
import type { Field } from '../resources/description/fields.ts';
import { toSnakeCase } from '../resources/description/names.ts';
import type { ByteWriter } from './byte-writer.ts';
import { type Decode, decoderOf } from './decoders.ts';
import { withNull } from './json-members.ts';
import { WRITE_JSON, type WriteJson } from './json-writers.ts';
import { readRecords } from './records.ts';
import {
  BlockRow,
  blockOf,
  bytesOf,
  clearField,
  endOf,
  equalFields,
  indexOf,
  type RowBlock,
  setField,
  startOf,
  textOf,
} from './row-block.ts';

/** A column of a row: its type, its fields if it is an object or a list of objects, and its SQL over alias `t` (default: the property in snake_case). */
export type Column = FieldType | DescribedColumn;

export interface DescribedColumn extends Pick<Field, 'type' | 'items' | 'object'> {
  readonly sql?: string;
  /** For a list of children: the column with only these properties of each child. */
  readonly narrow?: (properties: readonly string[]) => DescribedColumn;
  /** For the id of another row: the column with these properties of that row; null when the row needs a query of its own. */
  readonly joined?: (properties: readonly string[]) => DescribedColumn | null;
  /** For a column that contains rows as records (records.ts): their selected columns, and the `absent` ones, which were not selected. */
  readonly rows?: { readonly columns: Columns; readonly absent: readonly string[]; readonly isList: boolean };
}

/** The columns of a row by property name, in the order of the select list. */
export type Columns = Readonly<Record<string, Column>>;

/** The name of the column that contains the row whose id is in `property`. */
export const joinedColumnName = (property: string) => `${property}.row`;

/** The columns for the entries of a projection that select properties of rows: `property(its properties)`. They replace columns or add some. */
export function columnsWithRows(columns: Columns, projection: readonly string[]): Columns {
  return Object.fromEntries(
    projection.flatMap((entry): [string, Column][] => {
      const [property = ''] = entry.split('(', 1);
      const column = columns[property];
      if (property === entry || typeof column !== 'object') return [];
      const below = nestedEntries(entry);
      if (column.narrow !== undefined) return [[property, column.narrow(below)]];
      const joined = column.joined?.(below) ?? null;
      return joined === null ? [] : [[joinedColumnName(property), joined]];
    }),
  );
}

/** The entries between the parentheses of an entry of a projection. They may have parentheses themselves. */
function nestedEntries(entry: string): readonly string[] {
  return entry.slice(entry.indexOf('(') + 1, -1).match(/[^ ()]+(?:\([^()]*\))?/g) ?? [];
}

/** The index and the type of a property's column. */
export interface ColumnPosition {
  readonly index: number;
  readonly type: FieldType;
}

const LAYOUT = Symbol('layout');
type Layout = ReadonlyMap<string, ColumnPosition>;

/**
 * Adds a column of a row of `rowMaker` as JSON. Returns false, and adds nothing, when it is null.
 * @param write replaces the writer of the column's type
 */
export function writeField(
  out: ByteWriter,
  row: object,
  { index, type }: ColumnPosition,
  write: WriteJson = WRITE_JSON[type],
): boolean {
  const start = startOf(row as BlockRow, index);
  if (start < 0) return false;
  const bytes = bytesOf(row as BlockRow);
  write(out, bytes, start, endOf(bytes, start));
  return true;
}

/**
 * Makes columns of a row of `rowMaker` null, for example because the reader may not see them. Skips columns that were not selected.
 */
export function setNull(row: object, properties: readonly string[]): void {
  for (const property of properties) {
    const position = layoutOf(row)?.get(property);
    if (position !== undefined) clearField(row as BlockRow, position.index);
  }
}

/**
 * Makes members of a JSON column of a row of `rowMaker` null, in the same way as `setNull`.
 * @param ways the path to each member, from the column's own members on; an empty path is the column itself
 */
export function setMembersNull(row: object, property: string, ways: readonly (readonly string[])[]): void {
  const index = layoutOf(row)?.get(property)?.index;
  if (index === undefined) return;
  const json = textOf(row as BlockRow, index);
  if (ways.some((way) => way.length === 0)) clearField(row as BlockRow, index);
  else if (json !== null) setField(row as BlockRow, index, withNull(json, ways));
}

/** Whether the columns from index `from` up to `to`, exclusive, are equal in two rows of `rowMaker`. */
export function equalColumns(one: object, other: object, from: number, to: number): boolean {
  return equalFields(one as BlockRow, other as BlockRow, from, to);
}

/** The columns of a row of `rowMaker`, by property; all rows of one maker share the map. Undefined for any other object. */
export function layoutOf(row: object): Layout | undefined {
  return (row as { [LAYOUT]?: Layout })[LAYOUT];
}

/** The select list of these columns, each aliased by its property's name. */
export function selectList(columns: Columns, alias = 't'): string {
  return Object.keys(columns)
    .map((property) => `${sqlOf(columns, property) ?? `${alias}.${toSnakeCase(property)}`} as "${property}"`)
    .join(', ');
}

/** The SQL of a property that is not a column of the same name. */
export function sqlOf(columns: Columns, property: string): string | undefined {
  const column = columns[property];
  return typeof column === 'object' ? column.sql : undefined;
}

/** Creates the row at an index of a block. */
export type RowMaker<Row> = (block: RowBlock, index: number) => Row;

/**
 * Makes a factory of rows: objects with one getter for each column, on the prototype.
 * @param offset the index of the first of these columns in the select list
 * @param absent columns that were not selected: their getters throw, because reading one is a bug
 * @param places the index of each column, if the columns are not consecutive
 */
export function rowMaker<Row>(
  columns: Columns,
  {
    offset = 0,
    absent = [],
    places,
  }: { offset?: number; absent?: readonly string[]; places?: readonly number[] } = {},
): RowMaker<Row> {
  const layout = new Map<string, ColumnPosition>();
  class LazyRow extends BlockRow {}
  Object.defineProperty(LazyRow.prototype, LAYOUT, { value: layout });
  for (const [position, [property, column]] of Object.entries(columns).entries()) {
    const described: DescribedColumn = typeof column === 'string' ? { type: column } : column;
    const index = places?.[position] ?? position + offset;
    const decode = described.rows === undefined ? decoderOf(described) : rowsDecoder(described.rows);
    layout.set(property, { index, type: described.type });
    Object.defineProperty(LazyRow.prototype, property, {
      enumerable: true,
      get(this: LazyRow) {
        const start = startOf(this, index);
        if (start < 0) return null;
        const bytes = bytesOf(this);
        return decode(bytes, start, endOf(bytes, start));
      },
    });
  }
  for (const property of absent) {
    Object.defineProperty(LazyRow.prototype, property, {
      get() {
        throw unreadColumnError(property);
      },
    });
  }
  return (block, index) => new LazyRow(block, index) as Row;
}

function unreadColumnError(property: string): TypeError {
  return new TypeError(`The column ${property} was not read`);
}

/** A decoder of rows in a column: a list, or a single row. */
function rowsDecoder({ columns, absent, isList }: NonNullable<DescribedColumn['rows']>): Decode {
  const make = rowMaker(columns, { absent });
  const width = Object.keys(columns).length;
  return (bytes, start, end) => {
    const block = readRecords(bytes, start, end, width);
    return isList ? block.map(make) : make(block, 0);
  };
}

/**
 * Makes a function that renames columns of a row of `rowMaker` without decoding them. The function returns null when the first of these
 * columns is null, and undefined for any other object.
 * @param names the names in the row, by the new names
 */
export function createRenamer(
  names: Readonly<Record<string, string>>,
): (row: object) => object | null | undefined {
  const makers = new WeakMap<Layout, { readonly first: number; readonly make: RowMaker<object> }>();
  return (row) => {
    const layout = layoutOf(row);
    if (layout === undefined) return undefined;
    let found = makers.get(layout);
    if (found === undefined) {
      const columns: Record<string, Column> = {};
      const places: number[] = [];
      for (const [name, property] of Object.entries(names)) {
        const position = layout.get(property);
        if (position === undefined) throw unreadColumnError(property);
        columns[name] = position.type;
        places.push(position.index);
      }
      found = { first: places[0] ?? 0, make: rowMaker(columns, { places }) };
      makers.set(layout, found);
    }
    const source = row as BlockRow;
    return startOf(source, found.first) < 0 ? null : found.make(blockOf(source), indexOf(source));
  };
}
