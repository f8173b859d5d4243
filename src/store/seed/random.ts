// Pseudorandom numbers that are the same in every run, so that demo data is reproducible.

export interface Random {
  /** A number from 0 up to, but not including, 1. */
  next(): number;
  /** An integer from 0 up to, but not including, `below`. */
  below(below: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
  /** True in `share` of the cases, such as 0.1. */
  chance(share: number): boolean;
}

/** Creates a generator with its own state (Mulberry32: 32 bits, enough for names and dates). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    pick: (items) => items[below(items.length)] ?? items[0],
    chance: (share) => next() < share,
  };
}
