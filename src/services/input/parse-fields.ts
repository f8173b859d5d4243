// Parses untrusted JSON into the properties of a noun, by the description of its fields. Pure.
import {
  AppError,
  BLANK,
  type Fault,
  type FieldError,
  fieldErrorsOf,
  invalid,
  invalidFields,
  mustBe,
  mustBeId,
  mustBeOneOf,
  NO_ENTRY,
  NOT_AN_OBJECT,
  noKnownMember,
  outOfRange,
  REQUIRED,
  sentenceOf,
  tooLong,
  tooManyItems,
  UNSTORABLE,
} from '../../errors.ts';
import { type Form, oneOf, TEXT_FORMATS, typeOf } from '../../resources/description/field-types.ts';
import {
  type Field,
  type Fields,
  type NounNames,
  type RowOf,
  referencedNoun,
} from '../../resources/description/fields.ts';
import { inRest, isRequired, type Moment } from '../../resources/description/inputs.ts';
import { withArticle } from '../../resources/description/names.ts';
import type { CriterionForms } from '../../resources/refine-filters.ts';
import { isStorable } from '../../rows/storable.ts';
import { type PublicIdTable, parseId } from '../../store/sql/public-ids.ts';

/**
 * A noun's properties from a client: null clears a property, an absent one stays unchanged. Null for a property that is never null counts
 * as absent, and for a new object so does null for one that has a default.
 */
export type NewValues<F extends Fields> = Partial<RowOf<F>>;

/** The client's name for a property. */
export type NameOf = (property: string, field: Field) => string;

/** A client's input for a noun, not validated yet. */
export interface Input {
  /** Expected to be an object with members that `nameOf` names; unknown members are ignored if there are known ones. */
  readonly members: unknown;
  readonly nameOf: NameOf;
  /** The client's name for the object itself; absent: `body`. */
  readonly whole?: string;
  /** The form in which the client writes a property, if it differs from the form of REST's JSON. */
  readonly formOf?: (field: Field, form: Form) => Form;
  /** How the client writes the criteria of a saved filter; absent: as REST does. */
  readonly criterionForms?: CriterionForms;
  /** The currency that the client sent with an amount, and its name for it, by its name for the amount. Absent: amounts have none of their own. */
  readonly currencyOf?:
    | ((name: string) => { readonly code: string; readonly name: string } | undefined)
    | undefined;
  /** Whether the client can give a field. It need not give others. Absent: those that REST has. */
  readonly isGivable?: (field: Field) => boolean;
  /** What is already known to be wrong with members: those are not parsed, and the errors are thrown with those of the other members. */
  readonly faults?: readonly FieldError[];
}

/** The client's names for properties, and what it sent beside their values. */
export type Naming = Pick<Input, 'nameOf' | 'currencyOf'>;

type Members = Readonly<Record<string, unknown>>;

/**
 * Checks rules over several members. A member that is wrong by itself is there, but undefined.
 * @throws AppError `invalid`; what it says of wrong members is left out
 */
export type Check<F extends Fields> = (given: NewValues<F>) => void;

/** At most this many errors are returned, however much of a body is wrong. */
const MAX_ERRORS = 20;

/**
 * Parses the properties of a client's input.
 * @param fields the fields that the client may set
 * @param moment at creation, required fields must be present
 * @param mayBeEmpty whether the input may set nothing; an input of unknown members alone is refused in any case
 * @param check its errors are thrown with those of members
 * @throws AppError `invalid` blaming each wrong member by the client's name for it, and the whole when it is no object or sets no known
 *   member
 */
