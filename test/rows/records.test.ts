// Records inside a column: every field of every record is found, as PostgreSQL's record_out writes them.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Columns, rowMaker } from '../../src/rows/columns.ts';
import { readRecords } from '../../src/rows/records.ts';
import { BlockRow, textOf } from '../../src/rows/row-block.ts';
import { sharedGateway } from '../support/gateway.ts';
import { toBlock } from '../support/row-block.ts';

const field = fc.option(
  fc
    .oneof(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.string({ unit: fc.constantFrom('"', '\\', ',', '(', ')', ' ', '\n', 'a', 'é'), maxLength: 12 }),
    )
    .filter((text) => !text.includes('\0') && text.isWellFormed()),
);
const rowsOf = (width: number) =>
  fc.array(fc.array(field, { minLength: width, maxLength: width }), { maxLength: 12 });

/** As record_out does it. */
function written(fields: readonly (string | null)[]): string {
  const texts = fields.map((text) => {
    if (text === null) return '';
    return text === '' || /["\\(),\s]/.test(text) ? `"${text.replaceAll(/["\\]/g, '$&$&')}"` : text;
  });
  return `(${texts.join(',')})`;
}

function readAll(text: string, width: number): (string | null)[][] {
  const bytes = Buffer.from(`before${text}behind`);
  const block = readRecords(bytes, 6, bytes.length - 6, width);
  return block.map((_, index) =>
    Array.from({ length: width }, (_, at) => textOf(new BlockRow(block, index), at)),
  );
}

test('the fields of records are found, whatever they contain', () => {
  const rows = fc.integer({ min: 1, max: 6 }).chain((width) => fc.tuple(fc.constant(width), rowsOf(width)));
  fc.assert(
    fc.property(rows, ([width, all]) => {
      expect(readAll(all.map(written).join(''), width)).toEqual(all);
    }),
  );
});

test('a nested record is read as well', () => {
  const inner = ['a "b"', null, '', '\\', '(1,2)'];
  const [[text]] = readAll(written([written(inner), 'x']), 2) as [[string]];
  expect(readAll(text, inner.length)).toEqual([inner]);
});

test('records from PostgreSQL have the values of its columns', async () => {
  const { app } = await sharedGateway();
  const values = [
    '',
    ' ',
    'a,b',
    '(c)',
    'd"e',
    'f\\g',
    'h\ni',
    'é😀',
    null,
    'plain',
    '\t',
    '{"j": [1, "k"]}',
  ];
  const { rows } = await app.store.pool.query<{ text: string }>(
    `select string_agg(row(v, n, v, v is null, row(v, v)::text)::text, '' order by n) as text
      from unnest($1::text[]) with ordinality u (v, n)`,
    [values],
  );
  const all = readAll(rows[0]?.text ?? '', 5);
  expect(all.map(([value, number, again, isNull]) => [value, number, again, isNull])).toEqual(
    values.map((value, index) => [value, `${index + 1}`, value, value === null ? 't' : 'f']),
  );
  for (const [index, [, , , , inner]] of all.entries())
    expect(readAll(inner ?? '', 2)).toEqual([[values[index], values[index]]]);
});

test('a truncated record is an error, not a row', () => {
  for (const text of ['(1,"a', '(1,a', '(1,"a""'])
    expect(() => readRecords(Buffer.from(text), 0, text.length, 2)).toThrow('no end');
});

test('a record of another width is an error, not a row', () => {
  for (const text of ['(1)', '(1,a,b)', '(1,a)(2)'])
    expect(() => readRecords(Buffer.from(text), 0, text.length, 2)).toThrow('another number of fields');
});

test('rows in a column, and nested ones, read like other rows', () => {
  const columns = { id: 'int8', name: 'text' } as const;
  const column = (isList: boolean, of: Columns = columns) =>
    ({ type: 'text', rows: { columns: of, absent: ['other'], isList } }) as const;
  interface One {
    id: bigint;
    name: string | null;
  }
  const row = rowMaker<{ all: (One & { one: One | null })[]; none: One[]; one: One; noOne: One | null }>({
    all: column(true, { id: 'int8', one: column(false), name: 'text' }),
    ...{ none: column(true), one: column(false), noOne: column(false) },
  })(toBlock(['(1,"(7,""x y"")",a)(2,,)', '', '(3,"")', null]), 0);
  expect(row.all.map(({ id, one, name }) => [id, one?.id, one?.name, name])).toEqual([
    [1n, 7n, 'x y', 'a'],
    [2n, undefined, undefined, null],
  ]);
  expect(row.none).toEqual([]);
  expect(row.one).toMatchObject({ id: 3n, name: '' });
  expect(row.noOne).toBeNull();
  expect(() => Reflect.get(row.one, 'other')).toThrow('not read');
});
