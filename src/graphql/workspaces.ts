// Workspaces, and the fields that lead to them.
import { requireScope } from '../auth/scopes.ts';
import * as workspaces from '../services/workspaces.ts';
import { builder } from './builder.ts';
import { connectionArgs, defineConnection } from './connection.ts';
import { defineNode } from './nodes.ts';
import { loadByKey, requireOneOf } from './root-keys.ts';
import { Team } from './teams.ts';

export const Workspace = defineNode<workspaces.WorkspaceRow>('Workspace', {
  description:
    'A workspace of a team: contacts, funnels, pages, saved filters and webhook endpoints belong to one.',
  scope: workspaces.scope,
  loadMany: workspaces.getMany,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the workspace.' }),
    subdomain: t.exposeString('subdomain', {
      description:
        'The subdomain of the service where the workspace is reached. It is unique among all workspaces.',
    }),
    teamId: t.expose('teamId', { type: 'BigInt', description: 'The `databaseId` of the team that owns it.' }),
    team: t.field({
      type: Team.ref,
      nullable: true,
      description: 'The team that owns the workspace.',
      extensions: { columns: ['teamId'] },
      resolve: ({ teamId }, _args, ctx) => Team.load(ctx, teamId),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the workspace was created.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When the workspace was last changed.',
    }),
  }),
});

const WorkspaceConnection = defineConnection(Workspace, { kind: 'workspaces', reads: workspaces });

builder.objectField(Team.ref, 'workspaces', (t) =>
  t.field({
    type: WorkspaceConnection.ref,
    nullable: true,
    description:
      'The workspaces of the team; on the host of one workspace, that one alone. Needs account:read.',
    args: connectionArgs,
    extensions: { columns: ['id'] },
    resolve: (team, args, ctx, info) => WorkspaceConnection.load(ctx, team.id, args, info),
  }),
);

builder.queryField('workspace', (t) =>
  t.field({
    type: Workspace.ref,
    nullable: true,
    description:
      'One workspace. Give exactly one of the arguments. A workspace that does not exist, or is not the caller’s, is null with a NOT_FOUND error. Needs account:read.',
    args: {
      id: t.arg.id({ description: 'The global id of the workspace.' }),
      databaseId: t.arg({ type: 'BigInt', description: 'The integer id of the workspace.' }),
      subdomain: t.arg.string({
        description: 'The subdomain of the workspace, without the domain of the service.',
      }),
    },
    resolve(_root, args, ctx) {
      requireScope(ctx, workspaces.scope);
      requireOneOf(args, ['id', 'databaseId', 'subdomain']);
      return args.subdomain == null
        ? loadByKey(ctx, Workspace, args)
        : workspaces.getBySubdomain(ctx, args.subdomain);
    },
  }),
);
