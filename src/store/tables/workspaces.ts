// The owner of a workspace: its team. Callers restricted to some workspaces see only these.
import { workspace } from '../../resources/workspaces.ts';
import { ownTable } from './table.ts';

const isWorkspace = (workspace: string) => `(${workspace}::bigint[] is null or t.id = any(${workspace}))`;

export const workspaceTable = ownTable(workspace, {
  owners: { teamId: 'team', id: 'narrowed workspace' },
  owned: (team, workspace) => `t.team_id = ${team} and ${isWorkspace(workspace)}`,
  narrowed: isWorkspace,
});
