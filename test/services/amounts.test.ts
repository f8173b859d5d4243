// Amounts of money have the decimal places of their currency (src/services/input/amounts.ts).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { decimalPlacesOf } from '../../src/resources/description/currencies.ts';
import type { Fields } from '../../src/resources/description/fields.ts';
import { restNameOf } from '../../src/resources/description/names.ts';
import { type Amounts, amountsOf, withPlaces } from '../../src/services/input/amounts.ts';
import { DECIMAL } from '../support/field-samples.ts';

const FIELDS = {
  amount: { type: 'decimal', currency: 'currency', description: '' },
  setupAmount: { type: 'decimal', nullable: true, currency: 'currency', description: '' },
  currency: { type: 'currency', nullable: true, description: '' },
  fee: { type: 'decimal', currency: 'JPY', description: '' },
} as const satisfies Fields;

const NAMING = { nameOf: restNameOf };
const { settle, needRow } = amountsOf(FIELDS) as Amounts;

/** The members with errors, by the code of the error. */
function refusal(given: object, was: object): Record<string, string> {
  try {
    settle({ ...given }, { ...was }, NAMING);
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid')
      return Object.fromEntries(error.errors.map(({ field, code }) => [field, code]));
    throw error;
  }
  return {};
}

test('fields without amounts have no such rule', () => {
  expect(amountsOf({ id: { type: 'int8', description: '' } })).toBeNull();
});

test('an amount gets the decimal places of its currency', () => {
  const given = { amount: '12', setupAmount: '0.5', currency: 'EUR', fee: '7' };
  expect(settle(given, {}, NAMING)).toEqual({ ...given, amount: '12.00', setupAmount: '0.50' });
  expect(settle({ amount: '12.5', currency: 'KWD' }, {}, NAMING)).toMatchObject({ amount: '12.500' });
  expect(settle({ amount: '12' }, { currency: 'JPY' }, NAMING)).toEqual({ amount: '12' });
  expect(settle({ setupAmount: null }, { currency: 'JPY' }, NAMING)).toEqual({ setupAmount: null });
});

test('when the currency changes, the other amounts follow it', () => {
  const was = { amount: '12.00', setupAmount: null, currency: 'EUR' };
  expect(settle({ currency: 'JPY' }, was, NAMING)).toEqual({
    currency: 'JPY',
    amount: '12',
    setupAmount: null,
  });
  expect(settle({ currency: 'KWD', amount: '1' }, was, NAMING)).toMatchObject({ amount: '1.000' });
});

describe('is refused', () => {
  test('an amount with more decimal places than its currency', () => {
    expect(refusal({ amount: '1.005', currency: 'EUR' }, {})).toEqual({ amount: 'invalid_format' });
    expect(refusal({ amount: '1.000' }, { currency: 'EUR' })).toEqual({ amount: 'invalid_format' });
    expect(refusal({ fee: '1.0' }, {})).toEqual({ fee: 'invalid_format' });
    expect(refusal({ amount: '1.5', setupAmount: '0.1', currency: 'JPY' }, {})).toEqual({
      amount: 'invalid_format',
      setup_amount: 'invalid_format',
    });
  });

  test('a currency that an existing amount does not fit', () => {
    const change = () => settle({ currency: 'JPY' }, { amount: '12.50', currency: 'EUR' }, NAMING);
    expect(change).toThrow('amount is 12.50, and can have at most 0 digits after the decimal point in JPY.');
  });

  test('an amount without a currency', () => {
    expect(refusal({ amount: '1' }, {})).toEqual({ amount: 'required' });
    expect(refusal({ currency: null }, { amount: '1.00', currency: 'EUR' })).toEqual({ amount: 'required' });
  });
});

test('the row is read if an amount or its currency is set without the other', () => {
  expect(needRow({ amount: '1' })).toBe(true);
  expect(needRow({ currency: 'EUR' })).toBe(true);
  expect(needRow({ amount: '1', currency: 'EUR' })).toBe(true);
  expect(needRow({ amount: '1', setupAmount: '1', currency: 'EUR' })).toBe(false);
  expect(needRow({ fee: '1' })).toBe(false);
});

test('no digit is lost or invented, whatever the amount and the currency', () => {
  const currency = fc.constantFrom('JPY', 'EUR', 'KWD');
  fc.assert(
    fc.property(DECIMAL, currency, (amount, code) => {
      const places = decimalPlacesOf(code) ?? 0;
      const settled = withPlaces(amount, places);
      const digits = amount.split('.')[1] ?? '';
      if (digits.length > places) expect(settled).toBeNull();
      else
        expect(settled?.replace('.', '')).toBe(amount.replace('.', '') + '0'.repeat(places - digits.length));
    }),
  );
});
