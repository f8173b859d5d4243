// Funnels of a workspace. Their steps are in funnel-steps.ts.
import { funnel } from '../resources/funnels.ts';
import * as funnels from '../services/funnels.ts';
import { builder } from './builder.ts';
import { defineConnection } from './connection.ts';
import { defineNode } from './nodes.ts';
import { AppliedTag } from './tags.ts';
import { Workspace } from './workspaces.ts';

export const Funnel = defineNode(funnel, {
  ...funnels,
  fields: (t) => ({
    tags: t.field({
      type: [AppliedTag],
      description: funnel.fields.tags.description,
      columns: ['tags'],
      resolve: ({ tags }) => tags,
    }),
    workspace: Workspace.field(t, 'workspaceId', 'The workspace that the funnel belongs to.'),
  }),
});

const FunnelConnection = defineConnection(Funnel, funnel, funnels);

builder.objectField(Workspace.ref, 'funnels', (t) =>
  FunnelConnection.field(t, 'The funnels of the workspace, archived ones included.'),
);
