// Columns of PostgreSQL's text: their JSON is that of their decoded value.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FieldType } from '../../src/resources/description/field-types.ts';
import { ByteWriter } from '../../src/rows/byte-writer.ts';
import { layoutOf, rowMaker, selectList, writeField } from '../../src/rows/columns.ts';
import { writeInstead } from '../../src/rows/json-writers.ts';
import { toBlock } from '../support/row-block.ts';

const rowOf = (type: FieldType, text: string | null) =>
  rowMaker<{ value: unknown }>({ value: type })(toBlock([text]), 0);
const read = (type: FieldType, text: string) => rowOf(type, text).value;

const out = new ByteWriter();
/** The text of a column as JSON. */
function toJson(type: FieldType, text: string): string {
  out.clear();
  expect(writeField(out, rowOf(type, text), { index: 0, type })).toBe(true);
  return out.toBuffer().toString();
}

test('any text is written as JSON.stringify writes it', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string());
  fc.assert(
    fc.property(text, (value) => {
      if (!value.isWellFormed()) return;
      expect(toJson('text', value)).toBe(JSON.stringify(value));
      expect(read('text', value)).toBe(value);
    }),
  );
  for (const value of ['"', '\\', '\n', '\u0000', '\u001f', '\u007f', '\u2028', '😀', 'é']) {
    expect(toJson('text', value)).toBe(JSON.stringify(value));
  }
});

test('a timestamp is the same moment with any number of fractional digits and in any time zone of the session', () => {
  const moment = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  });
  const offset = fc.integer({ min: -14 * 60, max: 14 * 60 });
  fc.assert(
    fc.property(moment, offset, fc.boolean(), (date, minutes, inUtc) => {
      const shift = inUtc ? 0 : minutes;
      const local = new Date(date.getTime() + shift * 60_000);
      fc.pre(local.getUTCFullYear() >= 1 && local.getUTCFullYear() <= 9999);
      const [day = '', time = ''] = local.toISOString().slice(0, -1).split('T');
      const [hours, rest] = [Math.trunc(Math.abs(shift) / 60), Math.abs(shift) % 60].map((part) =>
        String(part).padStart(2, '0'),
      );
      const zone = `${shift < 0 ? '-' : '+'}${hours}${rest === '00' ? '' : `:${rest}`}`;
      const text = `${day} ${time.replace(/\.?0+$/, '') || '00:00:00'}${zone}`;
      fc.pre(/ \d\d:\d\d:\d\d/.test(text));
      expect(toJson('timestamp', text)).toBe(JSON.stringify(date));
      expect(read('timestamp', text)).toEqual(date);
    }),
  );
});

test('64-bit integers, lists and booleans keep their value', () => {
  expect(read('int8', '9223372036854775807')).toBe(9223372036854775807n);
  expect(toJson('int8', '9223372036854775807')).toBe('9223372036854775807');
  expect(read('int8[]', '{1,9007199254740993}')).toEqual([1n, 9007199254740993n]);
  expect(toJson('int8[]', '{1,9007199254740993}')).toBe('[1,9007199254740993]');
  expect(read('text[]', '{a,"b,\\"c\\"","NULL"}')).toEqual(['a', 'b,"c"', 'NULL']);
  expect(toJson('text[]', '{}')).toBe('[]');
  expect([read('bool', 't'), read('bool', 'f')]).toEqual([true, false]);
  expect([toJson('bool', 't'), toJson('bool', 'f')]).toEqual(['true', 'false']);
});

test('a mapped value is written for some texts, and nothing for any other', () => {
  const write = writeInstead(
    new Map([
      ['past-due', '"PAST_DUE"'],
      ['paid', '"PAID"'],
      ['void', '"VOID"'],
    ]),
  );
  const written = (text: string) => {
    out.clear();
    writeField(out, rowOf('text', text), { index: 0, type: 'text' }, write);
    return out.toBuffer().toString();
  };
  expect(['past-due', 'void', 'paid'].map(written)).toEqual(['"PAST_DUE"', '"VOID"', '"PAID"']);
  for (const text of ['', 'pai', 'paix', 'paidd', 'PAID', 'past-dué'])
    expect(() => written(text)).toThrow(TypeError);
});

test('null writes nothing', () => {
  out.clear();
  expect(writeField(out, rowOf('text', null), { index: 0, type: 'text' })).toBe(false);
  expect(out.length).toBe(0);
});

test('jsonb is written without spaces between its tokens, and otherwise unchanged', () => {
  const spaced = (value: unknown): string =>
    Array.isArray(value)
      ? `[${value.map(spaced).join(', ')}]`
      : value instanceof Object
        ? `{${Object.entries(value)
            .map(([key, inner]) => `${JSON.stringify(key)}: ${spaced(inner)}`)
            .join(', ')}}`
        : JSON.stringify(value);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(toJson('jsonb', spaced(value))).toBe(JSON.stringify(value));
    }),
  );
  expect(toJson('jsonb', '{"n": 12345678901234567890, "s": "a, b: c"}')).toBe(
    '{"n":12345678901234567890,"s":"a, b: c"}',
  );
});

test('JSON columns keep 64-bit integers', () => {
  expect(read('json', '[{"id":9007199254740993,"n":1.5,"s":"9007199254740993"},7]')).toEqual([
    { id: 9007199254740993n, n: 1.5, s: '9007199254740993' },
    7,
  ]);
});

test('a list of objects has their members by property name, including 64-bit ids and timestamps', () => {
  const items = {
    id: { type: 'int8', description: '' },
    publicId: { type: 'text', description: '' },
    appliedAt: { type: 'timestamp', description: '' },
  } as const;
  const text = '[{"id":9007199254740993,"public_id":"abcdef","applied_at":"2026-01-02T03:04:05.678Z"}]';
  const make = rowMaker<{ tags: unknown }>({ tags: { type: 'json', items } });
  const appliedAt = new Date('2026-01-02T03:04:05.678Z');
  expect(make(toBlock([text]), 0).tags).toEqual([{ id: 9007199254740993n, publicId: 'abcdef', appliedAt }]);
  expect(make(toBlock(['[]']), 0).tags).toEqual([]);
});

test('a row has its layout and nulls, and throws for columns that were not selected', () => {
  const make = rowMaker<{ id: bigint; name: string | null; tags: unknown }>(
    { id: 'int8', name: 'text' },
    { offset: 1, absent: ['tags'] },
  );
  const row = make(toBlock(['before', '7', null]), 0);
  expect([row.id, row.name]).toEqual([7n, null]);
  expect(layoutOf(row)?.get('name')).toEqual({ index: 2, type: 'text' });
  expect(layoutOf({})).toBeUndefined();
  expect(() => row.tags).toThrow('tags was not read');
});

test('the select list has columns in snake_case, or their own SQL', () => {
  expect(selectList({ firstName: 'text', isActive: { type: 'bool', sql: '(true)' } }, 'c')).toBe(
    'c.first_name as "firstName", (true) as "isActive"',
  );
});
