// Marks tests that the suite skips to save time, and that `npm run test:nightly` runs.
import { hash } from 'node:crypto';
import { test } from 'vitest';

/** Whether all values are tried. */
export const isNight = process.env['NIGHTLY'] === 'yes';

/** A slow test that runs only at night, for guarantees that faster tests check in part. */
export const nightly = test.runIf(isNight);

/** The number of tries: a fifth of `count` by day. */
export const times = (count: number) => (isNight ? count : Math.ceil(count / 5));

const SEED = 26;

/**
 * A tenth of the values for one place, or another share: the same at each run, and others at other places, so that every value is tried at
 * many places. At night, all values.
 */
export function sampleAt<T>(place: string, values: readonly T[], oneOf = 10): readonly T[] {
  if (isNight) return values;
  // Well mixed: places whose names are alike have samples of their own.
  const first = hash('sha256', `${SEED} ${place}`, 'buffer').readUInt32BE();
  const step = Math.min(oneOf, values.length);
  return values.filter((_, index) => index % step === first % step);
}
