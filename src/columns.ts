// Rows as PostgreSQL sends them: bytes, which are decoded when somebody asks for them, and never for nobody. Pure.
import { parse as parseArray } from 'postgres-array';
import { type Bytes, decodeUtf8, encodeUtf8 } from './bytes.ts';
import { type DataRow, endOf, FieldReader, fieldOf, isSame, rowOf, startOf } from './data-row.ts';
import type { Output } from './output.ts';

/** How a column's text becomes a value. */
export type ColumnType =
  | 'int8'
  | 'int4'
  | 'text'
  /** The label of one of our enums: letters and underscores. */
  | 'enum'
  | 'bool'
  | 'timestamp'
  | 'jsonb'
  /** JSON that a statement has put together, without spaces; its integers may be of 64 bits. */
  | 'json'
  | 'text[]'
  | 'int8[]';

/** A column: its type, and its SQL over alias `t` where that is not the property's name in snake_case. */
export type Column = ColumnType | { readonly type: ColumnType; readonly sql: string };

/** The columns of a row by property name, in the order of the select list. */
export type Columns = Readonly<Record<string, Column>>;

/** Where a property stands in the row, and what it is. */
export interface Place {
  readonly index: number;
  readonly type: ColumnType;
}

const LAYOUT = Symbol('layout');
type Layout = ReadonlyMap<string, Place>;

/**
 * Adds a field of a row that `rowMaker` made, as JSON. Adds nothing, and says false, where the column is null.
 * @param write a form of its own; else it is that of the column's type
 */
export function writeField(
  out: Output,
  row: object,
  { index, type }: Place,
  write: WriteJson = WRITE[type],
): boolean {
  const reader = row as FieldReader;
  const start = startOf(reader, index);
  if (start < 0) return false;
  const bytes = rowOf(reader);
  write(out, bytes, start, endOf(bytes, start));
  return true;
}

/** The bytes of a field of a row that `rowMaker` made; null where the column is. */
export function bytesOf(row: object, { index }: Place): Bytes | null {
  return fieldOf(row as FieldReader, index);
}

/** Whether some fields that follow each other, `to` not among them, are the same in two rows that `rowMaker` made. */
export function sameFields(one: object, other: object, from: number, to: number): boolean {
  return isSame(one as FieldReader, other as FieldReader, from, to);
}

/** The layout of a row that `rowMaker` made, the same for every row of a maker; undefined for any other object. */
export function layoutOf(row: object): Layout | undefined {
  return (row as { [LAYOUT]?: Layout })[LAYOUT];
}

/** The select list that gives these columns, each under its property's name. */
export function selectList(columns: Columns, alias = 't'): string {
  return Object.entries(columns)
    .map(([property, column]) => {
      const sql = typeof column === 'string' ? `${alias}.${snakeCase(property)}` : column.sql;
      return `${sql} as "${property}"`;
    })
    .join(', ');
}

function snakeCase(property: string): string {
  return property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Makes rows of one kind: objects with a getter a column, on the prototype.
 * @param offset how many columns stand before these in the row
 * @param absent columns of the row that were not read: asking for one is a mistake of ours, and throws
 */
export function rowMaker<Row>(
  columns: Columns,
  { offset = 0, absent = [] }: { offset?: number; absent?: readonly string[] } = {},
): (row: DataRow) => Row {
  const layout = new Map<string, Place>();
  class Lazy extends FieldReader {}
  Object.defineProperty(Lazy.prototype, LAYOUT, { value: layout });
  for (const [position, [property, column]] of Object.entries(columns).entries()) {
    const type = typeof column === 'string' ? column : column.type;
    const index = position + offset;
    const decode = DECODERS[type];
    layout.set(property, { index, type });
    Object.defineProperty(Lazy.prototype, property, {
      enumerable: true,
      get(this: Lazy) {
        const bytes = fieldOf(this, index);
        return bytes === null ? null : decode(bytes);
      },
    });
  }
  for (const property of absent) {
    Object.defineProperty(Lazy.prototype, property, {
      get() {
        throw new TypeError(`The column ${property} was not read`);
      },
    });
  }
  return (row) => new Lazy(row) as Row;
}

const DECODERS: Record<ColumnType, (bytes: Bytes) => unknown> = {
  int8: BigInt,
  int4: Number,
  text: decodeUtf8,
  enum: (bytes) => bytes,
  bool: (bytes) => bytes === 't',
  timestamp: (bytes) => new Date(toIsoTimestamp(bytes)),
  jsonb: (bytes) => JSON.parse(decodeUtf8(bytes)),
  json: (bytes) => parseJson(decodeUtf8(bytes)),
  'text[]': (bytes) => parseArray(decodeUtf8(bytes)),
  'int8[]': (bytes) => parseArray(bytes, BigInt),
};

/** A value of type `json`. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, keepInteger);
}

/** Integers beyond 2^53 become bigints: as numbers they would be rounded. */
function keepInteger(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? '')
    ? BigInt(source ?? 0)
    : value;
}

/** Adds the bytes of a field as JSON. */
export type WriteJson = (out: Output, row: DataRow, start: number, end: number) => void;

/** By the JSON of the bytes alone. */
const cut =
  (toJson: (bytes: Bytes) => Bytes): WriteJson =>
  (out, row, start, end) =>
    out.addText(toJson(row.slice(start, end)));

const asIs: WriteJson = (out, row, start, end) => out.addText(row, start, end);

/** What `JSON.stringify` makes of the decoded value, without decoding where that is the same. */
const WRITE: Record<ColumnType, WriteJson> = {
  int8: asIs,
  int4: asIs,
  text(out, row, start, end) {
    if (!out.addPlain(row, start, end)) out.addText(stringify(decodeUtf8(row.slice(start, end))));
  },
  enum: (out, row, start, end) => void out.addPlain(row, start, end),
  bool: (out, row, start) => out.addText(row[start] === 't' ? 'true' : 'false'),
  timestamp: cut((bytes) => `"${toIsoTimestamp(bytes)}"`),
  jsonb: cut(compact),
  json: asIs,
  'text[]': cut((bytes) => stringify(parseArray(decodeUtf8(bytes)))),
  'int8[]': cut((bytes) => `[${bytes.slice(1, -1)}]`),
};

/** Any value as JSON, in bytes. */
export function stringify(value: unknown): Bytes {
  return encodeUtf8(JSON.stringify(value));
}

/** PostgreSQL writes jsonb with spaces between its parts; JSON over the wire has none. Numbers keep all their digits. */
function compact(bytes: Bytes): Bytes {
  return bytes.length <= 2 ? bytes : bytes.replace(/("(?:[^"\\]|\\.)*")|([:,]) /g, '$1$2');
}

const FRACTION = ['.000Z', null, '00Z', '0Z', 'Z'];

/**
 * `2026-11-20 11:13:29.16+00` as `2026-11-20T11:13:29.160Z`: cut and pasted where the session is in UTC, else parsed.
 * Years 1 to 9999, milliseconds: the store's columns hold no more.
 */
function toIsoTimestamp(text: string): string {
  const end = text.endsWith('+00') ? FRACTION[text.length - 22] : null;
  if (typeof end === 'string') return `${text.slice(0, 10)}T${text.slice(11, -3)}${end}`;
  return new Date(text.replace(' ', 'T').replace(/[+-]\d\d$/, '$&:00')).toISOString();
}
