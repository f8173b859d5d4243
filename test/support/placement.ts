// A store on one PostgreSQL that makes changes as on several.
import { vi } from 'vitest';
import { ON_SHARDS } from '../../src/store/shard-placement/placement.ts';
import type { Store } from '../../src/store/store.ts';

/** Makes changes as if statements name the workspace, here always this one, until mocks are restored. Row-level security stays. */
export function changeAsOnShards({ placement }: Pick<Store, 'placement'>, workspaceId: bigint): void {
  vi.spyOn(placement, 'rules').mockResolvedValue({ ...ON_SHARDS, hasTenantRole: true });
  vi.spyOn(placement, 'nameWorkspaces').mockImplementation(async ({ teamId }) => ({
    teamId,
    workspaceIds: [workspaceId],
    namesWorkspaces: true,
  }));
}
