// Rows of DataRow messages: every field of every row is found, for any bytes and sizes.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  BlockRow,
  equalFields,
  RowCollector,
  setField,
  TOO_LARGE,
  textOf,
} from '../../src/rows/row-block.ts';
import { toBlock, toMessage } from '../support/row-block.ts';

const field = fc.option(fc.string({ unit: 'grapheme', maxLength: 300 }));
const rowsOf = (width: number) =>
  fc.array(fc.array(field, { minLength: width, maxLength: width }), { maxLength: 40 });

test('the fields of rows are found in any order', () => {
  const rows = fc.integer({ min: 1, max: 12 }).chain(rowsOf);
  fc.assert(
    fc.property(rows, fc.array(fc.nat()), (all, order) => {
      const block = toBlock(...all);
      expect(block.length).toBe(all.length);
      for (const number of [...order, ...all.keys()]) {
        if (all.length === 0) continue;
        const index = number % all.length;
        const row = new BlockRow(block, index);
        const texts = all[index]?.map((_, place) => textOf(row, place));
        expect(texts).toEqual(all[index]);
      }
    }),
  );
});

test('a field can be replaced with shorter or longer text, and every other field stays', () => {
  const rows = fc.integer({ min: 1, max: 5 }).chain(rowsOf);
  const text = fc.string({ unit: 'grapheme', maxLength: 600 });
  fc.assert(
    fc.property(rows, fc.array(fc.tuple(fc.nat(), fc.nat(), text)), (all, changes) => {
      if (all.length === 0) return;
      const block = toBlock(...all);
      const expected = all.map((fields) => [...fields]);
      for (const [row, place, changed] of changes) {
        const fields = expected[row % all.length] ?? [];
        const field = place % fields.length;
        if (fields[field] === null) continue;
        setField(new BlockRow(block, row % all.length), field, changed);
        fields[field] = changed;
      }
      expect(
        block.map((from, index) =>
          expected[index]?.map((_, place) => textOf(new BlockRow(from, index), place)),
        ),
      ).toEqual(expected);
    }),
    { endOnFailure: true },
  );
});

test('a collector returns the rows of each result, and grows with them', () => {
  const collector = new RowCollector();
  const long = 'é'.repeat(700_000);
  for (const answer of [['a', null], [long, 'b'], ['', 'c'], []]) {
    const rows = answer.map((text) => [text, text]);
    for (const row of rows) {
      // The message is somewhere in the received bytes.
      const message = Buffer.concat([Buffer.from('before'), toMessage(row), Buffer.from('behind')]);
      collector.add(message, 6, message.length - 6);
    }
    const block = collector.take();
    expect(
      block.map((from, index) => [0, 1].map((place) => textOf(new BlockRow(from, index), place))),
    ).toEqual(rows);
  }
});

test('a result above the limit is detected, and does not affect the next one', () => {
  const row = toMessage(['x'.repeat(100)]);
  const collector = new RowCollector(2 * row.length);
  const taken = [2, 3, 1, 0, 9, 2].map((count) => {
    for (let index = 0; index < count; index++) collector.add(row, 0, row.length);
    const block = collector.take();
    return block === TOO_LARGE ? 'too large' : block.length;
  });
  expect(taken).toEqual([2, 'too large', 1, 0, 'too large', 2]);
});

test('returned rows do not change when others are added', () => {
  const collector = new RowCollector();
  const add = (text: string) => {
    const message = toMessage([text]);
    collector.add(message, 0, message.length);
  };
  add('first');
  const first = collector.take();
  add('other');
  collector.take();
  expect(textOf(new BlockRow(first, 0), 0)).toBe('first');
});

test('a range of fields is equal in two rows if each field is', () => {
  const one = fc.constantFrom(null, '', 'a', 'b', 'aa', 'é');
  const three = fc.array(one, { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(three, three, fc.nat(3), fc.nat(3), (first, second, from, length) => {
      const to = Math.min(from + length, 3);
      const block = toBlock(first, second);
      const same = first.slice(from, to).every((text, index) => text === second[from + index]);
      expect(equalFields(new BlockRow(block, 0), new BlockRow(block, 1), from, to)).toBe(same);
    }),
    { numRuns: 1_000 },
  );
});
