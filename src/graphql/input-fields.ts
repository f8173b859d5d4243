// Makes the input fields of a mutation from a noun's description, and reads the values that clients send in them.
import type { InputFieldMap } from '@pothos/core';
import { invalid, parseAll } from '../errors.ts';
import { type Form, listOf, typeOf } from '../resources/field-types.ts';
import {
  defaultSentence,
  type Field,
  type Fields,
  graphqlNameOf,
  graphqlTypeNameOf,
  type IdsOf,
  inputDescription,
  isRequired,
  type Moment,
  referencedNoun,
  withArticle,
} from '../resources/resource.ts';
import type { Input, NameOf } from '../services/input/parse-fields.ts';
import { builder, defineOnce, type Types } from './builder.ts';
import { formWithEnumNames, withEnumNames } from './closed-sets.ts';
import { decodeGlobalId } from './global-ids.ts';
import { isMoney, moneyInput } from './money.ts';
import { graphqlTypeOf } from './resource-fields.ts';

type Builder = PothosSchemaTypes.InputFieldBuilder<Types, 'InputObject'>;
type DefineField = (options: object) => InputFieldMap[string];

type Members = Readonly<Record<string, unknown>>;

interface NamedValue {
  readonly name: string;
  readonly value?: string | null;
}

const CustomAttributeInput = builder.inputType('CustomAttributeInput', {
  description: 'A custom attribute: a name that the workspace chooses, and a value.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: 'The name of the attribute. Each name may occur only once.',
    }),
    value: t.string({ description: 'The value as text. Null or no value means empty text.' }),
  }),
});

/** A list item that GraphQL writes in another form than REST. */
interface ItemForm {
  readonly type: object;
  /** The item in the form of REST. @param path its place in the input @throws AppError `invalid` */
  toItem(given: Members, path: string): Members;
}

const itemForms = new Map<string, ItemForm>();

/** Gives the items of a type another form. */
export function setItemForm(itemType: string, form: ItemForm): void {
  itemForms.set(itemType, form);
}

/** The input fields that clients may send. @param moment at creation, required fields are non-null */
export function inputFields(t: Builder, fields: Fields, moment: Moment): InputFieldMap {
  return inputFieldsOf(t, fields, moment, (field) => isRequired(field, moment));
}

/** The fields of an object or list item inside an input: those that are not optional must be sent, also in a change. */
function memberFields(t: Builder, fields: Fields, moment: Moment): InputFieldMap {
  return inputFieldsOf(t, fields, moment, ({ optional, nullable }) => !(optional || nullable));
}

function inputFieldsOf(
  t: Builder,
  fields: Fields,
  moment: Moment,
  isNeeded: (field: Field) => boolean,
): InputFieldMap {
  const define = t.field.bind(t) as unknown as DefineField;
  const setting = new Set(settingAmounts(fields).values());
  return Object.fromEntries(
    givable(fields, moment).flatMap(([property, field]) => {
      const { modeOf } = field;
      // New texts have nothing to be appended to.
      if (modeOf !== undefined)
        return moment === 'creation' ? [] : [[appendedName(modeOf), appendedInput(t, modeOf)]];
      const name = graphqlNameOf(property, field);
      const input = define({
        type: inputTypeOf(name, field, moment),
        required: isNeeded(field),
        description: `${descriptionOf(field, moment)}${setting.has(name) ? ' Its currency is that of all amounts of the object.' : ''}`,
      });
      return [[name, input]];
    }),
  );
}

/** The fields for which GraphQL has an input. A currency is sent with its amounts. */
function givable(fields: Fields, moment: Moment): [property: string, field: Field][] {
  const currencies = new Set(Object.values(fields).map(({ currency }) => currency));
  return Object.entries(fields).filter(
    ([property, { graphql = 'input' }]) =>
      !currencies.has(property) && (graphql === 'input' || (graphql === 'change' && moment === 'change')),
  );
}

/**
 * By the property of a currency: the name of the amount that sets it. Other amounts must have the same. It is the amount that a new object
 * must have, or else the first.
 */
function settingAmounts(fields: Fields): Map<string, string> {
  const amounts = Object.entries(fields).filter(([, { currency = '' }]) => currency in fields);
  const inOrder = [...amounts.filter(([, { required }]) => required), ...amounts];
  // The first of a currency is set last.
  return new Map(
    inOrder.toReversed().map(([property, field]) => [field.currency ?? '', graphqlNameOf(property, field)]),
  );
}

