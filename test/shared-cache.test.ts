import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SharedCache } from '../src/concurrency/shared-cache.ts';

/** Gets or adds a key: `hit`, `added`, or null when there was no room. */
function use(cache: SharedCache<string>, key: string, tenantId: bigint): 'hit' | 'added' | null {
  if (cache.get(key, tenantId) !== undefined) return 'hit';
  return cache.add(key, tenantId, key) ? 'added' : null;
}

test('a tenant that always adds new entries evicts none of tenants with few, in any order of requests', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(3), { minLength: 150, maxLength: 400 }), (order) => {
      const cache = new SharedCache<string>({ max: 16 });
      let count = 0;
      const seen = new Set<string>();
      for (const tenant of order) {
        // Tenant 0 never uses an entry twice; each of the others uses the same four again and again.
        const key = tenant === 0 ? `new ${count++}` : `${tenant} ${count++ % 4}`;
        const outcome = use(cache, key, BigInt(tenant));
        if (tenant !== 0) expect(outcome).toBe(seen.has(key) ? 'hit' : 'added');
        seen.add(key);
        expect(cache.size).toBeLessThanOrEqual(16);
      }
    }),
  );
});

test('a single tenant’s least recently used entry is evicted', () => {
  const cache = new SharedCache<string>({ max: 3 });
  for (const key of ['a', 'b', 'c', 'a', 'd']) use(cache, key, 1n);
  expect(['a', 'b', 'c', 'd'].filter((key) => cache.get(key, 1n) !== undefined)).toEqual(['a', 'c', 'd']);
});

test('an entry in use is not evicted, and if all are in use nothing can be added', () => {
  const evicted: string[] = [];
  const cache = new SharedCache<string>({
    max: 2,
    canEvict: (value) => value !== 'used',
    onEvict: (value) => evicted.push(value),
  });
  cache.add('1', 1n, 'used');
  cache.add('2', 1n, 'free');
  expect(cache.add('3', 1n, 'used')).toBe(true);
  expect(evicted).toEqual(['free']);
  expect(cache.add('4', 1n, 'used')).toBe(false);
  expect(cache.size).toBe(2);
});

test('making room for a large entry among many small ones takes one pass over them', () => {
  let looked = 0;
  const cache = new SharedCache<number>({
    max: 20_000,
    canEvict: () => {
      looked += 1;
      return true;
    },
  });
  for (let i = 0; i < 20_000; i++) cache.add(String(i), BigInt(i % 7), i);
  cache.add('large', 1n, 0, 10_000);
  expect(looked).toBe(10_000);
});

test('entries of any sizes never exceed the maximum', () => {
  const put = fc.record({
    key: fc.nat(30).map(String),
    tenantId: fc.bigInt(1n, 3n),
    size: fc.integer({ min: 1, max: 120 }),
  });
  fc.assert(
    fc.property(fc.array(put, { maxLength: 200 }), (puts) => {
      const cache = new SharedCache<string>({ max: 100 });
      for (const { key, tenantId, size } of puts) {
        if (cache.get(key, tenantId) !== undefined) continue;
        expect(cache.add(key, tenantId, key, size)).toBe(size <= 100);
        expect(cache.size).toBeLessThanOrEqual(100);
        expect(cache.get(key, tenantId)).toBe(size <= 100 ? key : undefined);
      }
    }),
  );
});
