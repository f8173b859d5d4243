// The table of field types: every accepted value of a type is returned as it was stored.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decimalPlacesOf } from '../../src/resources/description/currencies.ts';
import { FIELD_TYPES, type FieldType, typeOf } from '../../src/resources/description/field-types.ts';
import { ByteWriter } from '../../src/rows/byte-writer.ts';
import { rowMaker, writeField } from '../../src/rows/columns.ts';
import { isStorable } from '../../src/rows/storable.ts';
import { TEXTS } from '../support/bad-input/values.ts';
import { DATE, DECIMAL, SAMPLES } from '../support/field-samples.ts';
import { toBlock } from '../support/row-block.ts';

const TYPES = Object.keys(FIELD_TYPES) as FieldType[];

const out = new ByteWriter();
/** A column's text as a row has it and as JSON. */
function read(type: FieldType, text: string): { value: unknown; json: string } {
  const row = rowMaker<{ value: unknown }>({ value: type })(toBlock([text]), 0);
  out.clear();
  writeField(out, row, { index: 0, type });
  return { value: row.value, json: out.toBuffer().toString() };
}

test.each(TYPES)(
  '%s: a text from PostgreSQL is parsed to a value, whose JSON is parsed to the same value',
  (type) => {
    const { fromJson = (json: unknown) => json } = typeOf(type);
    const exact = (_key: string, value: unknown, { source }: { source?: string }) =>
      typeof value === 'number' && /^\d+$/.test(source ?? '') && type.startsWith('int8')
        ? BigInt(source ?? 0)
        : value;
    fc.assert(
      fc.property(SAMPLES[type], ([value, text]) => {
        const found = read(type, text);
        expect(found.value).toEqual(value);
        expect(fromJson(JSON.parse(found.json, exact))).toEqual(value);
      }),
    );
  },
);

describe('decimals', () => {
  const { parse } = FIELD_TYPES.decimal;

  test('keep their text from input to store to output to input', () => {
    fc.assert(
      fc.property(DECIMAL, (text) => {
        expect(parse(text)).toBe(text);
        const { value, json } = read('decimal', text);
        expect([value, JSON.parse(json)]).toEqual([text, text]);
        expect(parse(JSON.parse(json))).toBe(text);
      }),
    );
  });

  test.each([
    ['007.50', '7.50'],
    ['-0.00', '0.00'],
    ['-00', '0'],
    ['0', '0'],
    ['-0.5', '-0.5'],
    ['999999999999999.999999999', '999999999999999.999999999'],
  ])('%s is taken as %s', (given, taken) => expect(parse(given)).toBe(taken));

  test.each([12.5, 12, 0, true, [], {}, '', ' ', '.5', '5.', '+1', '1e3', '1,5', '1_000', 'NaN', 'Infinity'])(
    '%j is refused',
    (given) => expect(parse(given)).toBeUndefined(),
  );
  test.each(['1'.repeat(16), `0.${'1'.repeat(10)}`, '1.2.3', '--1', ' 1', '1 ', '١', '1\n', '0x1'])(
    '%j is refused',
    (given) => expect(parse(given)).toBeUndefined(),
  );
});

describe('dates', () => {
  const { parse } = FIELD_TYPES.date;

  test('keep their text from input to store to output to input', () => {
    fc.assert(
      fc.property(DATE, (text) => {
        expect(parse(text)).toBe(text);
        const { value, json } = read('date', text);
        expect([value, JSON.parse(json)]).toEqual([text, text]);
      }),
    );
  });

  test('are valid calendar days', () => {
    const part = fc.integer({ min: 0, max: 40 }).map((number) => String(number).padStart(2, '0'));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9999 }), part, part, (year, month, day) => {
        const text = `${String(year).padStart(4, '0')}-${month}-${day}`;
        const time = new Date(0);
        time.setUTCFullYear(year, Number(month) - 1, Number(day));
        const isDay = time.getUTCMonth() === Number(month) - 1 && time.getUTCDate() === Number(day);
        expect(parse(text)).toBe(isDay ? text : undefined);
      }),
    );
  });

  test.each([
    1,
    null,
    {},
    '',
    '2026-1-1',
    '2026-01-31T00:00:00Z',
    '0000-01-01',
    '20260131',
    '2026-02-29',
    ' 2026-01-31',
  ])('%j is refused', (given) => expect(parse(given)).toBeUndefined());
  test('include the 29th of February only in leap years', () => {
    expect(['2024-02-29', '2000-02-29', '1900-02-29'].map(parse)).toEqual([
      '2024-02-29',
      '2000-02-29',
      undefined,
    ]);
  });
});

test('currencies are those of ISO 4217, with their digits behind the point', () => {
  const { parse } = FIELD_TYPES.currency;
  expect(['USD', 'EUR', 'JPY', 'KWD'].map(parse)).toEqual(['USD', 'EUR', 'JPY', 'KWD']);
  expect(['usd', 'XXX', 'US', 'USDX', '', 'CLF', 1, null, ['USD'], '__proto__'].map(parse)).toEqual(
    Array.from({ length: 10 }, () => undefined),
  );
  expect(['USD', 'JPY', 'BHD', 'XXX'].map(decimalPlacesOf)).toEqual([2, 0, 3, undefined]);
});

test('hostile values are refused by every type, or stored unchanged', () => {
  for (const type of TYPES)
    for (const given of [...TEXTS, ...TEXTS.map((text) => [text])]) {
      const value = typeOf(type).parse(given);
      if (value === undefined || !isStorable(value)) continue;
      const { fromJson = (json: unknown) => json } = typeOf(type);
      const json = JSON.stringify(value, (_key, member: unknown) =>
        typeof member === 'bigint' ? String(member) : member,
      );
      expect(fromJson(JSON.parse(json))).toEqual(value);
    }
});