/** As `settingAmounts`, with those of the items in lists. */
function allSettingAmounts(fields: Fields): Map<string, string> {
  const below = Object.values(fields).flatMap(({ items = {} }) => [...settingAmounts(items)]);
  return new Map([...below, ...settingAmounts(fields)]);
}

/** The object with the currency of each amount that sets one, by the name that `namesIn` gives it. */
function withCurrencies(fields: Fields, object: Members): Members {
  const currencies = [...settingAmounts(fields).values()].flatMap((amount) => {
    const { currency } = (object[amount] ?? {}) as { readonly currency?: string };
    return currency === undefined ? [] : [[`${amount}.currency`, currency]];
  });
  const lists = Object.entries(fields).flatMap(([property, field]) => {
    const name = graphqlNameOf(property, field);
    const items = object[name];
    if (field.items === undefined || !Array.isArray(items)) return [];
    const below = field.items;
    return [[name, items.map((item: Members) => withCurrencies(below, item))]];
  });
  return { ...object, ...Object.fromEntries(lists), ...Object.fromEntries(currencies) };
}

/** The input that appends to a text: `appendHeadCode` for `headCode`. */
const appendedName = (property: string) => `append${property[0]?.toUpperCase()}${property.slice(1)}`;

function appendedInput(t: Builder, property: string): InputFieldMap[string] {
  return t.string({
    description: `The text to append to \`${property}\`, on a new line. Not together with \`${property}\`, which replaces it.`,
  });
}

/** The names that the client used for the fields of its input: a text that it appends has a name of its own. */
export function namesIn(fields: Fields, input: Readonly<Record<string, unknown>>): NameOf {
  const texts = Object.values(fields).flatMap(({ modeOf }) => modeOf ?? []);
  const appended = new Set(texts.filter((property) => input[appendedName(property)] != null));
  const amounts = allSettingAmounts(fields);
  return (property, field) => {
    const amount = amounts.get(property);
    if (amount !== undefined) return `${amount}.currency`;
    return appended.has(property) ? appendedName(property) : graphqlNameOf(property, field);
  };
}

/** The currency that was sent with an amount, by the amount's name, such as `lineItems[0].amount`. */
export function currenciesIn(input: Readonly<Record<string, unknown>>): Input['currencyOf'] {
  return (name) => {
    let value: unknown = input;
    for (const part of name.split(/[.[\]]+/).filter(Boolean))
      value = (value as Readonly<Record<string, unknown>> | null | undefined)?.[part];
    return (value as { readonly currency?: string } | null | undefined)?.currency;
  };
}

/** The input with the mode of each text that is sent. @throws AppError `invalid` for a text that is replaced and appended to at once */
function withModes(
  fields: Fields,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const given = { ...input };
  for (const [mode, { modeOf }] of Object.entries(fields)) {
    if (modeOf === undefined) continue;
    const name = appendedName(modeOf);
    const isAppended = input[name] != null;
    if (isAppended && input[modeOf] !== undefined)
      throw invalid(name, { code: 'not_allowed', message: `must not be given together with ${modeOf}` });
    if (isAppended || given[modeOf] !== undefined) given[mode] = isAppended ? 'append' : 'replace';
  }
  return given;
}

function inputTypeOf(name: string, field: Field, moment: Moment): unknown {
  const { type, members, children, items, itemType, object } = field;
  if (object !== undefined) return objectInput(name, object, moment, field.isOneOf === true);
  if (members !== undefined) return [CustomAttributeInput];
  if (children !== undefined) return [childInput(children, items ?? {}, moment)];
  if (itemType !== undefined) return [itemForms.get(itemType)?.type ?? itemInput(itemType, field)];
  if (referencedNoun(field) !== undefined) return typeOf(type).isList ? ['ID'] : 'ID';
  return isMoney(field) ? moneyInput() : graphqlTypeOf(field);
}

/** The input type of an object, named after its field: `AddressInput`. */
function objectInput(field: string, object: Fields, moment: Moment, isOneOf: boolean): object {
  const name = `${field[0]?.toUpperCase()}${field.slice(1)}Input`;
  return defineOnce(name, () =>
    builder.inputType(name, {
      description: isOneOf ? 'Exactly one of the members.' : describeObject(object),
      ...(isOneOf && { isOneOf }),
      fields: (t) => memberFields(t, object, moment),
    }),
  );
}

function describeObject(object: Fields): string {
  const isOptional = Object.values(object).every(({ optional, nullable }) => optional || nullable);
  return isOptional ? 'An object with optional members.' : 'The members of an object.';
}

