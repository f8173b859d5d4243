// Rows as PostgreSQL sends them: bytes, which are decoded when somebody asks for them, and never for nobody. Pure.
import { parse as parseArray } from 'postgres-array';
import { type Field, type Fields, type FieldType, restNameOf, toSnakeCase } from '../resources/resource.ts';
import type { ByteWriter } from './byte-writer.ts';
import { BlockRow, bytesOf, endOf, isSame, type RowBlock, startOf } from './row-block.ts';

/** A column of a row: its type, its SQL over alias `t` where that is not the property's name in snake_case, and what its JSON is. */
export type Column = FieldType | (Pick<Field, 'type' | 'items'> & { readonly sql?: string });

/** The columns of a row by property name, in the order of the select list. */
export type Columns = Readonly<Record<string, Column>>;

/** Where a property stands in the row, and what it is. */
export interface ColumnPosition {
  readonly index: number;
  readonly type: FieldType;
}

const LAYOUT = Symbol('layout');
type Layout = ReadonlyMap<string, ColumnPosition>;

/**
 * Adds a field of a row that `rowMaker` made, as JSON. Adds nothing, and says false, where the column is null.
 * @param write a form of its own; else it is that of the column's type
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

/** Whether some fields that follow each other, `to` not among them, are the same in two rows that `rowMaker` made. */
export function sameFields(one: object, other: object, from: number, to: number): boolean {
  return isSame(one as BlockRow, other as BlockRow, from, to);
}

/** The layout of a row that `rowMaker` made, the same for every row of a maker; undefined for any other object. */
export function layoutOf(row: object): Layout | undefined {
  return (row as { [LAYOUT]?: Layout })[LAYOUT];
}

/** The select list that gives these columns, each under its property's name. */
export function selectList(columns: Columns, alias = 't'): string {
  return Object.entries(columns)
    .map(([property, column]) => {
      const sql = typeof column === 'string' ? undefined : column.sql;
      return `${sql ?? `${alias}.${toSnakeCase(property)}`} as "${property}"`;
    })
    .join(', ');
}

/** Makes a row of one in a block. */
export type RowMaker<Row> = (block: RowBlock, index: number) => Row;

/**
 * Makes rows of one kind: objects with a getter a column, on the prototype.
 * @param offset how many columns stand before these in the row
 * @param absent columns of the row that were not read: asking for one is a mistake of ours, and throws
 */
export function rowMaker<Row>(
  columns: Columns,
  { offset = 0, absent = [] }: { offset?: number; absent?: readonly string[] } = {},
): RowMaker<Row> {
  const layout = new Map<string, ColumnPosition>();
  class Lazy extends BlockRow {}
  Object.defineProperty(Lazy.prototype, LAYOUT, { value: layout });
  for (const [position, [property, column]] of Object.entries(columns).entries()) {
    const { type, items } = typeof column === 'string' ? { type: column } : column;
    const index = position + offset;
    const decode = items === undefined ? DECODERS[type] : itemsDecoder(items);
    layout.set(property, { index, type });
    Object.defineProperty(Lazy.prototype, property, {
      enumerable: true,
      get(this: Lazy) {
        const start = startOf(this, index);
        if (start < 0) return null;
        const bytes = bytesOf(this);
        return decode(bytes, start, endOf(bytes, start));
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
  return (block, index) => new Lazy(block, index) as Row;
}

type Decode = (bytes: Buffer, start: number, end: number) => unknown;

/** By the text of the bytes. */
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

/** The labels of enums that have come so far: one string each, found without making it anew. */
const labels: string[] = [];

function toLabel(bytes: Buffer, start: number, end: number): string {
  for (const known of labels) if (isText(known, bytes, start, end)) return known;
  const label = bytes.toString('latin1', start, end);
  labels.push(label);
  return label;
}

function isText(ascii: string, bytes: Buffer, start: number, end: number): boolean {
  if (ascii.length !== end - start) return false;
  for (let i = 0; i < ascii.length; i++) if (ascii.charCodeAt(i) !== bytes[start + i]) return false;
  return true;
}

/** JSON whose integers may be of 64 bits. */
function parseJson(text: string): unknown {
  return JSON.parse(text, keepInteger);
}

/** A list of objects: their members by property name, ids as bigints. */
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

/** What JSON has no type of its own for. */
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

/** Adds the bytes of a field as JSON. */
export type WriteJson = (out: ByteWriter, bytes: Buffer, start: number, end: number) => void;

/** By the text of the bytes. */
const writeText =
  (toJson: (text: string) => string): WriteJson =>
  (out, bytes, start, end) =>
    out.addText(toJson(bytes.toString('utf8', start, end)));

const asIs: WriteJson = (out, bytes, start, end) => out.addPart(bytes, start, end);

/** What `JSON.stringify` makes of the decoded value, without decoding where that is the same. */
const WRITE: Record<FieldType, WriteJson> = {
  int8: asIs,
  int4: asIs,
  text: writeString,
  enum: writeString,
  bool: (out, bytes, start) => out.addText(bytes[start] === TRUE ? 'true' : 'false'),
  timestamp: writeTimestamp,
  jsonb(out, bytes, start, end) {
    // {} and [] have nothing to leave out.
    if (end - start <= 2) out.addPart(bytes, start, end);
    else out.addText(compact(bytes.toString('utf8', start, end)));
  },
  json: asIs,
  'text[]': writeText((text) => JSON.stringify(parseArray(text))),
  'int8[]': writeText((text) => `[${text.slice(1, -1)}]`),
};

function writeString(out: ByteWriter, bytes: Buffer, start: number, end: number): void {
  if (!out.addPlain(bytes, start, end)) out.addText(JSON.stringify(bytes.toString('utf8', start, end)));
}

/** PostgreSQL writes jsonb with spaces between its parts; JSON over the wire has none. Numbers keep all their digits. */
function compact(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|([:,]) /g, '$1$2');
}

/** The date and the time as PostgreSQL has them, to the second, and how what is behind them ends. */
const DATE_LENGTH = 10;
const SECONDS_LENGTH = 19;
const UTC = '+00';
/** What ISO 8601 has behind the digits of a fraction, by how many of these PostgreSQL prints, the point among them. */
const FRACTION = ['.000Z"', null, '00Z"', '0Z"', 'Z"'].map((end) => end && Buffer.from(end));
const QUOTE = 0x22;
const T = 0x54;

/**
 * `2026-11-20 11:13:29.16+00` as `2026-11-20T11:13:29.160Z`: cut and pasted where the session is in UTC, else parsed.
 * Years 1 to 9999, milliseconds: the store's columns hold no more.
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

/** `2026-11-20 11:13:29.16+05:30`, or with `+05`. */
function toDate(text: string): Date {
  return new Date(text.replace(' ', 'T').replace(/[+-]\d\d$/, '$&:00'));
}
