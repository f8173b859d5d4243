// What the workers of one gateway have counted, in its primary process.
import type { RateLimits } from '../config/rates.ts';
import { BoundedMemory } from './bounded-memory.ts';
import { type AddCounts, ofLimits } from './counter.ts';

/** Creates the counts of all limits. */
export function createPrimaryCounts({ windowSeconds, ...limits }: RateLimits): AddCounts {
  const memories = ofLimits((name) => new BoundedMemory(limits[name], windowSeconds));
  return async (limit, counted) => counted.map(([key, points]) => memories[limit].add(key, points));
}
