// Funnels of a workspace. What happens in them is in funnel-steps.ts.
import * as funnels from '../services/funnels.ts';
import { builder } from './builder.ts';
import { connectionArgs, defineConnection } from './connection.ts';
import { defineNode } from './nodes.ts';
import { AppliedTag } from './tags.ts';
import { Workspace } from './workspaces.ts';

export const Funnel = defineNode<funnels.FunnelRow>('Funnel', {
  description: 'A funnel: a workflow of steps that leads visitors from page to page.',
  scope: funnels.scope,
  loadMany: funnels.getMany,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the funnel.' }),
    archived: t.exposeBoolean('archived', { description: 'Whether the funnel has been put away.' }),
    liveMode: t.exposeBoolean('liveMode', {
      description: 'Whether orders in the funnel are real, not tests.',
    }),
    currentPath: t.exposeString('currentPath', {
      description: 'The path of the funnel on its domain, unique in the workspace.',
    }),
    customDomainId: t.expose('customDomainId', {
      type: 'BigInt',
      nullable: true,
      description: 'The integer id of the custom domain that serves the funnel, or null when none does.',
    }),
    tags: t.field({
      type: [AppliedTag],
      description: 'The tags on the funnel, the oldest tag first. Not paginated: a funnel has few.',
      extensions: { columns: ['tags'] },
      resolve: ({ tags }) => tags,
    }),
    workspaceId: t.expose('workspaceId', {
      type: 'BigInt',
      description: 'The `databaseId` of its workspace.',
    }),
    workspace: t.field({
      type: Workspace.ref,
      nullable: true,
      description: 'The workspace that the funnel belongs to. Needs account:read.',
      extensions: { columns: ['workspaceId'] },
      resolve: ({ workspaceId }, _args, ctx) => Workspace.load(ctx, workspaceId),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the funnel was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the funnel was last changed.' }),
  }),
});

const FunnelConnection = defineConnection(Funnel, { kind: 'funnels', reads: funnels });

builder.objectField(Workspace.ref, 'funnels', (t) =>
  t.field({
    type: FunnelConnection.ref,
    nullable: true,
    description: 'The funnels of the workspace, archived ones included. Needs funnels:read.',
    args: connectionArgs,
    extensions: { columns: ['id'] },
    resolve: (workspace, args, ctx, info) => FunnelConnection.load(ctx, workspace.id, args, info),
  }),
);
