// A cache that owners share: bounded in bytes, and nobody pushes out what others use.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOwnedCache } from '../../src/graphql/owned-cache.ts';

const MAX = 100;
const SHARE = 40;

test('never holds more bytes than allowed, whatever is put into it', () => {
  const put = fc.record({
    key: fc.nat(30).map(String),
    owner: fc.constantFrom('a', 'b', 'c'),
    bytes: fc.integer({ min: 1, max: 60 }),
  });
  fc.assert(
    fc.property(fc.array(put, { maxLength: 200 }), (puts) => {
      const cache = createOwnedCache<string>(MAX, SHARE);
      for (const { key, owner, bytes } of puts) {
        cache.set(key, owner, owner, bytes);
        expect(cache.bytes).toBeLessThanOrEqual(MAX);
        // What fits into a share is there.
        if (bytes <= SHARE) expect(cache.get(key)).toBe(owner);
      }
    }),
  );
});

test('an owner that puts in ever more entries makes room itself once the cache is full', () => {
  const cache = createOwnedCache<number>(MAX, SHARE);
  for (let i = 0; i < 6; i++) cache.set(`mine ${i}`, i, 'me', 10);
  for (let i = 0; i < 1_000; i++) cache.set(`theirs ${i}`, i, 'them', 10);
  for (let i = 0; i < 6; i++) expect(cache.get(`mine ${i}`)).toBe(i);
  expect(cache.get('theirs 999')).toBe(999);
});

test('with room left, one owner may fill all of it', () => {
  const cache = createOwnedCache<number>(MAX, SHARE);
  for (let i = 0; i < 10; i++) cache.set(String(i), i, 'me', 10);
  expect(cache.bytes).toBe(MAX);
});
