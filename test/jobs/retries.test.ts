// When deliveries are tried again (src/jobs/delivery/retries.ts).
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDelivered, MAX_ATTEMPTS, nextAttempt } from '../../src/jobs/delivery/retries.ts';

const DOCUMENTED_SECONDS = [1, 15, 60, 300, 900, 3_600, 43_200, 86_400];
const attempts = fc.integer({ min: 1, max: MAX_ATTEMPTS - 1 });
const random = fc.double({ min: 0, max: 1, noNaN: true });

test('without jitter the waits are as documented, and then there is none', () => {
  const waits = DOCUMENTED_SECONDS.map((_, index) => nextAttempt(index + 1, null, () => 0));
  expect(waits).toEqual(DOCUMENTED_SECONDS.map((seconds) => seconds * 1_000));
  expect(MAX_ATTEMPTS).toBe(DOCUMENTED_SECONDS.length + 1);
});

test('jitter adds a tenth at most and subtracts nothing', () => {
  fc.assert(
    fc.property(attempts, random, (count, share) => {
      const documented = (DOCUMENTED_SECONDS[count - 1] ?? 0) * 1_000;
      const wait = nextAttempt(count, null, () => share);
      expect(wait).toBeGreaterThanOrEqual(documented);
      expect(wait).toBeLessThanOrEqual(documented * 1.1);
    }),
  );
});

test('a receiver is not called before the time that it requested, nor earlier than without it', () => {
  fc.assert(
    fc.property(attempts, fc.nat(86_400_000), random, (count, retryAfterMs, share) => {
      const wait = nextAttempt(count, retryAfterMs, () => share);
      expect(wait).toBe(Math.max(retryAfterMs, nextAttempt(count, null, () => share) ?? 0));
    }),
  );
});

test('after the last attempt there is none, whatever the receiver requests', () => {
  fc.assert(
    fc.property(fc.integer({ min: MAX_ATTEMPTS, max: 1_000 }), fc.option(fc.nat()), (count, retryAfterMs) => {
      expect(nextAttempt(count, retryAfterMs)).toBeNull();
    }),
  );
});

test('only a complete answer with one of the nine codes is a success', () => {
  const codes = Array.from({ length: 600 }, (_, code) => code);
  const delivered = codes.filter((code) => isDelivered({ code, error: null }));
  expect(delivered).toEqual([200, 201, 202, 203, 204, 205, 206, 207, 226]);
  expect(isDelivered({ code: 200, error: 'The answer took too long.' })).toBe(false);
  expect(isDelivered({ code: null, error: null })).toBe(false);
});
