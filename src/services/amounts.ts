// Amounts of money: as many digits behind the point as their currency has. Texts in, texts out: no number in between. Pure.
import { invalid, parseAll } from '../errors.ts';
import { placesOf } from '../resources/currencies.ts';
import type { Field, Fields } from '../resources/resource.ts';
import type { NameOf } from './parse-fields.ts';

type Values = Readonly<Record<string, unknown>>;

/** The rule of the amounts of a noun. */
export interface Amounts {
  /** Whether the row has to be seen as it is: an amount is given without its currency, or a currency without its amounts. */
  needRow(given: Values): boolean;
  /**
   * What is given, with each amount as its currency has it: `12` euros are `12.00`. Where the currency changes, the amounts that are not
   * given follow it.
   * @param was the row as it is; of a new one, what it has where nothing is given
   * @throws AppError `invalid` blaming each amount that has more digits behind the point, or no currency
   */
  settle(given: Values, was: Values, nameOf: NameOf): Values;
}

/** The rule of the amounts among some fields; null where there are none. */
export function amountsOf(fields: Fields): Amounts | null {
  const amounts = Object.entries(fields).filter(([, { currency }]) => currency !== undefined);
  if (amounts.length === 0) return null;
  return {
    needRow: (given) =>
      amounts.some(
        ([property, { currency = '' }]) =>
          currency in fields && (given[property] === undefined) !== (given[currency] === undefined),
      ),
    settle(given, was, nameOf) {
      const settled = amounts
        .filter(([property, { currency = '' }]) =>
          [property, currency].some((name) => given[name] !== undefined),
        )
        .map(([property, field]) => [property, () => settleOne(fields, property, given, was, nameOf, field)]);
      return { ...given, ...parseAll(Object.fromEntries(settled)) };
    },
  };
}

/** An amount as the currency has it that the row is to have. */
function settleOne(
  fields: Fields,
  property: string,
  given: Values,
  was: Values,
  nameOf: NameOf,
  field: Field,
): string | null {
  const after = (name: string) => (given[name] === undefined ? was[name] : given[name]) as string | null;
  const { currency = '' } = field;
  const amount = after(property) ?? null;
  if (amount === null) return null;
  const name = nameOf(property, field);
  const named = fields[currency];
  const code = named === undefined ? currency : after(currency);
  const places = placesOf(code ?? '');
  if (named !== undefined && places === undefined)
    throw invalid(name, `${name} must be given with ${nameOf(currency, named)}.`);
  const isKept = given[property] === undefined;
  const settled = withPlaces(isKept ? withoutZeros(amount) : amount, places ?? 0);
  if (settled !== null) return settled;
  const rule = `at most ${places} ${places === 1 ? 'digit' : 'digits'} behind the point, as ${code} has`;
  throw invalid(name, isKept ? `${name} is ${amount}: give it with ${rule}.` : `${name} must have ${rule}.`);
}

/** A decimal with so many digits behind the point; null where it has more. */
export function withPlaces(decimal: string, places: number): string | null {
  const [whole = '', digits = ''] = decimal.split('.');
  if (digits.length > places) return null;
  return places === 0 ? whole : `${whole}.${digits.padEnd(places, '0')}`;
}

/** A decimal without zeros at its end, which say nothing. */
function withoutZeros(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
}
