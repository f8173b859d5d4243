// The enums of GraphQL, from the descriptions of nouns: one for each closed set of values of a field. Over REST a value is the text that is
// stored, over GraphQL its name: that text in upper case. A set whose values make no names, or the same name twice, or are codes of a
// standard, is text here too.
import { type Form, oneOf } from '../resources/field-types.ts';
import type { Field, Fields } from '../resources/resource.ts';
import { builder, type Types } from './builder.ts';

/** What is said of a field's values. */
interface Described {
  readonly values?: Field['values'] | undefined;
  readonly synonyms?: Field['synonyms'] | undefined;
}

/** An enum, and the names of its values. */
interface ClosedSet {
  readonly ref: PothosSchemaTypes.EnumRef<Types, string>;
  readonly nameOf: ReadonlyMap<string, string>;
  /** What error messages say that a value must be. */
  readonly expected: string;
}

/** What a set is called, after which property. */
interface Named {
  readonly name: string;
  readonly property: string;
}

/** The names of sets, and what is made of those that are used. One list of values is one set, whichever fields have it. */
const names = new Map<readonly string[], Named>();
const sets = new Map<readonly string[], ClosedSet | null>();

/**
 * Names the sets of these fields after them: `PricePaymentType` of the field `paymentType` of Price. Fields with the same list of values
 * share the name of the first.
 * @param owner the type that has the fields
 */
export function nameSets(owner: string, fields: Fields): void {
  for (const [property, field] of Object.entries(fields)) {
    const { internal, values, valuesName, isCode, items, itemType, children, object } = field;
    if (internal === true) continue;
    const name = joined(owner, property);
    if (values !== undefined && isCode === true) sets.set(values, null);
    else if (values !== undefined && !names.has(values))
      names.set(values, { name: valuesName ?? name, property });
    // Children are named as nouns of their own.
    if (items !== undefined && children === undefined) nameSets(itemType ?? name, items);
    if (object !== undefined) nameSets(name, object);
  }
}

/** The enum of a field's values; null where they are open, or not an enum. */
export function closedSetOf({ values, synonyms = {} }: Described): ClosedSet | null {
  if (values === undefined) return null;
  const known = sets.get(values);
  if (known !== undefined) return known;
  const named = names.get(values);
  if (named === undefined) throw new TypeError(`The values ${values.join(', ')} have no name.`);
  const nameOf = new Map(values.map((value) => [value, nameOfValue(synonyms[value] ?? value)]));
  const about = Object.fromEntries(values.map((value) => [value, `As \`${value}\` over REST.`]));
  const all = [...new Set(nameOf.values())];
  const set =
    all.length === values.length && all.every(isName)
      ? {
          ref: defineEnum(named.name, `What \`${named.property}\` can be.`, about, synonyms),
          nameOf,
          expected: oneOf(all).expected,
        }
      : null;
  sets.set(values, set);
  return set;
}

/** A field as GraphQL describes it: its values by their names. */
export function withNames<Of extends Described & Pick<Field, 'description' | 'default' | 'transitions'>>(
  field: Of,
): Of {
  const set = closedSetOf(field);
  if (set === null) return field;
  const named = (value: string) => set.nameOf.get(value) ?? value;
  const { description, default: initially, transitions } = field;
  return {
    ...field,
    description: description.replaceAll(/(?<=`)[^`]+(?=`)/g, named),
    ...(typeof initially === 'string' && { default: named(initially) }),
    ...(transitions && {
      transitions: Object.fromEntries(
        Object.entries(transitions).map(([from, to]) => [named(from), to.map(named)]),
      ),
    }),
  };
}

/** A message that names some of these values, with their names; as it is where no field of the schema has them. */
export function messageWithNames(message: string, values: readonly string[]): string {
  const { nameOf } = sets.get(values) ?? {};
  if (nameOf === undefined) return message;
  return message.replaceAll(/[\w-]+/g, (word) => nameOf.get(word) ?? word);
}

/** The form of a field's values, whose message has their names. */
export function namedForm(field: Described, form: Form): Form {
  const { expected = form.expected } = closedSetOf(field) ?? {};
  return { ...form, expected };
}

/**
 * Defines an enum, whose names are its values in upper case.
 * @param about their descriptions, by value
 * @param synonyms words by which values are called instead
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
  // Pothos cannot infer the values of names that are made.
  return builder.enumType(name, { description, values: Object.fromEntries(values) }) as never;
}

function nameOfValue(value: string): string {
  return value.replaceAll('-', '_').toUpperCase();
}

function isName(name: string): boolean {
  return /^(?!__)[A-Z_][A-Z\d_]*$/.test(name);
}

/** The owner's name and the property's, whose first words are left out where the owner ends with them: `OrderType` of `orderType`. */
function joined(owner: string, property: string): string {
  const words = `${property[0]?.toUpperCase()}${property.slice(1)}`.match(/[A-Z][^A-Z]*/g) ?? [];
  const same = words.slice(0, -1).findLastIndex((_, at) => owner.endsWith(words.slice(0, at + 1).join('')));
  return owner + words.slice(same + 1).join('');
}
