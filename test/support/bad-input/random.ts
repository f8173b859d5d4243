// Pseudorandom numbers, reproducible by a seed, and choices by them.

export interface Random {
  /** An integer from 0 to `below` - 1. */
  int(below: number): number;
  /** True in this many of a hundred cases. */
  percent(share: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** Uses the generator mulberry32. @param seed an integer */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return {
    int,
    percent: (share) => next() * 100 < share,
    pick<T>(from: readonly T[]): T {
      if (from.length === 0) throw new RangeError('There is nothing to pick from.');
      return from[int(from.length)] as T;
    },
  };
}
