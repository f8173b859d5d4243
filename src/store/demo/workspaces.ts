// The demo's workspaces with their custom domains.
import { allocateIds } from '../public-ids.ts';
import type { WorkspaceData } from './data/shape.ts';
import type { Demo } from './demo.ts';
import { type Named, onlyOne } from './named.ts';

export interface DemoWorkspace {
  readonly id: bigint;
  readonly customDomainIds: Named;
}

const AGE_DAYS = 850;

/** Inserts one workspace; what it holds comes later. */
export async function insertWorkspace(
  demo: Demo,
  teamId: bigint,
  { name, subdomain, customDomains }: WorkspaceData,
): Promise<DemoWorkspace> {
  const { tx } = demo;
  const ids = onlyOne(await allocateIds(tx, 'workspaces', 1));
  const createdAt = demo.daysAgo(AGE_DAYS + demo.random.next() * 40);
  await tx.workspace.create({ data: { ...ids, teamId, name, subdomain, createdAt, updatedAt: createdAt } });
  const domains = await tx.customDomain.createManyAndReturn({
    data: customDomains.map((host) => ({ workspaceId: ids.id, host, createdAt })),
  });
  return { id: ids.id, customDomainIds: new Map(domains.map(({ host, id }) => [host, id])) };
}
