// A store on one PostgreSQL that makes changes as on several.
import { vi } from 'vitest';
import { ON_SHARDS } from '../../src/store/shard-placement/placement.ts';
import type { Store } from '../../src/store/store.ts';

/** Makes changes as if statements name the workspace, here always this one, until mocks are restored. Row-level security stays as it is. */
export function changeAsOnShards({ placement }: Pick<Store, 'placement'>, workspaceId: bigint): void {
  const { rules } = placement;
  vi.spyOn(placement, 'rules').mockImplementation(async () => {
    // A store that Citus distributes gives the tenant role no rights.
    const { hasTenantRole } = await rules();
    return { ...ON_SHARDS, hasTenantRole };
  });
  vi.spyOn(placement, 'nameWorkspaces').mockImplementation(async ({ teamId }) => ({
    teamId,
    workspaceIds: [workspaceId],
    namesWorkspaces: true,
  }));
}
