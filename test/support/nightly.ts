// What the suite leaves out for the sake of time, and `npm run test:nightly` does.
import { test } from 'vitest';

const isNight = process.env['NIGHTLY'] === 'yes';

/** A test that takes long, for what others show in part: it is run at night alone. */
export const nightly = test.runIf(isNight);

/** How often something is tried: a third of the times by day. */
export const times = (count: number) => (isNight ? count : Math.ceil(count / 3));

const SEED = 26;

/**
 * A tenth of the values for one place, or another part, the same at each run, and other values at other places, so that every value is
 * tried at many of them. All of them at night.
 */
export function sampleAt<T>(place: string, values: readonly T[], oneOf = 10): readonly T[] {
  if (isNight) return values;
  const first = [...place].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 1_000_003, SEED);
  const step = Math.min(oneOf, values.length);
  return values.filter((_, index) => index % step === first % step);
}
