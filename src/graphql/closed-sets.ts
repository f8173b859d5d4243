// Makes GraphQL's enums from the descriptions of nouns: one for each closed set of values of a field. REST uses the stored text, GraphQL that
// text in upper case. A set remains a String if its values are codes of a standard, are not valid names, or would share a name.
import { type Form, oneOf } from '../resources/description/field-types.ts';
import type { Field, Fields } from '../resources/description/fields.ts';
import { graphqlNameOf } from '../resources/description/names.ts';
import { builder, type Types } from './builder.ts';

/** The part of a field's description that lists its values. */
interface Described {
  readonly values?: Field['values'] | undefined;
  readonly graphqlValues?: Field['graphqlValues'] | undefined;
  readonly synonyms?: Field['synonyms'] | undefined;
}

/** An enum, and the names of its values. */
interface ClosedSet {
  readonly ref: PothosSchemaTypes.EnumRef<Types, string>;
  readonly nameOf: ReadonlyMap<string, string>;
  /** A phrase for error messages: the text after "must be". */
  readonly expected: string;
}

/** The name of an enum, its description, and the descriptions of its values. */
interface EnumName {
  readonly name: string;
  readonly description: string;
  readonly valueDescriptions: Readonly<Record<string, string>>;
  readonly valueNames: Readonly<Record<string, string>>;
  readonly spellings: Readonly<Record<string, string>>;
}

/** The names of the sets, and their enums, which are made at the first use. The key is the array itself: fields that share it share the enum. */
const names = new Map<readonly string[], EnumName>();
const sets = new Map<readonly string[], ClosedSet | null>();

/**
 * Names the sets of these fields after them: `ProductPricePaymentType` of the field `paymentType` of ProductPrice. Fields with the same list of values
 * share the name of the first.
 * @param owner the type that has the fields
 */
export function nameSets(owner: string, fields: Fields): void {
  for (const [property, field] of Object.entries(fields)) {
    const { internal, graphql, graphqlValues, values = graphqlValues } = field;
    const { valuesName, valueDescriptions = {}, valueNames = {}, spellings = {}, isCode } = field;
    const { items, itemType, children, object } = field;
    if (internal === true || graphql === false) continue;
    const shown = graphqlNameOf(property, field);
    const name = enumNameFor(owner, shown);
    if (values !== undefined && isCode === true) sets.set(values, null);
    else if (values !== undefined && !names.has(values))
      names.set(values, {
        ...{ name: valuesName ?? name, description: descriptionOf(field) },
        ...{ valueDescriptions, valueNames, spellings },
      });
    // Children are named as nouns of their own.
    if (items !== undefined && children === undefined) nameSets(itemType ?? name, items);
    if (object !== undefined) nameSets(name, object);
  }
}

/** What the first field with the values says that it is, without what follows from which value. */
function descriptionOf({ description }: Field): string {
  const [what = ''] = description.split(/\.(?:\s|$)|: (?=`|in |for )/);
  return `${what}.`;
}

/** The enum of a field's values; null if any value is allowed, or if the values remain a String. */
export function closedSetOf({
  graphqlValues,
  values = graphqlValues,
  synonyms = {},
}: Described): ClosedSet | null {
  if (values === undefined) return null;
  const cached = sets.get(values);
  if (cached !== undefined) return cached;
  const named = names.get(values);
  if (named === undefined) throw new TypeError(`The values ${values.join(', ')} have no name.`);
  const { spellings } = named;
  const words = { ...synonyms, ...named.valueNames };
  const nameOf = new Map(
    values.map((value) => {
      const one = spellings[value] ?? value;
      return [value, nameOfValue(words[one] ?? one)];
    }),
  );
  const shown = values.filter((value) => spellings[value] === undefined);
  const all = [...new Set(nameOf.values())];
  const set =
    all.length === shown.length && all.every(isName)
      ? {
          ref: defineEnum(
            named.name,
            named.description.replaceAll(/(?<=`)[^`]+(?=`)/g, (value) => nameOf.get(value) ?? value),
            describeValues(shown, named),
            words,
          ),
          nameOf,
          expected: oneOf(all).expected,
        }
      : null;
  sets.set(values, set);
  return set;
}

/** @throws TypeError for a value without a description */
function describeValues(
  values: readonly string[],
  { name, valueDescriptions }: EnumName,
): Readonly<Record<string, string>> {
  const missing = values.filter((value) => valueDescriptions[value] === undefined);
  if (missing.length > 0)
    throw new TypeError(`The enum ${name} needs valueDescriptions for ${missing.join(', ')}.`);
  return Object.fromEntries(values.map((value) => [value, valueDescriptions[value] ?? '']));
}

/** The field's description with the names of the enum in place of the stored values. */
export function withEnumNames<
  Of extends Described & Pick<Field, 'description' | 'rule' | 'default' | 'transitions'>,
>(field: Of): Of {
  const set = closedSetOf(field);
  if (set === null) return field;
  const named = (value: string) => set.nameOf.get(value) ?? value;
  const { description, rule, default: initially, transitions } = field;
  const inNames = (text: string) => text.replaceAll(/(?<=`)[^`]+(?=`)/g, named);
  return {
    ...field,
    description: inNames(description),
    ...(rule !== undefined && { rule: inNames(rule) }),
    ...(typeof initially === 'string' && { default: named(initially) }),
    ...(transitions && {
      transitions: Object.fromEntries(
        Object.entries(transitions).map(([from, to]) => [named(from), to.map(named)]),
      ),
    }),
  };
}

/** The message with the names of the enum in place of these values; unchanged if no field of the schema has these values. */
export function messageWithNames(message: string, values: readonly string[]): string {
  const { nameOf } = sets.get(values) ?? {};
  if (nameOf === undefined) return message;
  return message.replaceAll(/[\w-]+/g, (word) => nameOf.get(word) ?? word);
}

/** The form of a field's values, with the names of the enum in its error message. */
export function formWithEnumNames(field: Described, form: Form): Form {
  const { expected = form.expected } = closedSetOf(field) ?? {};
  return { ...form, expected };
}

/**
 * Defines an enum. Its names are the values in upper case.
 * @param about the descriptions, by value
 * @param synonyms by value, the word that names it instead
 */
export function defineEnum<Value extends string>(
  name: string,
  description: string,
  about: Readonly<Record<Value, string>>,
  synonyms: NonNullable<Field['synonyms']> = {},
): PothosSchemaTypes.EnumRef<Types, Value> {
  const values = Object.entries<string>(about).map(([value, description]) => [
    nameOfValue(synonyms[value] ?? value),
    { value, description },
  ]);
  // Pothos cannot infer the values, because the names are computed.
  return builder.enumType(name, { description, values: Object.fromEntries(values) }) as never;
}

function nameOfValue(value: string): string {
  return value.replaceAll('-', '_').toUpperCase();
}

function isName(name: string): boolean {
  return /^(?!__)[A-Z_][A-Z\d_]*$/.test(name);
}

/** The owner's name and the property's, without the words that would repeat: `OrderType` for `orderType` of Order. */
function enumNameFor(owner: string, property: string): string {
  const words = `${property[0]?.toUpperCase()}${property.slice(1)}`.match(/[A-Z][^A-Z]*/g) ?? [];
  const same = words.slice(0, -1).findLastIndex((_, at) => owner.endsWith(words.slice(0, at + 1).join('')));
  return owner + words.slice(same + 1).join('');
}
