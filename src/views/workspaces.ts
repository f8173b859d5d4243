import type { WorkspaceRow } from '../services/workspaces.ts';
import { writer } from './writer.ts';

export const writeWorkspace = writer<WorkspaceRow>({
  id: 'id',
  public_id: 'publicId',
  team_id: 'teamId',
  name: 'name',
  subdomain: 'subdomain',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
});
