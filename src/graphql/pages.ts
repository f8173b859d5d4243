// Pages of a workspace.
import * as pages from '../services/pages.ts';
import { builder } from './builder.ts';
import { connectionArgs, defineConnection } from './connection.ts';
import { defineNode } from './nodes.ts';
import { Workspace } from './workspaces.ts';

export const Page = defineNode<pages.PageRow>('Page', {
  description:
    'A page that visitors see. A page that was discarded with a split’s branch can no longer be read.',
  scope: pages.scope,
  loadMany: pages.getMany,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the page.' }),
    currentPath: t.exposeString('currentPath', { description: 'The path of the page below its funnel.' }),
    workspaceId: t.expose('workspaceId', {
      type: 'BigInt',
      description: 'The `databaseId` of its workspace.',
    }),
    workspace: t.field({
      type: Workspace.ref,
      nullable: true,
      description: 'The workspace that the page belongs to. Needs account:read.',
      extensions: { columns: ['workspaceId'] },
      resolve: ({ workspaceId }, _args, ctx) => Workspace.load(ctx, workspaceId),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the page was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the page was last changed.' }),
  }),
});

const PageConnection = defineConnection(Page, { kind: 'pages', reads: pages });

builder.objectField(Workspace.ref, 'pages', (t) =>
  t.field({
    type: PageConnection.ref,
    nullable: true,
    description: 'The pages of the workspace, without discarded ones. Needs funnels:read.',
    args: connectionArgs,
    extensions: { columns: ['id'] },
    resolve: (workspace, args, ctx, info) => PageConnection.load(ctx, workspace.id, args, info),
  }),
);
