// Amounts of money have as many digits after the decimal point as their currency. Works on text, never on floating-point numbers. Pure.
import { invalid, parseAll, tooPrecise } from '../../errors.ts';
import { decimalPlacesOf } from '../../resources/description/currencies.ts';
import type { Field, Fields } from '../../resources/description/fields.ts';
import type { Naming } from './parse-fields.ts';

type Values = Readonly<Record<string, unknown>>;

/** The rules for a noun's amounts. */
export interface Amounts {
  /** Whether the current row is needed: the input has an amount without its currency, or a currency without its amounts. */
  needRow(given: Values): boolean;
  /**
   * Returns the values of the input, with each amount in its currency's form: `12` euros become `12.00`. If the currency changes, the
   * row's other amounts get its number of digits too.
   * @param was the current row; for a new row, its default values
   * @throws AppError `invalid` blaming each amount that has too many digits after the decimal point, or no currency, or another one
   */
  settle(given: Values, was: Values, naming: Naming): Values;
}

/** The rules for the amounts among some fields; null when there are none. */
export function amountsOf(fields: Fields): Amounts | null {
  const amounts = Object.entries(fields).filter(([, { currency }]) => currency !== undefined);
  if (amounts.length === 0) return null;
  return {
    needRow: (given) =>
      amounts.some(
        ([property, { currency = '' }]) =>
          currency in fields && (given[property] === undefined) !== (given[currency] === undefined),
      ),
    settle(given, was, naming) {
      const settled = amounts
        .filter(([property, { currency = '' }]) =>
          [property, currency].some((name) => given[name] !== undefined),
        )
        .map(([property, field]) => [property, () => settleOne(fields, property, given, was, naming, field)]);
      return { ...given, ...parseAll(Object.fromEntries(settled)) };
    },
  };
}

/** The amount that the row will have, in the form of its currency. */
function settleOne(
  fields: Fields,
  property: string,
  given: Values,
  was: Values,
  { nameOf, currencyOf }: Naming,
  field: Field,
): string | null {
  const after = (name: string) => (given[name] === undefined ? was[name] : given[name]) as string | null;
  const { currency = '' } = field;
  const amount = after(property) ?? null;
  if (amount === null) return null;
  const name = nameOf(property, field);
  const named = fields[currency];
  const code = named === undefined ? currency : after(currency);
  const places = decimalPlacesOf(code ?? '');
  if (named !== undefined && places === undefined)
    throw invalid(name, {
      code: 'required',
      message: `must be sent together with ${nameOf(currency, named)}`,
    });
  requireCurrency({ currencyOf }, name, code ?? '');
  const isKept = given[property] === undefined;
  const settled = withPlaces(isKept ? withoutZeros(amount) : amount, places ?? 0);
  if (settled !== null) return settled;
  const fault = tooPrecise(places ?? 0, code ?? '');
  throw invalid(name, isKept ? { ...fault, message: `is ${amount}, and ${fault.message}` } : fault);
}

/** Checks the currency that a client sent with an amount. @throws AppError `invalid` if it is not that of the amount */
export function requireCurrency(
  { currencyOf }: Pick<Naming, 'currencyOf'>,
  name: string,
  code: string,
): void {
  const sent = currencyOf?.(name);
  if (sent === undefined || sent.code === code) return;
  throw invalid(sent.name, { code: 'not_allowed', message: `must be ${code}` });
}

/** A decimal with `places` digits after the point; null when it has more. */
export function withPlaces(decimal: string, places: number): string | null {
  const [whole = '', digits = ''] = decimal.split('.');
  if (digits.length > places) return null;
  return places === 0 ? whole : `${whole}.${digits.padEnd(places, '0')}`;
}

/** A decimal without trailing zeros. */
function withoutZeros(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
}
