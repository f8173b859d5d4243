// The demo's saved filters.

import type { Prisma } from '#prisma';
import type { Criterion } from '../../resources/refine-filters.ts';
import { drawIds } from '../changing/ids.ts';
import type { FilterData } from './data/shape.ts';
import type { Demo } from './demo.ts';
import { type Named, requireNamed, zip } from './named.ts';

const AGE_DAYS = 700;

/** Inserts a workspace's saved filters; returns their ids by name. */
export async function insertRefineFilters(
  demo: Demo,
  workspaceId: bigint,
  filters: readonly FilterData[],
  tagIds: Named,
): Promise<Named> {
  const ids = await drawIds(demo.tx, 'refine_filters', filters.length);
  const rows = zip(filters, ids).map(([{ name, conjunction = 'and', criteria }, id], index) => {
    const createdAt = demo.daysAgo(AGE_DAYS - index * 11 - demo.random.next() * 10);
    const resolved = criteria.map((criterion) => withTagIds(criterion, tagIds));
    return { id, workspaceId, name, conjunction, criteria: resolved, createdAt, updatedAt: createdAt };
  });
  await demo.tx.refineFilter.createMany({ data: rows });
  return new Map(rows.map(({ name, id }) => [name, id]));
}

/** Criteria hold tags by id. JSON numbers do: the demo's ids are small. */
function withTagIds({ attribute, clause, value }: Criterion, tagIds: Named): Prisma.InputJsonObject {
  if (attribute === 'tags.id' && Array.isArray(value)) {
    return {
      attribute,
      clause,
      value: value.map((name) => Number(requireNamed(tagIds, 'tag', String(name)))),
    };
  }
  return value === undefined
    ? { attribute, clause }
    : { attribute, clause, value: value as Prisma.InputJsonValue };
}
