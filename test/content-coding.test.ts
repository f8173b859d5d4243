// How requests compare entity tags (RFC 9110 §13.1).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codedTag, fitsTag, matchesTag, parseTagCondition } from '../src/messages/content-coding.ts';

const opaque = fc.string({ unit: fc.constantFrom(...'ab,*/ W-_!~'), maxLength: 8 });
const tag = opaque.map((text) => `"${text.replaceAll(' ', '')}"`);
const listed = fc.record({ isWeak: fc.boolean(), tag });
const blank = fc.constantFrom('', ' ', '\t', ' \t ', ' , ', ',,');

test('a list of tags is parsed whatever separates them', () => {
  const list = fc.array(fc.tuple(listed, blank), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(list, blank, (items, before) => {
      const written = items.map(([{ isWeak, tag: one }, behind]) => `${isWeak ? 'W/' : ''}${one}${behind}`);
      expect(parseTagCondition(before + written.join(','))).toEqual(items.map(([item]) => item));
    }),
  );
});

test('If-None-Match matches a listed tag, weak or not; If-Match a strong one, compressed or not', () => {
  fc.assert(
    fc.property(fc.array(listed, { minLength: 1, maxLength: 4 }), tag, (items, ours) => {
      const value = items.map(({ isWeak, tag: one }) => `${isWeak ? 'W/' : ''}${one}`).join(', ');
      const isListed = items.some((item) => item.tag === ours);
      const isStrong = items.some((item) => item.tag === ours && !item.isWeak);
      expect(matchesTag(value, ours)).toBe(isListed);
      expect(fitsTag(parseTagCondition(value) ?? [], ours)).toBe(isStrong);
      for (const coding of ['zstd', 'gzip'])
        expect(fitsTag(parseTagCondition(codedTag(ours, coding)) ?? [], ours)).toBe(true);
    }),
  );
});

test.each(['*', ' * '])('%j holds for any tag', (value) => {
  expect([matchesTag(value, '"a"'), fitsTag(parseTagCondition(value) ?? [], '"a"')]).toEqual([true, true]);
});

describe('is not a condition, and matches nothing', () => {
  test.each([
    '',
    ' ',
    ',',
    '* *',
    '*, "a"',
    'a',
    '"a',
    '"a" "a"',
    'w/"a"',
    'W/ "a"',
    '"a"b',
    `${'"a",'.repeat(4_000)}x`,
  ])('%j', (value) => {
    expect([parseTagCondition(value), matchesTag(value, '"a"')]).toEqual([null, false]);
  });
});
