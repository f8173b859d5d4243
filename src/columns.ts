// Rows as PostgreSQL sends them: text, which is decoded when somebody asks for it, and never for nobody. Pure.
import { parse as parseArray } from 'postgres-array';

/** How a column's text becomes a value. */
export type ColumnType = 'int8' | 'int4' | 'text' | 'bool' | 'timestamp' | 'json' | 'text[]' | 'int8[]';

/** A column: its type, and its SQL over alias `t` where that is not the property's name in snake_case. */
export type Column = ColumnType | { readonly type: ColumnType; readonly sql: string };

/** The columns of a row by property name, in the order of the select list. */
export type Columns = Readonly<Record<string, Column>>;

/** A row's columns as text. */
export type TextRow = readonly (string | null)[];

/** Where a property stands in the text, and what it is. */
export interface Place {
  readonly index: number;
  readonly type: ColumnType;
}

const TEXT = Symbol('text');
const LAYOUT = Symbol('layout');
type Layout = ReadonlyMap<string, Place>;
interface LazyRow {
  readonly [TEXT]: TextRow;
  readonly [LAYOUT]: Layout;
}

/** The text of a row that `rowMaker` made. */
export function textOf(row: object): TextRow {
  return (row as LazyRow)[TEXT];
}

/** The layout of a row that `rowMaker` made, the same for every row of a maker; undefined for any other object. */
export function layoutOf(row: object): Layout | undefined {
  return (row as Partial<LazyRow>)[LAYOUT];
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
 * @param offset how many columns stand before these in the text
 * @param absent columns of the row that were not read: asking for one is a mistake of ours, and throws
 */
export function rowMaker<Row>(
  columns: Columns,
  { offset = 0, absent = [] }: { offset?: number; absent?: readonly string[] } = {},
): (text: TextRow) => Row {
  const layout = new Map<string, Place>();
  class Lazy {
    readonly [TEXT]: TextRow;
    constructor(text: TextRow) {
      this[TEXT] = text;
    }
  }
  Object.defineProperty(Lazy.prototype, LAYOUT, { value: layout });
  for (const [position, [property, column]] of Object.entries(columns).entries()) {
    const type = typeof column === 'string' ? column : column.type;
    const index = position + offset;
    const decode = DECODERS[type];
    layout.set(property, { index, type });
    Object.defineProperty(Lazy.prototype, property, {
      enumerable: true,
      get(this: LazyRow) {
        const text = this[TEXT][index];
        return text == null ? null : decode(text);
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
  return (text) => new Lazy(text) as Row;
}

const DECODERS: Record<ColumnType, (text: string) => unknown> = {
  int8: BigInt,
  int4: Number,
  text: (text) => text,
  bool: (text) => text === 't',
  timestamp: (text) => new Date(toIsoTimestamp(text)),
  json: (text) => JSON.parse(text),
  'text[]': (text) => parseArray(text),
  'int8[]': (text) => parseArray(text, BigInt),
};

// Nothing that JSON escapes, and no surrogates: JSON.stringify knows which of them stand alone.
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** Text of one type as JSON; what `JSON.stringify` makes of the decoded value, without decoding where that is the same. */
export const TO_JSON: Record<ColumnType, (text: string) => string> = {
  int8: (text) => text,
  int4: (text) => text,
  text: (text) => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text)),
  bool: (text) => (text === 't' ? 'true' : 'false'),
  timestamp: (text) => `"${toIsoTimestamp(text)}"`,
  json: compact,
  'text[]': (text) => JSON.stringify(parseArray(text)),
  'int8[]': (text) => `[${text.slice(1, -1)}]`,
};

/** PostgreSQL writes jsonb with spaces between its parts; JSON over the wire has none. Numbers keep all their digits. */
function compact(text: string): string {
  return text.length <= 2 ? text : text.replace(/("(?:[^"\\]|\\.)*")|([:,]) /g, '$1$2');
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
