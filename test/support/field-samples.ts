// Values of each type of field, as rows have them and as PostgreSQL writes them.
import fc from 'fast-check';
import type { FieldType } from '../../src/resources/description/field-types.ts';

/** A value of a field, and its text as PostgreSQL sends it. */
export type Sample = readonly [value: unknown, text: string];

/** Text that can be stored. */
export const WORD = fc
  .string({ unit: 'grapheme' })
  .filter((text) => text.isWellFormed() && !text.includes('\0'));
const id = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n });
const time = fc.date({
  min: new Date('1970-01-01T00:00:00Z'),
  max: new Date('2100-01-01T00:00:00Z'),
  noInvalidDate: true,
});
/** Decimals as PostgreSQL writes them. */
export const DECIMAL = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }), fc.array(fc.nat(9), { maxLength: 9 }))
  .map(([isNegative, whole, digits]) => {
    const text = digits.length === 0 ? String(whole) : `${whole}.${digits.join('')}`;
    return isNegative && /[1-9]/.test(text) ? `-${text}` : text;
  });
/** Days of all years that have four digits. */
export const DATE = fc
  .date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T00:00:00Z'),
    noInvalidDate: true,
  })
  .map((day) => day.toISOString().slice(0, 10));
const object = fc.dictionary(WORD, fc.oneof(WORD, fc.integer(), fc.boolean(), fc.constant(null)));

const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
const pgTime = (date: Date) => date.toISOString().replace('T', ' ').replace('Z', '+00');
const asText = (value: unknown): Sample => [value, String(value)];
const asJson = (value: unknown): Sample => [value, JSON.stringify(value)];

export const SAMPLES: Readonly<Record<FieldType, fc.Arbitrary<Sample>>> = {
  int8: id.map(asText),
  int4: fc.integer().map(asText),
  count: fc.nat().map(asText),
  number: fc
    .tuple(fc.integer({ min: -999_999, max: 999_999 }), fc.nat(6))
    .map(([digits, places]) => asText(digits / 10 ** places)),
  text: WORD.map(asText),
  enum: fc.constantFrom('matched', 'unmatched').map(asText),
  bool: fc.boolean().map((value) => [value, value ? 't' : 'f']),
  decimal: DECIMAL.map(asText),
  currency: fc.constantFrom('EUR', 'JPY', 'KWD').map(asText),
  date: DATE.map(asText),
  timestamp: time.map((value) => [value, pgTime(value)]),
  jsonb: object.map(asJson),
  json: object.map(asJson),
  'text[]': fc.array(WORD).map((list) => [list, `{${list.map(quoted).join(',')}}`]),
  'int8[]': fc.array(id).map((list) => [list, `{${list.join(',')}}`]),
};
