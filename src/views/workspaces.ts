import { toInteger, toTimestamp } from '../json.ts';
import type { WorkspaceRow } from '../services/workspaces.ts';

export function viewWorkspace(workspace: WorkspaceRow) {
  return {
    id: toInteger(workspace.id),
    public_id: workspace.publicId,
    team_id: toInteger(workspace.teamId),
    name: workspace.name,
    subdomain: workspace.subdomain,
    created_at: toTimestamp(workspace.createdAt),
    updated_at: toTimestamp(workspace.updatedAt),
  };
}
