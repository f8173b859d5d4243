// What the workers of one gateway have counted, in its primary process.
import type { RateLimits } from '../config/rates.ts';
import { BoundedMemory } from './bounded-memory.ts';
import type { AddCounts } from './counter.ts';

/** Creates the counts of all limits. */
export function createPrimaryCounts({ windowSeconds, ...limits }: RateLimits): AddCounts {
  const create = (points: number) => new BoundedMemory(points, windowSeconds);
  const memories = {
    key: create(limits.key),
    client: create(limits.client),
    team: create(limits.team),
    address: create(limits.address),
  };
  return async (limit, counted) => counted.map(([key, points]) => memories[limit].add(key, points));
}
