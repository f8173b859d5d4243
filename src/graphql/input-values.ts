// Reads the values that clients send in the inputs of a noun, as services take them.
import { AppError, type FieldError, parseAll, REQUIRED } from '../errors.ts';
import { type Form, listOf, typeOf } from '../resources/description/field-types.ts';
import { type Field, type Fields, referencedNoun } from '../resources/description/fields.ts';
import { graphqlNameOf, graphqlTypeNameOf, withArticle } from '../resources/description/names.ts';
import { withAddressParts } from './address-inputs.ts';
import { formWithEnumNames } from './closed-sets.ts';
import { decodeGlobalId } from './global-ids.ts';
import {
  amountIn,
  appendedName,
  choicesOf,
  chosenIn,
  givable,
  namesIn,
  settingAmounts,
} from './input-names.ts';
import { itemForms, type Members } from './item-forms.ts';
import { isMoney } from './money.ts';

interface NamedValue {
  readonly name: string;
  readonly value?: string | null;
}

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
