// Tags as they stand on funnels. The store puts together those of contacts in the form that the v2 API shows.
import { parseJson } from '../rows/columns.ts';
import { toInteger } from '../rows/json.ts';
import type { FunnelRow } from '../services/funnels.ts';

/** The tags on a funnel, without the times at which they were applied. */
export function writeTags(column: string): string {
  const tags = parseJson(column) as FunnelRow['tags'];
  return JSON.stringify(
    tags.map(({ id, public_id, name, color }) => ({ id: toInteger(BigInt(id)), public_id, name, color })),
  );
}
