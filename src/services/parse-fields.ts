// Parses untrusted JSON into the properties of a noun, by the description of its fields. Pure.
import { type FieldError, invalid, invalidFields } from '../errors.ts';
import {
  type Field,
  type Fields,
  type FieldType,
  isRequired,
  type Moment,
  type RowOf,
} from '../resources/resource.ts';
import { isStorable } from '../rows/storable.ts';

/** A noun's properties from a client: null clears a property, an absent one stays unchanged. */
export type Given<F extends Fields> = Partial<RowOf<F>>;

/** The client's name for a property. */
export type NameOf = (property: string, field: Field) => string;

/** A client's input for a noun, not validated yet. */
export interface Input {
  /** Expected to be an object with members that `nameOf` names; unknown members are ignored beside known ones. */
  readonly members: unknown;
  readonly nameOf: NameOf;
  /** The client's name for the object itself; absent: `body`. */
  readonly whole?: string;
  /** The form in which the client writes a property, if it is not the given form of REST's JSON. */
  readonly formOf?: (field: Field, form: Form) => Form;
}

type Members = Readonly<Record<string, unknown>>;

/** At most this many errors are returned, however much of a body is wrong. */
const MAX_ERRORS = 20;

/**
 * Parses the properties of a client's input.
 * @param fields the fields that the client may set
 * @param moment at creation, required fields must be present
 * @param mayBeEmpty whether the input may set nothing; an input of unknown members alone is refused in any case
 * @throws AppError `invalid` blaming each wrong member by the client's name for it, and the whole when it is no object or sets no known
 *   member
 */
export function parseFields<F extends Fields>(
  fields: F,
  { members: input, nameOf, whole = 'body', formOf: adapt = (_, form) => form }: Input,
  moment: Moment,
  mayBeEmpty = moment === 'change',
): Given<F> {
  const errors: FieldError[] = [];
  function blame(field: string, expected: string): undefined {
    if (errors.length < MAX_ERRORS) errors.push({ field, message: `${field} must be ${expected}.` });
  }

  function parseMembers(of: Fields, members: Members, prefix: string): Members {
    const parsed: Record<string, unknown> = {};
    for (const [property, field] of Object.entries(of)) {
      if (field.internal === true) continue;
      const name = nameOf(property, field);
      if (Object.hasOwn(members, name) && members[name] !== undefined)
        parsed[property] = parseMember(field, members[name], prefix + name);
      // A client may set some fields of a noun, but must set all fields of a list's item.
      else if (prefix === '' ? isRequired(field, moment) : field.optional !== true)
        blame(prefix + name, 'given');
    }
    return parsed;
  }

  function parseMember(field: Field, value: unknown, name: string): unknown {
    if (value === null && field.nullable === true) return null;
    if (field.items !== undefined) return parseItems(field.items, value, name);
    const { expected, parse } = adapt(field, formOf(field));
    const parsed = value === null ? undefined : parse(value);
    if (parsed === undefined) return blame(name, field.nullable === true ? `null or ${expected}` : expected);
    const { required, maxLength = Number.POSITIVE_INFINITY } = field;
    const { length = 0 } = parsed as { length?: number };
    if (length > maxLength)
      return blame(name, `at most ${maxLength} ${Array.isArray(parsed) ? 'items' : 'characters'} long`);
    if (required && typeof parsed === 'string' && parsed.trim() === '')
      return blame(name, 'more than white space');
    return parsed;
  }

  function parseItems(items: Fields, value: unknown, name: string): unknown {
    if (!Array.isArray(value)) return blame(name, 'a list of objects');
    return value.map((item, index) =>
      isObject(item)
        ? parseMembers(items, item, `${name}[${index}].`)
        : blame(`${name}[${index}]`, 'an object'),
    );
  }

  if (!isObject(input)) throw invalid(whole, `${whole} must be an object.`);
  const given = parseMembers(fields, input, '');
  if (Object.keys(given).length === 0) {
    const names = namesOf(fields, nameOf);
    const isEmpty = Object.keys(input).length === 0;
    const message = `${whole} has none of the members that this takes: ${names.join(', ')}.`;
    if (!mayBeEmpty || !(isEmpty || names.some((name) => Object.hasOwn(input, name))))
      throw errors.length === 0 ? invalid(whole, message) : invalidFields(errors, message);
  }
  if (errors.length > 0) throw invalidFields(errors);
  return given as Given<F>;
}

/** The client's names for the members that it may set. */
export function namesOf(fields: Fields, nameOf: NameOf): string[] {
  return Object.entries(fields)
    .filter(([, { internal }]) => internal !== true)
    .map(([property, field]) => nameOf(property, field));
}

