// Makes the input fields of a mutation from a noun's description, and reads the values that clients send in them.
import type { InputFieldMap } from '@pothos/core';
import { AppError, type FieldError, parseAll, REQUIRED } from '../errors.ts';
import { type Form, listOf, typeOf } from '../resources/description/field-types.ts';
import { type Field, type Fields, type NounNames, referencedNoun } from '../resources/description/fields.ts';
import {
  defaultSentence,
  inputDescription,
  isRequired,
  type Moment,
} from '../resources/description/inputs.ts';
import { graphqlNameOf, graphqlTypeNameOf, withArticle } from '../resources/description/names.ts';
import type { Input, NameOf } from '../services/input/parse-fields.ts';
import { addressInput, addressInputs, withAddressParts } from './address-inputs.ts';
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

/** A list item, or a single value, that GraphQL writes in a form of its own. */
interface ItemForm {
  readonly type: object;
  /** The item in the form that services take. @param path its place in the input @throws AppError `invalid` */
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
  const inputs = givable(fields, moment)
    .filter(([, { address }]) => address === undefined)
    .flatMap(([property, field]) => {
      const { modeOf } = field;
      // New texts have nothing to be appended to.
      if (modeOf !== undefined)
        return moment === 'creation' ? [] : [[appendedName(modeOf), appendedInput(t, modeOf)]];
      const name = graphqlNameOf(property, field);
      const input = define({
        type: inputTypeOf(name, field, moment),
        required: isNeeded(field) || (field.choice?.required === true && moment === 'creation'),
        description: `${descriptionOf(field, moment)}${setting.has(name) ? ' Its currency is that of all amounts of the object.' : ''}`,
      });
      return [[name, input]];
    });
  const addresses = addressInputs(fields, moment).map(({ name, isNeeded: required, description }) => [
    name,
    define({ type: addressInput(), required, description }),
  ]);
  return Object.fromEntries([...inputs, ...addresses]);
}

/** The properties with ids that GraphQL takes as a member of another input, by the name of that input. */
function choicesOf(fields: Fields): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(fields).flatMap(([property, field]) =>
      field.choice === undefined ? [] : [[field.choice.idOf, graphqlNameOf(property, field)]],
    ),
  );
}

/** The fields for which GraphQL has an input. A currency is sent with its amounts. */
function givable(fields: Fields, moment: Moment): [property: string, field: Field][] {
  const currencies = new Set(Object.values(fields).map(({ currency }) => currency));
  const chosen = choicesOf(fields);
  return Object.entries(fields).filter(
    ([property, { graphql = 'input' }]) =>
      !(currencies.has(property) || chosen.has(property)) &&
      (graphql === 'input' || (graphql === 'change' && moment === 'change')),
  );
}