export function parseFields<F extends Fields>(
  fields: F,
  {
    members: input,
    nameOf,
    whole = 'body',
    formOf: adapt = (_, form) => form,
    isGivable = inRest,
    faults: known = [],
  }: Input,
  moment: Moment,
  mayBeEmpty = moment === 'change',
  check: Check<F> = () => undefined,
): NewValues<F> {
  const errors: FieldError[] = [...known];
  function blame(field: string, fault: Fault): undefined {
    if (errors.length < MAX_ERRORS) errors.push({ ...fault, field });
  }

  function parseMembers(of: Fields, members: Members, prefix: string): Members {
    const parsed: Record<string, unknown> = {};
    const faults = errors.length;
    let hasKnown = false;
    for (const [property, field] of Object.entries(of)) {
      if (field.internal === true || (field.graphqlOnly === true && !isGivable(field))) continue;
      const name = nameOf(property, field);
      // A client may set some fields of a noun, but must set all fields of a list's item that are not optional.
      const isNeeded =
        (prefix === '' ? isRequired(field, moment) : field.optional !== true) && isGivable(field);
      const value = Object.hasOwn(members, name) ? members[name] : undefined;
      hasKnown ||= value !== undefined;
      if (prefix === '' && known.some((fault) => concerns(fault, name))) parsed[property] = undefined;
      else if (value === undefined) {
        if (isNeeded) blame(prefix + name, REQUIRED);
      } else if (isNeeded || !isLeftOut(field, value))
        parsed[property] = parseMember(field, value, prefix + name);
    }
    // As for the input itself: a typing error in its only member would set nothing. A client may send back what it read, with more members.
    const isUnknown = !hasKnown && Object.keys(members).length > 0;
    if (prefix !== '' && isUnknown && errors.length === faults)
      blame(prefix.slice(0, -1), noKnownMember(namesOf(of, nameOf), false));
    return parsed;
  }

  /** Whether a value counts as absent: typed clients send null for every member without a value. */
  function isLeftOut(field: Field, value: unknown): boolean {
    const { nullable, refusesNull, default: initially } = field;
    if (!isNull(field, value) || refusesNull === true) return false;
    return nullable !== true || (moment === 'creation' && initially !== undefined);
  }

  function parseMember(field: Field, value: unknown, name: string): unknown {
    if (field.nullable === true && isNull(field, value)) return null;
    if (field.items !== undefined) return parseItems(field, field.items, value, name);
    if (field.object !== undefined) return parseObject(field.object, value, name);
    const form = adapt(field, formOf(field));
    const parsed = value === null ? undefined : form.parse(value);
    if (parsed === undefined) return blame(name, faultOfForm(field, value, form));
    const [least, most] = field.range ?? [];
    if (least !== undefined && most !== undefined && !(Number(parsed) >= least && Number(parsed) <= most))
      return blame(name, outOfRange(`from ${least} to ${most}`));
    if (!isStorable(parsed)) return blame(name, UNSTORABLE);
    const { required, maxLength = Number.POSITIVE_INFINITY } = field;
    const { length = 0 } = parsed as { length?: number };
    if (length > maxLength) return blame(name, (Array.isArray(parsed) ? tooManyItems : tooLong)(maxLength));
    if (required && typeof parsed === 'string' && parsed.trim() === '') return blame(name, BLANK);
    return field.distinct === true ? [...new Set(parsed as unknown[])] : parsed;
  }

  /** Adds the missing members of a new object, as null. */
  function parseObject(of: Fields, value: unknown, name: string): unknown {
    if (!isObject(value)) return blame(name, NOT_AN_OBJECT);
    const nothing = moment === 'creation' ? Object.keys(of).map((property) => [property, null]) : [];
    return { ...Object.fromEntries(nothing), ...parseMembers(of, value, `${name}.`) };
  }

  function parseItems({ maxLength, required }: Field, items: Fields, value: unknown, name: string): unknown {
    if (!Array.isArray(value)) return blame(name, mustBe('a list of objects'));
    if (maxLength !== undefined && value.length > maxLength) return blame(name, tooManyItems(maxLength));
    if (required && moment === 'creation' && value.length === 0) return blame(name, NO_ENTRY);
    return value.map((item, index) => {
      const one = `${name}[${index}]`;
      if (!isObject(item)) return blame(one, NOT_AN_OBJECT);
      return parseMembers(items, item, `${one}.`);
    });
  }

  if (!isObject(input)) throw invalid(whole, NOT_AN_OBJECT);
  const given = parseMembers(fields, input, '');
  if (Object.keys(given).length === 0) {
    const names = namesOf(fields, nameOf);
    const isEmpty = Object.keys(input).length === 0;
    const nothing = { ...noKnownMember(names, isEmpty), field: whole };
    if (!mayBeEmpty || !(isEmpty || names.some((name) => Object.hasOwn(input, name))))
      throw errors.length === 0 ? invalidFields([nothing]) : invalidFields(errors, sentenceOf(nothing));
  }
  for (const fault of faultsIn(() => check(given as NewValues<F>)))
    if (!errors.some((one) => concerns(one, fault.field) || concerns(fault, one.field)))
      blame(fault.field, fault);
  if (errors.length > 0) throw invalidFields(errors);
  return given as NewValues<F>;
}

/** Whether an error is about a member or something in it. */
function concerns({ field }: FieldError, name: string): boolean {
  return field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);
}

