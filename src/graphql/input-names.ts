// Which fields of a noun clients can give over GraphQL, and what these are called there: an amount has its currency beside it, an id may be a
// member of another input, and a text that is appended has a name of its own.
import type { Field, Fields } from '../resources/description/fields.ts';
import type { Moment } from '../resources/description/inputs.ts';
import { graphqlNameOf } from '../resources/description/names.ts';
import type { Input, NameOf } from '../services/input/parse-fields.ts';
import { isMoney } from './money.ts';

/** The properties with ids that GraphQL takes as a member of another input, by the name of that input. */
export function choicesOf(fields: Fields): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(fields).flatMap(([property, field]) =>
      field.choice === undefined ? [] : [[field.choice.idOf, graphqlNameOf(property, field)]],
    ),
  );
}

/** The fields for which GraphQL has an input. A currency is sent with its amounts. */
export function givable(fields: Fields, moment: Moment): [property: string, field: Field][] {
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
export function settingAmounts(fields: Fields): Map<string, string> {
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
export const amountIn = (money: string) => `${money}.amount`;

/** The input that appends to a text: `appendHeadCode` for `headCode`. */
export const appendedName = (property: string) => `append${property[0]?.toUpperCase()}${property.slice(1)}`;

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

/** The fields whose ids GraphQL takes as a member of another input. */
export function chosenIn(fields: Fields): [property: string, field: Field][] {
  const chosen = choicesOf(fields);
  return Object.entries(fields).filter(([property]) => chosen.has(property));
}
