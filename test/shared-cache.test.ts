import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SharedCache } from '../src/shared-cache.ts';

/** Uses a key: what was kept, or what is kept now; null when there is no room. */
function use(cache: SharedCache<string>, key: string, owner: bigint): 'kept' | 'made' | null {
  if (cache.get(key, owner) !== undefined) return 'kept';
  return cache.add(key, owner, key) ? 'made' : null;
}

test('whoever asks for ever new things drops none of those who ask for few, in whatever order they come', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3), { minLength: 150, maxLength: 400 }), (order) => {
      const cache = new SharedCache<string>({ max: 16 });
      let asked = 0;
      const seen = new Set<string>();
      for (const who of order) {
        // Owner 0 never asks for the same; each of the others for four things, again and again.
        const key = who === 0 ? `new ${asked++}` : `${who} ${asked++ % 4}`;
        const outcome = use(cache, key, BigInt(who));
        if (who !== 0) expect(outcome).toBe(seen.has(key) ? 'kept' : 'made');
        seen.add(key);
        expect(cache.size).toBeLessThanOrEqual(16);
      }
    }),
  );
});

test('one owner alone loses what it used longest ago', () => {
  const cache = new SharedCache<string>({ max: 3 });
  for (const key of ['a', 'b', 'c', 'a', 'd']) use(cache, key, 1n);
  expect(['a', 'b', 'c', 'd'].filter((key) => cache.get(key, 1n) !== undefined)).toEqual(['a', 'c', 'd']);
});

test('what is in use is not dropped, and where all is there is no room', () => {
  const dropped: string[] = [];
  const cache = new SharedCache<string>({
    max: 2,
    isFree: (value) => value !== 'used',
    onDrop: (value) => dropped.push(value),
  });
  cache.add('1', 1n, 'used');
  cache.add('2', 1n, 'free');
  expect(cache.add('3', 1n, 'used')).toBe(true);
  expect(dropped).toEqual(['free']);
  expect(cache.add('4', 1n, 'used')).toBe(false);
  expect(cache.size).toBe(2);
});

test('making room for something large in a cache full of small things is one pass, not one for each', () => {
  let looked = 0;
  const cache = new SharedCache<number>({
    max: 20_000,
    isFree: () => {
      looked += 1;
      return true;
    },
  });
  for (let i = 0; i < 20_000; i++) cache.add(String(i), BigInt(i % 7), i);
  cache.add('large', 1n, 0, 10_000);
  expect(looked).toBe(10_000);
});

test('entries of all sizes never take more than there is', () => {
  const put = fc.record({
    key: fc.nat(30).map(String),
    owner: fc.bigInt(1n, 3n),
    size: fc.integer({ min: 1, max: 120 }),
  });
  fc.assert(
    fc.property(fc.array(put, { maxLength: 200 }), (puts) => {
      const cache = new SharedCache<string>({ max: 100 });
      for (const { key, owner, size } of puts) {
        if (cache.get(key, owner) !== undefined) continue;
        expect(cache.add(key, owner, key, size)).toBe(size <= 100);
        expect(cache.size).toBeLessThanOrEqual(100);
        expect(cache.get(key, owner)).toBe(size <= 100 ? key : undefined);
      }
    }),
  );
});
