// Rows whose columns are getters over PostgreSQL's bytes, decoded on access, and the writers that turn column bytes into JSON. Pure.
import { parse as parseArray } from 'postgres-array';
import { type Field, type Fields, type FieldType, restNameOf, toSnakeCase } from '../resources/resource.ts';
import type { ByteWriter } from './byte-writer.ts';
import { BlockRow, bytesOf, endOf, equalFields, type RowBlock, startOf } from './row-block.ts';

/** A column of a row: its type, the fields of its items if it is a list of objects, and its SQL over alias `t` (default: the property in snake_case). */
export type Column = FieldType | (Pick<Field, 'type' | 'items'> & { readonly sql?: string });

/** The columns of a row by property name, in the order of the select list. */
export type Columns = Readonly<Record<string, Column>>;

/** The index and the type of a property's column. */
export interface ColumnPosition {
  readonly index: number;
  readonly type: FieldType;
}

const LAYOUT = Symbol('layout');
type Layout = ReadonlyMap<string, ColumnPosition>;

/**
 * Adds a column of a row of `rowMaker` as JSON. Returns false, and adds nothing, where it is null.
 * @param write another writer than that of the column's type
 */
export function writeField(
  out: ByteWriter,
  row: object,
  { index, type }: ColumnPosition,
  write: WriteJson = WRITE[type],
): boolean {
  const start = startOf(row as BlockRow, index);
  if (start < 0) return false;
  const bytes = bytesOf(row as BlockRow);
  write(out, bytes, start, endOf(bytes, start));
  return true;
}

/** Whether the columns from index `from` up to `to`, exclusive, are equal in two rows of `rowMaker`. */
export function sameFields(one: object, other: object, from: number, to: number): boolean {
  return equalFields(one as BlockRow, other as BlockRow, from, to);
}

/** The columns of a row of `rowMaker`, by property: one map for all rows of one maker. Undefined for any other object. */
export function layoutOf(row: object): Layout | undefined {
  return (row as { [LAYOUT]?: Layout })[LAYOUT];
}

/** The select list of these columns, each aliased by its property's name. */
export function selectList(columns: Columns, alias = 't'): string {
  return Object.entries(columns)
    .map(([property, column]) => {
      const sql = typeof column === 'string' ? undefined : column.sql;
      return `${sql ?? `${alias}.${toSnakeCase(property)}`} as "${property}"`;
    })
    .join(', ');
}

/** Creates the row at an index of a block. */
export type RowMaker<Row> = (block: RowBlock, index: number) => Row;

/**
 * A factory of rows: objects with one getter a column, on the prototype.
 * @param offset the index of the first of these columns in the select list
 * @param absent columns that were not selected: their getters throw, for reading one is a bug
 */
export function rowMaker<Row>(
  columns: Columns,
  { offset = 0, absent = [] }: { offset?: number; absent?: readonly string[] } = {},
): RowMaker<Row> {
  const layout = new Map<string, ColumnPosition>();
  class LazyRow extends BlockRow {}
  Object.defineProperty(LazyRow.prototype, LAYOUT, { value: layout });
  for (const [position, [property, column]] of Object.entries(columns).entries()) {
    const { type, items } = typeof column === 'string' ? { type: column } : column;
    const index = position + offset;
    const decode = items === undefined ? DECODERS[type] : itemsDecoder(items);
    layout.set(property, { index, type });
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
        throw new TypeError(`The column ${property} was not read`);
      },
    });
  }
  return (block, index) => new LazyRow(block, index) as Row;
}

type Decode = (bytes: Buffer, start: number, end: number) => unknown;

/** Decodes the column's text. */
const fromText =
  (parse: (text: string) => unknown): Decode =>
  (bytes, start, end) =>
    parse(bytes.toString('utf8', start, end));

const DECODERS: Record<FieldType, Decode> = {
  int8: fromText(BigInt),
  int4: fromText(Number),
  text: fromText((text) => text),
  enum: toLabel,
  bool: (bytes, start) => bytes[start] === TRUE,
  timestamp: fromText(toDate),
  jsonb: fromText(JSON.parse),
  json: fromText(parseJson),
  'text[]': fromText(parseArray),
  'int8[]': fromText((text) => parseArray(text, BigInt)),
};

const TRUE = 0x74;

/** The enum labels seen so far, so that each is one string. Bounded by the enums of the database schema. */
const labels: string[] = [];

function toLabel(bytes: Buffer, start: number, end: number): string {
  for (const seen of labels) if (isText(seen, bytes, start, end)) return seen;
  const label = bytes.toString('latin1', start, end);
  labels.push(label);
  return label;
}

