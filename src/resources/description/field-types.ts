// The types of fields, each described once: PostgreSQL's column types, the value in a row, JSON and its schema, the values that clients may
// send, and the GraphQL scalar. A new type is added here; a new scalar is also defined in graphql/scalars.ts. Pure.
import { isIP } from 'node:net';
import { parse as parseArray } from 'postgres-array';
import { decimalPlacesOf } from './currencies.ts';

/** A JSON Schema, in the version that OpenAPI 3.1 uses. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A form of values that clients send. */
export interface Form<Value = unknown> {
  /** A phrase for error messages: the text after "must be". */
  readonly expected: string;
  /** A phrase that says better what is wrong with other values, such as `is not a valid e-mail address`. */
  readonly wrong?: string;
  /** Converts a value to the form in rows; undefined if it does not have this form. The caller refuses text that cannot be stored. */
  parse(value: unknown): Value | undefined;
}

/** The properties of a type. */
interface TypeForm<Value = unknown> extends Form<Value> {
  /** The names of its PostgreSQL column types. */
  readonly columns: readonly string[];
  /** Converts PostgreSQL's text to the value in a row. */
  fromText(text: string): Value;
  /** Converts the JSON that REST shows to the value in a row; absent: they are the same. */
  fromJson?(json: unknown): Value;
  /**
   * How PostgreSQL's text becomes the JSON that REST shows: unchanged (`copied`), without spaces between tokens (`compacted`), as a JSON
   * string (`quoted`), or by a function.
   */
  readonly json: 'copied' | 'compacted' | 'quoted' | ((text: string) => string);
  /** The SQL for the same JSON, if `to_json` of the column is not enough. */
  jsonSql?(sql: string): string;
  /** The JSON Schema of the value that REST shows. */
  readonly schema: JsonSchema;
  /** The JSON Schema of the value that clients send, if it differs. */
  readonly givenSchema?: JsonSchema;
  /** The GraphQL scalar; for a list, that of its items. */
  readonly scalar: string;
  readonly isList?: true;
}

/** Infers the type of the value from `fromText`. */
const type = <Value>(form: TypeForm<Value>): TypeForm<Value> => form;

/** A form whose values are not converted. */
export const unconverted = <Value>(expected: string, is: (value: never) => boolean): Form<Value> => ({
  expected,
  parse: (value) => (is(value as never) ? (value as Value) : undefined),
});

/** The form of lists whose items have the given form. */
export const listOf = <Value>({ expected, parse }: Form<Value>): Form<Value[]> => ({
  expected: `a list where each item is ${expected}`,
  parse(value) {
    const items = Array.isArray(value) ? value.map(parse) : [undefined];
    return items.includes(undefined) ? undefined : (items as Value[]);
  },
});

/** One of a closed list of texts. */
export function oneOf(values: readonly string[]): Form<string> {
  const others = values.slice(0, -1).join(', ');
  return unconverted([others, values.at(-1)].filter(Boolean).join(' or '), (value) => values.includes(value));
}

/** JSON numbers are exact only below 2^53. As a string of digits, a client can send any 64-bit integer. */
const integer: Form<bigint> = {
  expected: 'a whole number',
  parse(value) {
    if (typeof value === 'bigint') return value < 2n ** 63n && value >= -(2n ** 63n) ? value : undefined;
    if (Number.isSafeInteger(value)) return BigInt(value as number);
    if (typeof value !== 'string' || !/^\d{1,19}$/.test(value)) return undefined;
    const parsed = BigInt(value);
    return parsed < 2n ** 63n ? parsed : undefined;
  },
};

const anyText: Form<string> = unconverted('text', (value) => typeof value === 'string');

