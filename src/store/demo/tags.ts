// The demo's tags.
import { drawIds } from '../changing/ids.ts';
import type { WorkspaceData } from './data/shape.ts';
import type { Demo } from './demo.ts';
import { type Named, zip } from './named.ts';

const AGE_DAYS = 840;

/** Inserts a workspace's tags; returns their ids by name. */
export async function insertTags(demo: Demo, workspaceId: bigint, { tags }: WorkspaceData): Promise<Named> {
  const entries = Object.entries(tags);
  const rows = zip(entries, await drawIds(demo.tx, 'tags', entries.length)).map(
    ([[name, { color }], id], index) => {
      const createdAt = demo.daysAgo(AGE_DAYS - index * 7);
      return { id, workspaceId, name, color, createdAt, updatedAt: createdAt };
    },
  );
  await demo.tx.tag.createMany({ data: rows });
  return new Map(rows.map(({ name, id }) => [name, id]));
}
