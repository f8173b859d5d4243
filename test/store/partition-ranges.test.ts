// Which partitions there should be (src/store/partitions/ranges.ts).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  AHEAD_DAYS,
  coveredUntil,
  DAY_MS,
  freePart,
  missingRanges,
  type Range,
  spanOf,
} from '../../src/store/partitions/ranges.ts';

const day = fc.integer({ min: 0, max: 400 });
/** Whatever was made before, by other spans too: none overlaps another. */
const existing = fc
  .uniqueArray(day, { maxLength: 16 })
  .map((days) => days.toSorted((one, other) => one - other).map((from) => from * DAY_MS))
  .map((times) => times.slice(1).map((toMs, index): Range => ({ fromMs: times[index] ?? 0, toMs })))
  .chain((ranges) => fc.subarray(ranges));
const now = fc.integer({ min: 0, max: 440 * DAY_MS });
const span = fc.integer({ min: 1, max: 40 });

describe('what is missing', () => {
  test('with what is there is enough for the days ahead, overlaps nothing, and is no more than needed', () => {
    fc.assert(
      fc.property(existing, now, span, (made, nowMs, spanDays) => {
        const missing = missingRanges(made, nowMs, spanDays);
        const all = [...made, ...missing].toSorted((one, other) => one.fromMs - other.fromMs);
        for (const [index, range] of all.entries()) {
          expect(range.fromMs).toBeLessThan(range.toMs);
          expect(range.fromMs).toBeGreaterThanOrEqual(all[index - 1]?.toMs ?? 0);
        }
        expect(coveredUntil(all, nowMs)).toBeGreaterThan(nowMs + AHEAD_DAYS * DAY_MS);
        const first = nowMs - spanDays * DAY_MS;
        const last = nowMs + (AHEAD_DAYS + spanDays) * DAY_MS;
        for (const { fromMs, toMs } of missing) expect(fromMs >= first && toMs <= last).toBe(true);
      }),
    );
  });

  test('is nothing once it was made', () => {
    fc.assert(
      fc.property(existing, now, span, (made, nowMs, spanDays) => {
        expect(missingRanges([...made, ...missingRanges(made, nowMs, spanDays)], nowMs, spanDays)).toEqual(
          [],
        );
      }),
    );
  });

  test('is no more after a clock has jumped by years than on the first day', () => {
    const made = missingRanges([], 0, 3);
    expect(missingRanges(made, 20_000 * DAY_MS, 3)).toHaveLength(
      missingRanges([], 20_000 * DAY_MS, 3).length,
    );
  });
});

test('time is covered up to the first gap, and not at all where there is nothing for now', () => {
  const ranges = [
    { fromMs: 20, toMs: 30 },
    { fromMs: Number.NEGATIVE_INFINITY, toMs: 10 },
    { fromMs: 10, toMs: 15 },
  ];
  expect(coveredUntil(ranges, 5)).toBe(15);
  expect(coveredUntil(ranges, 17)).toBe(17);
  expect(coveredUntil([{ fromMs: 0, toMs: Number.POSITIVE_INFINITY }], 5)).toBe(Number.POSITIVE_INFINITY);
});

test.each([
  [1, 1],
  [10, 1],
  [30, 3],
  [31, 4],
  [400, 40],
])('rows kept for %i days are in partitions of %i', (keepDays, days) => {
  expect(spanOf(keepDays)).toBe(days);
});

describe('of a range a partition is made', () => {
  const range = { fromMs: 0, toMs: 3 * DAY_MS };
  const partOf = (youngestMs: number | null, nowMs = 0, isLarge = false) =>
    freePart(range, { youngestMs, nowMs, isLarge })?.fromMs ?? null;

  test('for all, where the default one has no row of it', () => {
    expect(freePart(range, { youngestMs: null, nowMs: DAY_MS, isLarge: false })).toEqual(range);
  });

  test('from the midnight on behind such rows, and behind now', () => {
    expect([partOf(0), partOf(DAY_MS - 1), partOf(DAY_MS)]).toEqual([DAY_MS, DAY_MS, 2 * DAY_MS]);
    expect(partOf(0, DAY_MS)).toBe(2 * DAY_MS);
  });

  test('no earlier than a whole day from now where the default one is large', () => {
    expect([partOf(null, 0, true), partOf(null, DAY_MS - 1, true)]).toEqual([2 * DAY_MS, 2 * DAY_MS]);
    expect(partOf(null, -5 * DAY_MS, true)).toBe(0);
  });

  test('for nothing where nothing is left of it', () => {
    expect([partOf(2 * DAY_MS), partOf(null, 1.5 * DAY_MS, true)]).toEqual([null, null]);
  });
});