const int8 = type<bigint>({
  ...integer,
  columns: ['int8'],
  fromText: BigInt,
  fromJson: (json) => BigInt(json as number | bigint),
  json: 'copied',
  schema: { type: 'integer', format: 'int64' },
  givenSchema: { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^\\d{1,19}$' }] },
  scalar: 'BigInt',
});

const text = type<string>({
  ...anyText,
  columns: ['text', 'uuid'],
  fromText: identity,
  json: 'quoted',
  schema: { type: 'string' },
  scalar: 'String',
});

const json = {
  ...unconverted<unknown>('JSON', () => true),
  fromText: parseJson,
  // Any value.
  schema: {},
  scalar: 'JSON',
} as const;

/** A PostgreSQL array of a type. */
function arrayOf<Value>(item: TypeForm<Value>, toJson: (text: string) => string): TypeForm<Value[]> {
  const { fromJson } = item;
  return {
    ...listOf(item),
    columns: item.columns.map((column) => `_${column}`),
    fromText: (array) => parseArray(array, item.fromText),
    ...(fromJson && { fromJson: (items: unknown) => (items as unknown[]).map(fromJson) }),
    json: toJson,
    schema: { type: 'array', items: item.schema },
    ...(item.givenSchema && { givenSchema: { type: 'array', items: item.givenSchema } }),
    scalar: item.scalar,
    isList: true,
  };
}

/** Whole numbers as text. Some clients send every number with a decimal point. */
const INTEGER = /^-?\d{1,10}(?:\.0{1,9})?$/;
const NUMBER = /^-?\d{1,9}(?:\.\d{1,6})?$/;
/** The number of digits is bounded, so that sums over many rows stay exact and short. */
const DECIMAL = /^-?\d{1,15}(?:\.\d{1,9})?$/;

export const FIELD_TYPES = {
  int8,
  int4: type<number>({
    expected: 'a whole number from -2147483648 to 2147483647',
    parse(value) {
      const number = typeof value === 'string' && INTEGER.test(value) ? Number(value) : value;
      return typeof number === 'number' && (number | 0) === number ? number | 0 : undefined;
    },
    columns: ['int4'],
    fromText: Number,
    fromJson: Number,
    json: 'copied',
    schema: { type: 'integer', format: 'int32' },
    givenSchema: { anyOf: [{ type: 'integer' }, { type: 'string', pattern: INTEGER.source }] },
    scalar: 'Int',
  }),
  /** A whole number, which clients may also send as a string of digits. */
  count: type<number>({
    expected: 'a whole number from 0 to 2147483647',
    parse(value) {
      const number = typeof value === 'string' && INTEGER.test(value) ? Number(value) : value;
      return typeof number === 'number' && (number | 0) === number && number >= 0 ? number | 0 : undefined;
    },
    columns: ['int4'],
    fromText: Number,
    fromJson: Number,
    json: 'copied',
    schema: { type: 'integer', format: 'int32' },
    givenSchema: { anyOf: [{ type: 'integer' }, { type: 'string', pattern: INTEGER.source }] },
    scalar: 'Int',
  }),
  /** A measurement, such as a length: a number in JSON. Amounts of money have the type `decimal`. */
  number: type<number>({
    expected: 'a number with at most 9 digits before the point and 6 after it',
    parse: (value) =>
      ['number', 'string'].includes(typeof value) && NUMBER.test(String(value))
        ? Number(value) + 0
        : undefined,
    columns: ['numeric'],
    fromText: Number,
    json: (text) => String(Number(text)),
    jsonSql: (sql) => `trim_scale(${sql})`,
    schema: { type: 'number' },
    givenSchema: { anyOf: [{ type: 'number' }, { type: 'string', pattern: NUMBER.source }] },
    scalar: 'Float',
  }),
  text,
  /** A label of a PostgreSQL enum: letters and underscores. */
  enum: type<string>({ ...text, columns: ['step_kind', 'branch'] }),
  bool: type<boolean>({
    ...unconverted('true or false', (value) => typeof value === 'boolean'),
    columns: ['bool'],
    fromText: (letter) => letter === 't',
    json: (letter) => String(letter === 't'),
    schema: { type: 'boolean' },
    scalar: 'Boolean',
  }),
  /** An exact decimal. It is never converted to a floating-point number. */
  decimal: type<string>({
    expected:
      'a decimal number as text, such as "12.50", with at most 15 digits before the point and 9 after it',
    parse: parseDecimal,
    columns: ['numeric'],
    fromText: identity,
    json: 'quoted',
    jsonSql: (sql) => `(${sql})::text`,
    schema: { type: 'string', format: 'decimal' },
    givenSchema: { type: 'string', pattern: DECIMAL.source },
    scalar: 'Decimal',
  }),
  currency: type<string>({
    ...unconverted('the code of a currency (ISO 4217), such as USD', isCurrency),
    columns: ['text'],
    fromText: identity,
    json: 'quoted',
    schema: { type: 'string', pattern: '^[A-Z]{3}$' },
    scalar: 'CurrencyCode',
  }),
  /** A calendar date without time and time zone. It is text because a JavaScript `Date` is a moment in time. */
  date: type<string>({
    ...unconverted('a date such as 2026-01-31', isDate),
    columns: ['date'],
    fromText: identity,
    json: 'quoted',
    schema: { type: 'string', format: 'date' },
    scalar: 'Date',
  }),
  timestamp: type<Date>({
    expected: 'a time such as 2026-01-31T12:00:00Z',
    parse: parseTime,
    columns: ['timestamptz'],
    fromText: toDate,
    fromJson: (time) => new Date(time as string),
    json: (time) => JSON.stringify(toDate(time)),
    jsonSql: (sql) => `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    schema: { type: 'string', format: 'date-time' },
    scalar: 'DateTime',
  }),
  jsonb: type<unknown>({ ...json, columns: ['jsonb', 'json'], json: 'compacted' }),
  /** JSON that a statement builds, without spaces. */
  json: type<unknown>({ ...json, columns: [], json: 'copied', jsonSql: (sql) => `(${sql})::json` }),
  'text[]': arrayOf(text, (array) => JSON.stringify(parseArray(array))),
  'int8[]': arrayOf(int8, (array) => `[${array.slice(1, -1)}]`),
} as const satisfies Record<string, TypeForm>;

/** The type of a field: a column type, or JSON that a statement builds. */
export type FieldType = keyof typeof FIELD_TYPES;

/** The value of a field of this type in a row. */
export type ValueOfType<T extends FieldType> = ReturnType<(typeof FIELD_TYPES)[T]['fromText']>;

/** The properties of a type, without the TypeScript type of its values. */
export function typeOf(name: FieldType): TypeForm {
  return FIELD_TYPES[name];
}

/** Whether lists can be filtered by fields of this type: ids, whole numbers, booleans, and values that are text in JSON, except times. */
export function isFilterable(name: FieldType): boolean {
  return (
    ['int4', 'int8', 'bool'].includes(name) ||
    (typeOf(name).schema['type'] === 'string' && name !== 'timestamp')
  );
}

/** A required format of a text, with its JSON Schema. */
interface TextFormat extends Form<string> {
  readonly schema: JsonSchema;
}

const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** The formats of texts. The store applies the same rule to e-mail addresses. They are stored as written, without surrounding white space. */
export const TEXT_FORMATS = {
  uuid: {
    ...matching('a UUID', /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i),
    schema: { format: 'uuid' },
  },
  email: {
    expected: 'an e-mail address',
    wrong: 'is not a valid e-mail address',
    parse(value) {
      const address = typeof value === 'string' ? value.trim() : '';
      return EMAIL.test(address) ? address : undefined;
    },
    schema: {},
  },
  ip: {
    ...unconverted('an IP address', (value: unknown) => typeof value === 'string' && isIP(value) > 0),
    wrong: 'is not a valid IP address',
    schema: {},
  },
  uri: {
    ...unconverted('an http or https URL', isWebUrl),
    schema: { format: 'uri' },
  },
  color: {
    ...matching('a colour such as #1e90ff', /^#[\da-f]{6}$/i),
    schema: { pattern: '^#[0-9a-fA-F]{6}$' },
  },
} as const satisfies Record<string, TextFormat>;

function isWebUrl(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\/\S+$/.test(value) && URL.canParse(value);
}

function matching(expected: string, pattern: RegExp): Form<string> {
  return unconverted(expected, (value) => typeof value === 'string' && pattern.test(value));
}

function identity<Value>(value: Value): Value {
  return value;
}

/** Normalizes as PostgreSQL does: no leading zeros, and no sign for zero. */
function parseDecimal(value: unknown): string | undefined {
  if (typeof value !== 'string' || !DECIMAL.test(value)) return undefined;
  const unsigned = value.replace(/^-?0*(?=\d)/, '');
  return value.startsWith('-') && /[1-9]/.test(unsigned) ? `-${unsigned}` : unsigned;
}

function isCurrency(value: unknown): boolean {
  return typeof value === 'string' && decimalPlacesOf(value) !== undefined;
}

/** PostgreSQL has no year 0000. */
function isDate(value: unknown): boolean {
  return typeof value === 'string' && /^(?!0000)\d{4}-\d\d-\d\d$/.test(value) && isDay(value);
}

/** Parses `2026-11-20 11:13:29.16+05:30`, or with `+05`. */
export function toDate(time: string): Date {
  return new Date(time.replace(' ', 'T').replace(/[+-]\d\d$/, '$&:00'));
}

/** Parses JSON whose integers may have 64 bits. */
export function parseJson(text: string): unknown {
  return LONG_INTEGER.test(text) ? JSON.parse(text, keepInteger) : JSON.parse(text);
}

/** Only an integer of 16 digits or more can be beyond 2^53. Without one, JSON is parsed several times as fast. */
const LONG_INTEGER = /\d{16}/;

/** Integers beyond 2^53 become bigints: as numbers they would be rounded. */
function keepInteger(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? '')
    ? BigInt(source ?? 0)
    : value;
}

/** The store's columns hold the years 1 to 9999. */
const FIRST_TIME = new Date('0001-01-01T00:00:00.000Z');
export const LAST_TIME = new Date('9999-12-31T23:59:59.999Z');

/** A time with its offset (RFC 3339 §5.6). `isDay` checks the date. */
const TIME =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

function parseTime(value: unknown): Date | undefined {
  const [, day] = (typeof value === 'string' && TIME.exec(value)) || [];
  if (day === undefined || !isDay(day)) return undefined;
  const time = new Date((value as string).toUpperCase());
  // The offset may move the time into another year.
  return time >= FIRST_TIME && time <= LAST_TIME ? time : undefined;
}

/** Whether the date exists: JavaScript accepts 30 February as a day in March. */
function isDay(day: string): boolean {
  const time = Date.parse(day);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}
