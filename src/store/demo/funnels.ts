// The demo's funnels with their pages and workflow trees.
import { drawIds } from '../changing/ids.ts';
import type { FunnelData } from './data/shape.ts';
import type { Demo } from './demo.ts';
import { type InsertedFunnel, insertWorkflows } from './funnel-steps.ts';
import { type Named, requireNamed, zip } from './named.ts';
import type { DemoWorkspace } from './workspaces.ts';

export interface DemoFunnels {
  readonly funnelIds: Named;
  /** By "Funnel / Page". */
  readonly pageIds: Named;
}

const AGE_DAYS = 600;

/** Inserts a workspace's funnels, and all that belongs to them. */
export async function insertFunnels(
  demo: Demo,
  workspace: DemoWorkspace,
  funnels: readonly FunnelData[],
  { tagIds, filterIds }: { tagIds: Named; filterIds: Named },
): Promise<DemoFunnels> {
  const { tx } = demo;
  const workspaceId = workspace.id;
  const rows = zip(funnels, await drawIds(tx, 'funnels', funnels.length)).map(
    ([data, id], index): InsertedFunnel => {
      const createdAt = demo.daysAgo(AGE_DAYS - index * 60 - demo.random.next() * 30);
      return { id, data, createdAt };
    },
  );
  await tx.funnel.createMany({
    data: rows.map(({ id, data, createdAt }) => ({
      id,
      workspaceId,
      name: data.name,
      currentPath: data.path,
      liveMode: data.live ?? false,
      archived: data.archived ?? false,
      customDomainId:
        data.customDomain === undefined
          ? null
          : requireNamed(workspace.customDomainIds, 'custom domain', data.customDomain),
      createdAt,
      updatedAt: createdAt,
    })),
  });
  await tx.funnelTag.createMany({
    data: rows.flatMap(({ id, data, createdAt }) =>
      (data.tags ?? []).map((tag) => ({
        workspaceId,
        funnelId: id,
        tagId: requireNamed(tagIds, 'tag', tag),
        appliedAt: createdAt,
      })),
    ),
  });
  const pageIds = await insertWorkflows(demo, workspaceId, rows, filterIds);
  return { funnelIds: new Map(rows.map(({ id, data }) => [data.name, id])), pageIds };
}
