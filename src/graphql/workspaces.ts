// Workspaces of a team.
import { type WorkspaceRow, workspace } from '../resources/workspaces.ts';
import * as workspaces from '../services/workspaces.ts';
import { builder } from './builder.ts';
import { defineConnection } from './connection.ts';
import { defineNode, type NodeType } from './nodes.ts';
import { Team } from './teams.ts';
import { loadParent } from './unread-parents.ts';

export const Workspace: NodeType<WorkspaceRow> = defineNode(workspace, {
  ...workspaces,
  fields: (t) => ({ team: Team.field(t, 'teamId', 'The team that owns the workspace.') }),
  lookUp: {
    load: (ctx, id, info) => loadParent(ctx, id, info, Workspace.load),
    by: {
      key: 'subdomain',
      description: 'The subdomain of the workspace, without the domain of the service.',
      find: workspaces.getBySubdomain,
    },
  },
});

const WorkspaceConnection = defineConnection(Workspace, workspace, workspaces);

builder.objectField(Team.ref, 'workspaces', (t) =>
  WorkspaceConnection.field(t, 'The workspaces of the team; on the host of one workspace, that one alone.'),
);
