// The type of amounts of money, which always include their currency.
import type { FieldMap } from '@pothos/core';
import { decimalPlacesOf } from '../resources/description/currencies.ts';
import type { Field, Fields } from '../resources/description/fields.ts';
import { createRenamer } from '../rows/columns.ts';
import { withPlaces } from '../services/input/amounts.ts';
import { builder, defineOnce, type Types } from './builder.ts';
import { defineScalarsOf } from './scalars.ts';

interface MoneyRow {
  readonly amount: string;
  readonly currency: string;
}

type Builder = PothosSchemaTypes.ObjectFieldBuilder<Types, Readonly<Record<string, unknown>>>;

/** The fields whose scalars money needs. */
const PARTS: Fields = {
  amount: { type: 'decimal', description: 'An amount.' },
  currency: { type: 'currency', description: 'A currency.' },
};

/** The type of money. The schema contains it only if a field has it. */
export const moneyType = () =>
  defineOnce('Money', () => {
    defineScalarsOf(PARTS);
    return builder.objectRef<MoneyRow>('Money').implement({
      description: 'An amount of money.',
      fields: (t) => ({
        amount: t.expose('amount', {
          type: 'Decimal',
          description: 'The exact amount, with the decimal places of the currency.',
        }),
        currency: t.expose('currency', { type: 'CurrencyCode', description: 'The currency.' }),
      }),
    });
  });

/** The type of an amount in inputs. */
export const moneyInput = () =>
  defineOnce('MoneyInput', () => {
    defineScalarsOf(PARTS);
    return builder.inputType('MoneyInput', {
      description: 'An amount of money.',
      fields: (t) => ({
        amount: t.field({
          type: 'Decimal',
          required: true,
          description: 'The exact amount, with at most the decimal places of the currency.',
        }),
        currency: t.field({ type: 'CurrencyCode', required: true, description: 'The currency.' }),
      }),
    });
  });

/** Whether a field is an amount of money. */
export function isMoney({ currency }: Field): boolean {
  return currency !== undefined;
}

/** The field of an amount. @param currency the code of the currency, or the property with the code */
export function moneyField(
  t: object,
  property: string,
  { currency = '', nullable, restAsNumber, description }: Field,
  fields: Fields,
): FieldMap[string] {
  const isNamed = currency in fields;
  const fromRow = createRenamer({ amount: property, currency });
  return (t as Builder).field({
    type: moneyType(),
    // Pothos cannot infer whether a boolean variable is true.
    nullable: (nullable ?? false) as true,
    description,
    columns: isNamed ? [property, currency] : [property],
    resolve(row) {
      const money = isNamed ? fromRow(row) : undefined;
      if (money !== undefined) return money as MoneyRow | null;
      const amount = row[property];
      if (amount == null) return null;
      const code = isNamed ? (row[currency] as string) : currency;
      // REST's numbers have no zeros at their end.
      const padded = restAsNumber === true ? withPlaces(amount as string, decimalPlacesOf(code) ?? 0) : null;
      return { amount: padded ?? (amount as string), currency: code };
    },
  });
}
