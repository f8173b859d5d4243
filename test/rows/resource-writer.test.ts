// REST's JSON of a resource is the same for rows over PostgreSQL's bytes and for plain objects.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Field, Fields } from '../../src/resources/description/fields.ts';
import { fieldsInParent } from '../../src/resources/description/fields.ts';
import { expandableNames, restNameOf } from '../../src/resources/description/names.ts';
import { ByteWriter } from '../../src/rows/byte-writer.ts';
import { type Column, rowMaker } from '../../src/rows/columns.ts';
import { writerOf } from '../../src/rows/resource-writer.ts';
import { snapshotRows } from '../../src/rows/snapshot-rows.ts';
import { SAMPLES, type Sample, WORD } from '../support/field-samples.ts';
import { RESOURCES } from '../support/resources.ts';
import { toBlock } from '../support/row-block.ts';

const out = new ByteWriter();
function written(write: (row: object, out: ByteWriter) => void, row: object): string {
  out.clear();
  write(row, out);
  return out.toBuffer().toString();
}

function sampleOf(field: Field): fc.Arbitrary<Sample> {
  const { type, items, object, members, values, restAsNumber } = field;
  if (object !== undefined) return objectOf(object);
  if (items !== undefined)
    return fc
      .array(objectOf(fieldsInParent(items)))
      .map((list) => [
        list.map(([value]) => value),
        `[${list.map(([, text]) => text).join(type === 'jsonb' ? ', ' : ',')}]`,
      ]);
  if (members !== undefined)
    return fc.dictionary(WORD, WORD).map((object) => [
      object,
      `{${Object.entries(object)
        .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
        .join(', ')}}`,
    ]);
  // A number has no zeros at its end.
  if (type === 'decimal' && restAsNumber === true)
    return fc.constantFrom('0', '12.5', '0.125', '999999999999').map((value) => [value, value]);
  return values === undefined ? SAMPLES[type] : fc.constantFrom(...values).map((value) => [value, value]);
}

/** An object: its value by property name, and its JSON by REST's names. */
function objectOf(items: Fields): fc.Arbitrary<Sample> {
  return fc
    .tuple(
      ...Object.entries(items).map(([property, field]) =>
        sampleOf(field).map((sample) => [property, field, sample] as const),
      ),
    )
    .map((members) => [
      Object.fromEntries(members.map(([property, , [value]]) => [property, value])),
      `{${members.map(([property, field, sample]) => `"${restNameOf(property, field)}":${jsonOf(field, sample)}`).join(',')}}`,
    ]);
}

/** A member's JSON. */
function jsonOf({ type, items, object, restAsText, restAsNumber }: Field, [value, text]: Sample): string {
  if (restAsNumber === true && type === 'decimal') return text;
  if (restAsNumber === true) return value === true ? '1' : '0';
  if (type === 'int8[]') return `[${value}]`;
  if (restAsText === true) return JSON.stringify(String(value));
  if (type === 'int8' || items !== undefined || object !== undefined) return text;
  return JSON.stringify(value);
}

function rowOf(fields: Fields): fc.Arbitrary<{ plain: object; texts: (string | null)[] }> {
  return fc
    .tuple(
      ...Object.entries(fields).map(([property, field]) =>
        (field.nullable === true ? fc.option(sampleOf(field)) : sampleOf(field)).map(
          (sample) => [property, sample] as const,
        ),
      ),
    )
    .map((samples) => ({
      plain: Object.fromEntries(samples.map(([property, sample]) => [property, sample?.[0] ?? null])),
      texts: samples.map(([, sample]) => sample?.[1] ?? null),
    }));
}

describe.each(RESOURCES)('$type', (resource) => {
  const { fields } = resource;
  const write = writerOf(resource);
  const columns = Object.fromEntries(
    Object.entries(fields).map(([property, { type, items, object }]): [string, Column] => [
      property,
      items === undefined && object === undefined
        ? type
        : { type, ...(items && { items }), ...(object && { object }) },
    ]),
  );

  test('a row over bytes and a plain one have the same JSON, also alternating, and with other columns between', () => {
    const whole = rowMaker<object>(columns);
    const shifted = rowMaker<object>(columns, { offset: 1 });
    fc.assert(
      fc.property(rowOf(fields), ({ plain, texts }) => {
        const expected = written(write, plain);
        expect(written(write, whole(toBlock(texts), 0))).toBe(expected);
        expect(written(write, shifted(toBlock(['other', ...texts]), 0))).toBe(expected);
        expect(written(write, plain)).toBe(expected);
      }),
      { numRuns: 30 },
    );
  });

  test('a row over bytes decodes to the plain row', () => {
    const whole = rowMaker<Record<string, unknown>>(columns);
    fc.assert(
      fc.property(rowOf(fields), ({ plain, texts }) => {
        const row = whole(toBlock(texts), 0);
        expect(Object.fromEntries(Object.keys(fields).map((property) => [property, row[property]]))).toEqual(
          plain,
        );
      }),
      { numRuns: 30 },
    );
  });
});

// As they were restricted, some resources show less than their rows have: those are never changed by a statement of their own.
describe.each(
  RESOURCES.filter(({ fields }) => Object.values<Field>(fields).every(({ internal }) => !internal)),
)('a snapshot of $type', ({ type, ...noun }) => {
  const recorded = Object.entries<Field>(noun.fields).filter(([, { expand }]) => expand !== 'reads');
  const resource = { type, fields: Object.fromEntries(recorded) };
  test('is written back unchanged except for spaces, and has the properties of the plain row', () => {
    const write = writerOf(resource, expandableNames(resource));
    const make = snapshotRows<Record<string, unknown>>(resource);
    fc.assert(
      fc.property(rowOf(resource.fields), ({ plain }) => {
        const json = written(write, plain);
        const row = make(json);
        expect(written(write, row)).toBe(json);
        const properties = Object.keys(resource.fields).map((property) => [property, row[property]]);
        expect(Object.fromEntries(properties)).toEqual(plain);
      }),
      { numRuns: 30 },
    );
  });
});

test('a row without a column is refused, not written without it', () => {
  const write = writerOf({
    fields: { id: { type: 'int8', description: '' }, name: { type: 'text', description: '' } },
  });
  const partial = rowMaker<object>({ id: 'int8' });
  expect(() => written(write, partial(toBlock(['1']), 0))).toThrow('The row has no name');
});
