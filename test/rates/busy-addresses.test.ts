// Which networks are tracked, and which of their credentials are admitted.
import { afterEach, expect, test, vi } from 'vitest';
import { createBusyAddresses } from '../../src/rates/busy-addresses.ts';

const reading = (remaining: number) => ({ limit: 100, remaining, resetMs: 60_000 });

afterEach(() => void vi.useRealTimers());

test('an address with less than half of the limit is not tracked', () => {
  const busy = createBusyAddresses(60_000);
  busy.remember('a', reading(51));
  expect([busy.any, busy.has('a'), busy.waitMs('a')]).toEqual([false, false, 0]);
  busy.remember('a', reading(50));
  expect([busy.any, busy.has('a'), busy.waitMs('a')]).toEqual([true, true, 0]);
  busy.remember('a', reading(0));
  expect(busy.waitMs('a')).toBeGreaterThan(59_000);
  expect(busy.waitMs('b')).toBe(0);
});

test('credentials are trusted in the network where they were valid, until they are not', () => {
  const busy = createBusyAddresses(60_000);
  busy.trust('a', 'Bearer x', true);
  expect(busy.isTrusted('a', 'Bearer x')).toBe(true);
  expect(busy.isTrusted('b', 'Bearer x')).toBe(false);
  expect(busy.isTrusted('a', 'Bearer y')).toBe(false);
  busy.trust('a', 'Bearer x', false);
  expect(busy.isTrusted('a', 'Bearer x')).toBe(false);
});

test('after all windows have ended, nothing is kept in memory', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const busy = createBusyAddresses(5);
  busy.remember('a', { limit: 10, remaining: 0, resetMs: 5 });
  expect(busy.any).toBe(true);
  vi.advanceTimersByTime(10);
  expect([busy.any, busy.has('a')]).toEqual([false, false]);
});
