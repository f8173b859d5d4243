// Workspaces, and the root field that returns one.
import { type WorkspaceRow, workspace } from '../resources/workspaces.ts';
import * as workspaces from '../services/workspaces.ts';
import { builder } from './builder.ts';
import { defineConnection } from './connection.ts';
import { loadById, requireOneOf } from './lookup-arguments.ts';
import { defineNode } from './nodes.ts';
import { Team } from './teams.ts';
import { unreadParent } from './unread-parents.ts';

export const Workspace = defineNode(workspace, {
  ...workspaces,
  fields: (t) => ({ team: Team.field(t, 'teamId', 'The team that owns the workspace.') }),
});

const WorkspaceConnection = defineConnection(Workspace, workspace, workspaces);

builder.objectField(Team.ref, 'workspaces', (t) =>
  WorkspaceConnection.field(t, 'The workspaces of the team; on the host of one workspace, that one alone.'),
);

builder.queryField('workspace', (t) =>
  t.field({
    type: Workspace.ref,
    nullable: true,
    description:
      'One workspace. Give exactly one of the arguments. A workspace that does not exist, or is not the caller’s, is null with a NOT_FOUND error.',
    scope: workspaces.scope,
    args: {
      id: t.arg.id({ description: 'The global id of the workspace.' }),
      databaseId: t.arg({ type: 'BigInt', description: 'The integer id of the workspace.' }),
      subdomain: t.arg.string({
        description: 'The subdomain of the workspace, without the domain of the service.',
      }),
    },
    resolve(_root, args, ctx, info) {
      requireOneOf(args, ['id', 'databaseId', 'subdomain']);
      if (args.subdomain != null) return workspaces.getBySubdomain(ctx, args.subdomain);
      const load: typeof Workspace.load = async (_ctx, id) =>
        (unreadParent(ctx, id, info) as WorkspaceRow | null) ?? Workspace.load(ctx, id);
      return loadById(ctx, { ...Workspace, load }, args);
    },
  }),
);