/** The input type of children that are sent with their parent. A new parent has no children yet, so the input has no ids. */
function childInput(noun: IdsOf, items: Fields, moment: Moment): object {
  const name = `${graphqlTypeNameOf(noun)}${moment === 'creation' ? 'Input' : 'ChangeInput'}`;
  const one = withArticle(noun.title.toLowerCase());
  const { id: _, ...nameless } = items;
  return defineOnce(name, () =>
    builder.inputType(name, {
      description:
        moment === 'creation'
          ? `${one[0]?.toUpperCase()}${one.slice(1)} that is created with its parent.`
          : `A change of ${one}, as part of a change of its parent.`,
      fields: (t) => memberFields(t, moment === 'creation' ? nameless : items, moment),
    }),
  );
}

/** The input type of list items that are not nouns. Clients send each item complete. */
function itemInput(
  itemType: string,
  { items = {}, description }: Pick<Field, 'items' | 'description'>,
): object {
  const name = `${itemType}Input`;
  return defineOnce(name, () =>
    builder.inputType(name, { description, fields: (t) => memberFields(t, items, 'creation') }),
  );
}

/** The field's description for GraphQL, with its limits. */
function descriptionOf(described: Field, moment: Moment): string {
  const field = withEnumNames(described);
  const { maxLength } = field;
  const limits = [
    withGlobalIds(field, inputDescription(field, moment)),
    maxLength && `At most ${maxLength} ${isList(field) ? 'items' : 'characters'}.`,
    defaultSentence(field, moment),
  ];
  return limits.filter(Boolean).join(' ');
}

function isList({ type, items }: Field): boolean {
  return typeOf(type).isList === true || items !== undefined;
}

/** The description with "global id" in place of "integer id": GraphQL inputs take global ids. */
function withGlobalIds(field: Field, description: string): string {
  return referencedNoun(field) === undefined
    ? description
    : description.replace(/\binteger (ids?)\b/, 'global $1');
}

/** The form of a field's values in GraphQL, from their form in REST. */
export function formOf(field: Field, form: Form): Form {
  const { type, restAsNumber, isBoolean } = field;
  if (isBoolean === true)
    return {
      expected: 'true or false',
      parse: (value) => (typeof value === 'boolean' ? String(value) : undefined),
    };
  if (isMoney(field))
    return { ...form, parse: (money) => form.parse((money as { readonly amount: string }).amount) };
  if (restAsNumber === true) return { expected: 'true or false', parse: (value) => value };
  const idsOf = referencedNoun(field);
  if (idsOf === undefined) return formWithEnumNames(field, form);
  const typeName = graphqlTypeNameOf(idsOf);
  const id: Form = {
    expected: `the global id of ${withArticle(typeName)}`,
    parse(value) {
      const decoded = decodeGlobalId(String(value));
      return decoded?.typeName === typeName ? decoded.id : undefined;
    },
  };
  return typeOf(type).isList ? listOf(id) : id;
}

/**
 * The values that a client sent for these fields, by `namesIn`. Lists of names and values become objects.
 * @throws AppError `invalid` naming a list that has the same name twice
 */
export function membersOf(fields: Fields, sent: Readonly<Record<string, unknown>>): object {
  const input = withModes(fields, sent);
  const nameOf = namesIn(fields, sent);
  const named = givable(fields, 'change').map(
    ([property, field]) => [nameOf(property, field), field] as const,
  );
  const given = named.filter(([name]) => input[name] !== undefined);
  const parsers = given.map(([name, { members, itemType }]) => [
    name,
    () => {
      const value = input[name];
      if (members !== undefined) return toObjectByName(name, value as NamedValue[] | null);
      const form = itemForms.get(itemType ?? '');
      if (form === undefined || !Array.isArray(value)) return value;
      const items = value.map((item: Members, index) => {
        const path = `${name}[${index}]`;
        return [path, () => form.toItem(item, path)];
      });
      return Object.values(parseAll(Object.fromEntries(items)));
    },
  ]);
  return withCurrencies(fields, parseAll(Object.fromEntries(parsers)));
}

function toObjectByName(field: string, list: readonly NamedValue[] | null): object | null {
  if (list === null) return null;
  const values = new Map(list.map(({ name, value = null }) => [name, value]));
  if (values.size < list.length)
    throw invalid(field, { code: 'repeated', message: 'must have each name once' });
  return Object.fromEntries(values);
}