/** Whether clients of GraphQL can give a field, in any input. */
export function isGivable({ graphql = 'input' }: Field): boolean {
  return graphql === 'input' || graphql === 'change';
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

/** The path of an amount in the input of one, which has its currency beside it. */
const amountIn = (money: string) => `${money}.amount`;

/** The object with amounts in the form of REST, each under the name that `namesIn` gives it, and the currencies that they set. */
function withAmounts(fields: Fields, object: Members): Members {
  const settled: Record<string, unknown> = { ...object };
  const setting = new Set(settingAmounts(fields).values());
  for (const [property, field] of Object.entries(fields)) {
    const name = graphqlNameOf(property, field);
    const { items } = field;
    const value = object[name];
    if (items !== undefined && Array.isArray(value))
      settled[name] = value.map((item: Members) => withAmounts(items, item));
    if (!isMoney(field) || value === undefined) continue;
    delete settled[name];
    const money = value as { readonly amount: string; readonly currency: string } | null;
    settled[amountIn(name)] = money === null ? null : money.amount;
    if (money !== null && setting.has(name)) settled[`${name}.currency`] = money.currency;
  }
  return settled;
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
  const chosen = choicesOf(fields);
  return (property, field) => {
    const amount = amounts.get(property);
    if (amount !== undefined) return `${amount}.currency`;
    const choice = chosen.get(property);
    if (choice !== undefined) return `${choice}.id`;
    const { of, part } = field.address ?? {};
    if (of !== undefined && part !== undefined) return `${of.name}.${part}`;
    if (appended.has(property)) return appendedName(property);
    const name = graphqlNameOf(property, field);
    return isMoney(field) ? amountIn(name) : name;
  };
}

/** The currency that was sent with an amount, by the amount's name, such as `lineItems[0].unitPrice.amount`. */
export function currenciesIn(input: Readonly<Record<string, unknown>>): Input['currencyOf'] {
  return (name) => {
    const path = name.split(/[.[\]]+/).filter(Boolean);
    let value: unknown = input;
    for (const part of path.slice(0, -1))
      value = (value as Readonly<Record<string, unknown>> | null | undefined)?.[part];
    const code = (value as { readonly currency?: string } | null | undefined)?.currency;
    return code === undefined ? undefined : { code, name: name.replace(/\.amount$/, '.currency') };
  };
}

/** The input with the mode of each text that is sent, and what is wrong with texts that are replaced and appended to at once. */
function withModes(
  fields: Fields,
  input: Readonly<Record<string, unknown>>,
): { readonly input: Readonly<Record<string, unknown>>; readonly faults: readonly FieldError[] } {
  const given = { ...input };
  const faults: FieldError[] = [];
  for (const [mode, { modeOf }] of Object.entries(fields)) {
    if (modeOf === undefined) continue;
    const name = appendedName(modeOf);
    const isAppended = input[name] != null;
    if (isAppended && input[modeOf] !== undefined)
      faults.push({
        field: name,
        code: 'not_allowed',
        message: `must not be given together with ${modeOf}`,
      });
    if (isAppended || given[modeOf] !== undefined) given[mode] = isAppended ? 'append' : 'replace';
  }
  return { input: given, faults };
}

/** The fields whose ids GraphQL takes as a member of another input. */
function chosenIn(fields: Fields): [property: string, field: Field][] {
  const chosen = choicesOf(fields);
  return Object.entries(fields).filter(([property]) => chosen.has(property));
}

/** The input with each chosen id under the name that `namesIn` gives it: `contact.id`. */
function withChoices(fields: Fields, input: Members): Members {
  const settled: Record<string, unknown> = { ...input };
  for (const choice of choicesOf(fields).values()) {
    const { id } = (input[choice] ?? {}) as { readonly id?: string };
    if (id === undefined) continue;
    delete settled[choice];
    settled[`${choice}.id`] = id;
  }
  return settled;
}

function inputTypeOf(name: string, field: Field, moment: Moment): unknown {
  const { type, members, children, items, itemType, object, choice } = field;
  if (choice !== undefined) return choiceInput(name, object ?? {}, moment);
  if (object !== undefined) return objectInput(name, object, moment);
  if (members !== undefined) return [CustomAttributeInput];
  if (children !== undefined) return [childInput(children, items ?? {}, moment)];
  if (itemType !== undefined && items === undefined) return itemForms.get(itemType)?.type;
  if (itemType !== undefined) return [itemForms.get(itemType)?.type ?? itemInput(itemType, field)];
  if (referencedNoun(field) !== undefined) return typeOf(type).isList ? ['ID'] : 'ID';
  return isMoney(field) ? moneyInput() : graphqlTypeOf(field);
}

/** The input type of an object, named after its field: `AddressInput`. */
function objectInput(field: string, object: Fields, moment: Moment): object {
  const name = `${field[0]?.toUpperCase()}${field.slice(1)}Input`;
  return defineOnce(name, () =>
    builder.inputType(name, {
      description: describeObject(object),
      fields: (t) => memberFields(t, object, moment),
    }),
  );
}

/** The input type of an object that is named by its id, or by one of its members: `ContactInput`. */
function choiceInput(field: string, object: Fields, moment: Moment): object {
  const name = `${field[0]?.toUpperCase()}${field.slice(1)}Input`;
  return defineOnce(name, () =>
    builder.inputType(name, {
      description: `A ${field}: exactly one of the members.`,
      isOneOf: true,
      fields: (t) => ({
        id: t.id({ description: `The global id of the ${field}.` }),
        ...inputFieldsOf(t, object, moment, () => false),
      }),
    }),
  );
}

function describeObject(object: Fields): string {
  const isOptional = Object.values(object).every(({ optional, nullable }) => optional || nullable);
  return isOptional ? 'An object with optional members.' : 'The members of an object.';
}

/** The input type of children that are sent with their parent. A new parent has no children yet, so the input has no ids. */
function childInput(noun: NounNames, items: Fields, moment: Moment): object {
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

/** The description with "global id" in place of the ids that REST takes: GraphQL inputs take global ids and no others. */
function withGlobalIds(field: Field, description: string): string {
  return referencedNoun(field) === undefined
    ? description
    : description.replace(/\binteger (ids?)\b(?:,? or the public id\b,?)?/, 'global $1');
}

/** The form of a field's values in GraphQL, from their form in REST. */
export function formOf(field: Field, form: Form): Form {
  const { type, restAsNumber, isBoolean } = field;
  if (isBoolean === true)
    return {
      expected: 'true or false',
      parse: (value) => (typeof value === 'boolean' ? String(value) : undefined),
    };
  // The scalar takes texts alone, so the person who typed the amount need not know of them.
  if (isMoney(field)) return { ...form, expected: form.expected.replace(/ as text|, or its text/, '') };
  if (restAsNumber === true && type === 'bool') return { expected: 'true or false', parse: (value) => value };
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
 * @returns `faults`: what is wrong with values that have no such form, which are returned as they were sent
 */
export function membersOf(
  fields: Fields,
  sent: Readonly<Record<string, unknown>>,
): { readonly members: object; readonly faults: readonly FieldError[] } {
  const { input: withTexts, faults: ofModes } = withModes(fields, sent);
  const { input, faults: ofAddresses } = withAddressParts(fields, withChoices(fields, withTexts));
  const faults = [...ofModes, ...ofAddresses];
  const nameOf = namesIn(fields, sent);
  const named = [...givable(fields, 'change'), ...chosenIn(fields)].map(
    ([property, field]) =>
      [isMoney(field) ? graphqlNameOf(property, field) : nameOf(property, field), field] as const,
  );
  const members = named.flatMap(([name, field]) => {
    if (input[name] === undefined) return [];
    if (input[name] === null && field.refusesNull === true) {
      faults.push({ ...REQUIRED, field: name });
      return [];
    }
    const { value, faults: more } = memberOf(field, input[name], name);
    faults.push(...more);
    return [[name, value] as const];
  });
  return { members: withAmounts(fields, Object.fromEntries(members)), faults };
}

function memberOf(
  { members, itemType = '' }: Field,
  value: unknown,
  name: string,
): { readonly value: unknown; readonly faults: readonly FieldError[] } {
  if (members !== undefined) return toObjectByName(name, value as NamedValue[] | null);
  const form = itemForms.get(itemType);
  if (form === undefined || value === null) return { value, faults: [] };
  try {
    if (!Array.isArray(value)) return { value: form.toItem(value as Members, name), faults: [] };
    const items = value.map((item: Members, index) => {
      const path = `${name}[${index}]`;
      return [path, () => form.toItem(item, path)];
    });
    return { value: Object.values(parseAll(Object.fromEntries(items))), faults: [] };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid') throw error;
    return { value, faults: error.errors };
  }
}

function toObjectByName(list: string, items: readonly NamedValue[] | null) {
  if (items === null) return { value: null, faults: [] };
  const names = items.map(({ name }) => name);
  const faults = names.flatMap((name, index): FieldError[] => {
    const field = `${list}[${index}].name`;
    return names.indexOf(name) === index ? [] : [{ field, code: 'repeated', message: REPEATED_NAME }];
  });
  return { value: Object.fromEntries(items.map(({ name, value = null }) => [name, value])), faults };
}

const REPEATED_NAME = 'is given twice. Give each name once';
