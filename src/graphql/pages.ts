// Pages of a workspace.
import { page } from '../resources/pages.ts';
import * as pages from '../services/pages.ts';
import { builder } from './builder.ts';
import { defineConnection } from './connection.ts';
import { defineNode } from './nodes.ts';
import { Workspace } from './workspaces.ts';

export const Page = defineNode(page, {
  ...pages,
  fields: (t) => ({
    workspace: Workspace.field(t, 'workspaceId', 'The workspace that the page belongs to.'),
  }),
});

const PageConnection = defineConnection(Page, page, pages);

builder.objectField(Workspace.ref, 'pages', (t) =>
  PageConnection.field(t, 'The pages of the workspace, without discarded ones.'),
);
