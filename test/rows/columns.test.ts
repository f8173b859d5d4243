// Text of PostgreSQL's, decoded and as JSON: the two must say the same.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FieldType } from '../../src/resources/resource.ts';
import { ByteWriter } from '../../src/rows/byte-writer.ts';
import { layoutOf, rowMaker, selectList, writeField } from '../../src/rows/columns.ts';
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

test('any text as JSON is what JSON.stringify makes of it', () => {
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

test('a timestamp is the same moment however many of its digits PostgreSQL prints, and whatever the session’s zone', () => {
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

test('integers of 64 bits, lists and flags keep their value', () => {
  expect(read('int8', '9223372036854775807')).toBe(9223372036854775807n);
  expect(toJson('int8', '9223372036854775807')).toBe('9223372036854775807');
  expect(read('int8[]', '{1,9007199254740993}')).toEqual([1n, 9007199254740993n]);
  expect(toJson('int8[]', '{1,9007199254740993}')).toBe('[1,9007199254740993]');
  expect(read('text[]', '{a,"b,\\"c\\"","NULL"}')).toEqual(['a', 'b,"c"', 'NULL']);
  expect(toJson('text[]', '{}')).toBe('[]');
  expect([read('bool', 't'), read('bool', 'f')]).toEqual([true, false]);
  expect([toJson('bool', 't'), toJson('bool', 'f')]).toEqual(['true', 'false']);
});

test('null is nothing to write', () => {
  out.clear();
  expect(writeField(out, rowOf('text', null), { index: 0, type: 'text' })).toBe(false);
  expect(out.length).toBe(0);
});

test('jsonb is written without spaces between its parts, and otherwise as it is', () => {
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

test('JSON that a statement made keeps integers of 64 bits', () => {
  expect(read('json', '[{"id":9007199254740993,"n":1.5,"s":"9007199254740993"},7]')).toEqual([
    { id: 9007199254740993n, n: 1.5, s: '9007199254740993' },
    7,
  ]);
});

test('a list of objects has their fields by property name, ids of 64 bits and times among them', () => {
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

test('a row knows its layout, is null where the text is, and refuses what was not read', () => {
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

test('the select list names columns in snake_case, or by their own SQL', () => {
  expect(selectList({ firstName: 'text', isActive: { type: 'bool', sql: '(true)' } }, 'c')).toBe(
    'c.first_name as "firstName", (true) as "isActive"',
  );
});