function isText(ascii: string, bytes: Buffer, start: number, end: number): boolean {
  if (ascii.length !== end - start) return false;
  for (let i = 0; i < ascii.length; i++) if (ascii.charCodeAt(i) !== bytes[start + i]) return false;
  return true;
}

/** Parses JSON whose integers may have 64 bits. */
function parseJson(text: string): unknown {
  return JSON.parse(text, keepInteger);
}

/** Decodes a JSON list of objects; their members by property name, ids as bigints. */
function itemsDecoder(items: Fields): Decode {
  const members = Object.entries(items).map(([property, field]) => ({
    property,
    name: restNameOf(property, field),
    parse: ITEM_PARSERS[field.type] ?? ((value: unknown) => value),
  }));
  return fromText((text) =>
    (parseJson(text) as Record<string, unknown>[]).map((item) =>
      Object.fromEntries(members.map(({ property, name, parse }) => [property, parse(item[name])])),
    ),
  );
}

/** Conversions of members whose types JSON lacks. */
const ITEM_PARSERS: Partial<Record<FieldType, (value: unknown) => unknown>> = {
  int8: (value) => BigInt(value as number | bigint),
  timestamp: (value) => new Date(value as string),
};

/** Integers beyond 2^53 become bigints: as numbers they would be rounded. */
function keepInteger(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? '')
    ? BigInt(source ?? 0)
    : value;
}

/** Adds a column's bytes, from `start` up to `end`, as JSON. */
export type WriteJson = (out: ByteWriter, bytes: Buffer, start: number, end: number) => void;

/** Writes JSON made from the column's text. */
const writeText =
  (toJson: (text: string) => string): WriteJson =>
  (out, bytes, start, end) =>
    out.addText(toJson(bytes.toString('utf8', start, end)));

const copy: WriteJson = (out, bytes, start, end) => out.addPart(bytes, start, end);

/** Writers by column type: the JSON of the decoded value, without decoding where the bytes are that JSON already. */
const WRITE: Record<FieldType, WriteJson> = {
  int8: copy,
  int4: copy,
  text: writeString,
  enum: writeString,
  bool: (out, bytes, start) => out.addText(bytes[start] === TRUE ? 'true' : 'false'),
  timestamp: writeTimestamp,
  jsonb(out, bytes, start, end) {
    // {} and [] contain no spaces.
    if (end - start <= 2) out.addPart(bytes, start, end);
    else out.addText(compact(bytes.toString('utf8', start, end)));
  },
  json: copy,
  'text[]': writeText((text) => JSON.stringify(parseArray(text))),
  'int8[]': writeText((text) => `[${text.slice(1, -1)}]`),
};

function writeString(out: ByteWriter, bytes: Buffer, start: number, end: number): void {
  if (!out.addUnescaped(bytes, start, end)) out.addText(JSON.stringify(bytes.toString('utf8', start, end)));
}

/** Removes the spaces that PostgreSQL puts between the tokens of jsonb. Numbers keep all their digits. */
function compact(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|([:,]) /g, '$1$2');
}

/** The lengths of PostgreSQL's date, and of date and time to the second; the offset of a session in UTC. */
const DATE_LENGTH = 10;
const SECONDS_LENGTH = 19;
const UTC = '+00';
/** What completes a fraction to milliseconds in UTC, by the length of PostgreSQL's fraction, its point included. */
const FRACTION = ['.000Z"', null, '00Z"', '0Z"', 'Z"'].map((end) => end && Buffer.from(end));
const QUOTE = 0x22;
const T = 0x54;

/**
 * Writes `2026-11-20 11:13:29.16+00` as `2026-11-20T11:13:29.160Z`: copied where the session is in UTC, else parsed. The store's
 * columns are of the years 1 to 9999, with milliseconds.
 */
function writeTimestamp(out: ByteWriter, bytes: Buffer, start: number, end: number): void {
  const zone = end - UTC.length;
  const fraction = isText(UTC, bytes, zone, end) ? FRACTION[zone - start - SECONDS_LENGTH] : null;
  if (!fraction) {
    out.addText(JSON.stringify(toDate(bytes.toString('latin1', start, end))));
    return;
  }
  out.addByte(QUOTE);
  out.addPart(bytes, start, start + DATE_LENGTH);
  out.addByte(T);
  out.addPart(bytes, start + DATE_LENGTH + 1, zone);
  out.add(fraction);
}

/** Parses `2026-11-20 11:13:29.16+05:30`, or with `+05`. */
function toDate(text: string): Date {
  return new Date(text.replace(' ', 'T').replace(/[+-]\d\d$/, '$&:00'));
}
