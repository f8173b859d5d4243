// The demo's workspaces with their custom domains.
import type { WorkspaceData } from './data/shape.ts';
import type { Demo } from './demo.ts';
import type { Named } from './named.ts';

export interface DemoWorkspace {
  readonly id: bigint;
  readonly customDomainIds: Named;
}

const AGE_DAYS = 850;

/** Inserts one workspace; what it holds comes later. */
export async function insertDemoWorkspace(
  demo: Demo,
  teamId: bigint,
  { name, subdomain, customDomains }: WorkspaceData,
): Promise<DemoWorkspace> {
  const { tx } = demo;
  const createdAt = demo.daysAgo(AGE_DAYS + demo.random.next() * 40);
  const { id } = await tx.workspace.create({
    data: { teamId, name, subdomain, createdAt, updatedAt: createdAt },
    select: { id: true },
  });
  const domains = await tx.customDomain.createManyAndReturn({
    data: customDomains.map((host) => ({ workspaceId: id, host, createdAt })),
  });
  return { id, customDomainIds: new Map(domains.map((domain) => [domain.host, domain.id])) };
}