/** One form of values. */
export interface Form {
  /** Describes the form; completes "must be". */
  readonly expected: string;
  /** Converts a value to the type that rows have; undefined when it does not have this form. */
  parse(value: unknown): unknown;
}

const only = (expected: string, is: (value: never) => boolean): Form => ({
  expected,
  parse: (value) => (is(value as never) ? value : undefined),
});

/** The form of lists of values of a form. */
export const listOf = ({ expected, parse }: Form): Form => ({
  expected: `a list in which each item is ${expected}`,
  parse(value) {
    const items = Array.isArray(value) ? value.map(parse) : [undefined];
    return items.includes(undefined) ? undefined : items;
  },
});

const isText = (value: unknown): value is string => typeof value === 'string' && isStorable(value);
const text = only('text without NUL characters or lone surrogates', isText);
/** JSON numbers are exact only below 2^53; as a string of digits, a client can send every value of the column. */
const integer: Form = {
  expected: 'an integer below 2^53, or one below 2^63 as a string of digits',
  parse(value) {
    if (typeof value === 'bigint') return value < 2n ** 63n && value >= -(2n ** 63n) ? value : undefined;
    if (Number.isSafeInteger(value)) return BigInt(value as number);
    if (typeof value !== 'string' || !/^\d{1,19}$/.test(value)) return undefined;
    const parsed = BigInt(value);
    return parsed < 2n ** 63n ? parsed : undefined;
  },
};
const json = only('JSON without NUL characters or lone surrogates', isStorable);
/** A null member becomes the empty text. */
const textMembers: Form = {
  expected: 'an object whose members are text',
  parse(value) {
    if (!isObject(value)) return undefined;
    const members = Object.fromEntries(Object.entries(value).map(([name, text]) => [name, text ?? '']));
    return isStorable(members) && Object.values(members).every(isText) ? members : undefined;
  },
};
const zeroOrOne: Form = {
  expected: '0 or 1',
  parse: (value) => [false, true][[0, 1].indexOf(value as number)],
};

const FORMS: Record<FieldType, Form> = {
  int8: integer,
  int4: only('an integer of 32 bits', (value) => typeof value === 'number' && (value | 0) === value),
  text,
  enum: text,
  bool: only('true or false', (value) => typeof value === 'boolean'),
  timestamp: { expected: 'a time such as 2026-01-31T12:00:00Z', parse: parseTime },
  jsonb: json,
  json,
  'text[]': listOf(text),
  'int8[]': listOf(integer),
};

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

const EMAIL = /^[^\s@]+@[^\s@]+$/;

/**
 * Texts with a format. The database checks the same format of an e-mail address, which is stored as written, without surrounding white
 * space.
 */
const FORMATS: Record<NonNullable<Field['format']>, Form> = {
  uuid: textOf('a UUID', UUID),
  email: {
    expected: 'an e-mail address',
    parse(value) {
      const address = isText(value) ? value.trim() : '';
      return EMAIL.test(address) ? address : undefined;
    },
  },
  color: textOf('a colour such as #1e90ff', /^#[\da-f]{6}$/i),
};

function textOf(expected: string, pattern: RegExp): Form {
  return only(expected, (value) => isText(value) && pattern.test(value));
}

function formOf({ type, values, format, members, restAsNumber }: Field): Form {
  if (values !== undefined) return only(values.join(' or '), (value) => values.includes(value));
  if (format !== undefined) return FORMATS[format];
  if (members === 'text') return textMembers;
  if (restAsNumber === true) return zeroOrOne;
  return FORMS[type];
}

/** The range of the database's columns: the years 1 to 9999. */
const [FIRST_TIME, LAST_TIME] = [new Date('0001-01-01T00:00:00.000Z'), new Date('9999-12-31T23:59:59.999Z')];

/** RFC 3339 §5.6, to the millisecond: a time with an offset, on an existing day. */
const TIME =
  /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

function parseTime(value: unknown): Date | undefined {
  const [, day] = (typeof value === 'string' && TIME.exec(value)) || [];
  if (day === undefined || !isDay(day)) return undefined;
  const time = new Date((value as string).toUpperCase());
  // In UTC the time may be in another year than the text says.
  return time >= FIRST_TIME && time <= LAST_TIME ? time : undefined;
}

/** Whether the day exists: JavaScript accepts 30 February as a day in March. */
function isDay(day: string): boolean {
  const time = Date.parse(day);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/** Whether a value of JSON is an object. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