/** The errors of fields that a function throws; any other error is thrown. */
function faultsIn(run: () => unknown): readonly FieldError[] {
  try {
    run();
    return [];
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid' || error.errors.length === 0) throw error;
    return fieldErrorsOf(error);
  }
}

/** Converts an input. What a conversion refuses is thrown with the errors of the other members when the input is parsed. */
export function converted(input: Input, convert: (input: Input) => Input): Input {
  let result = input;
  const faults = faultsIn(() => {
    result = convert(input);
  });
  return faults.length === 0 ? result : { ...input, faults: [...(input.faults ?? []), ...faults] };
}

/** What is wrong with a value that does not have the form of its field. */
function faultOfForm(field: Field, value: unknown, { expected, wrong }: Form): Fault {
  const isBlank = typeof value === 'string' && value.trim() === '';
  if (isBlank && field.type === 'text') return BLANK;
  // Where nothing has a meaning of its own, the message says what a value looks like.
  if (isBlank || value === null)
    return field.refusesNull === true ? { ...mustBe(expected), code: 'required' } : REQUIRED;
  if (field.values !== undefined) return mustBeOneOf(expected);
  if (wrong !== undefined && typeof value === 'string') return { code: 'invalid_format', message: wrong };
  return (referencedNoun(field) === undefined ? mustBe : mustBeId)(expected);
}

/** The client's names for the members that it may set. */
export function namesOf(fields: Fields, nameOf: NameOf): string[] {
  return Object.entries(fields)
    .filter(([, field]) => field.internal !== true && inRest(field))
    .map(([property, field]) => nameOf(property, field));
}

/** Whether a value means null: some clients send the empty text, which is a value of free text only. */
function isNull(field: Field, value: unknown): boolean {
  if (value !== '') return value === null;
  if (field.emptyIsNull === true) return true;
  const { type, values, format = 'email' } = field;
  const isFree = type === 'text' && values === undefined && referencedNoun(field) === undefined;
  const isAddress = format === 'email' || format === 'ip';
  return !(isFree && isAddress) && typeOf(type).isList !== true && !['json', 'jsonb'].includes(type);
}

/** A null member becomes the empty text. */
const textMembers: Form = {
  expected: 'an object of texts',
  parse(value) {
    if (!isObject(value)) return undefined;
    const members = Object.fromEntries(Object.entries(value).map(([name, text]) => [name, text ?? '']));
    return Object.values(members).every((member) => typeof member === 'string') ? members : undefined;
  },
};
const zeroOrOne: Form = {
  expected: '0 or 1',
  parse: (value) => [false, true][[0, 1].indexOf(value as number)],
};

/** A decimal that REST shows as a number. */
const decimalOrNumber: Form = {
  expected: 'a number with at most 15 digits before the point and 9 after it, or its text',
  parse: (value) => typeOf('decimal').parse(typeof value === 'number' ? String(value) : value),
};

const BOOLEANS = new Map<unknown, boolean>(
  [true, false].flatMap((is) => [
    [is, is],
    [String(is), is],
  ]),
);
const trueOrFalse: Form = { expected: 'true or false', parse: (value) => BOOLEANS.get(value) };

/** The integer id or the public id of an object. */
function anyIdOf({ title, table }: NounNames): Form {
  return {
    expected: `the integer id or the public id of ${withArticle(title.toLowerCase())}`,
    parse: (value) =>
      typeof value === 'string'
        ? (parseId(table as PublicIdTable, value) ?? undefined)
        : typeOf('int8').parse(value),
  };
}

/** Accepts the synonyms of values. */
function withSynonyms(form: Form, synonyms: Field['synonyms'] = {}): Form {
  const meant = new Map<unknown, unknown>(Object.entries(synonyms).map(([value, word]) => [word, value]));
  return { ...form, parse: (given) => form.parse(meant.get(given) ?? given) };
}

function formOf(field: Field): Form {
  const { type, values, synonyms, format, members, restAsNumber, restAsText } = field;
  if (values !== undefined) return withSynonyms(oneOf(values), synonyms);
  if (format !== undefined) return TEXT_FORMATS[format];
  if (members === 'text') return textMembers;
  if (restAsNumber === true) return type === 'decimal' ? decimalOrNumber : zeroOrOne;
  if (restAsText === true && type === 'bool') return trueOrFalse;
  const idsOf = referencedNoun(field);
  if (restAsText === true && idsOf !== undefined) return anyIdOf(idsOf);
  return typeOf(type);
}

/** Whether a value of JSON is an object. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
