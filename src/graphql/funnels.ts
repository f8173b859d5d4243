// Funnels of a workspace. Their steps are in funnel-steps.ts.
import { funnel } from '../resources/funnels.ts';
import { listFunnelsWithSteps } from '../services/funnel-steps.ts';
import * as funnels from '../services/funnels.ts';
import { builder } from './builder.ts';
import { defineConnection } from './connection.ts';
import { columnsBelow } from './look-ahead.ts';
import { defineNode } from './nodes.ts';
import { AppliedTag, tagsOn } from './tags.ts';
import { Workspace } from './workspaces.ts';

export const Funnel = defineNode(funnel, {
  ...funnels,
  fields: (t) => ({
    tags: t.field({
      type: [AppliedTag],
      description: funnel.fields.tags.description,
      columns: ['id', 'tags'],
      resolve: (row) => tagsOn(funnel.type, row),
    }),
    workspace: Workspace.field(t, 'workspaceId', 'The workspace that the funnel belongs to.'),
  }),
});

/** Funnels together with their steps, where these are selected. */
const listMany: typeof funnels.listMany = (ctx, workspaceIds, page, projection = null) => {
  const steps = columnsBelow(projection, 'steps');
  return projection === null || steps === null
    ? funnels.listMany(ctx, workspaceIds, page, projection)
    : listFunnelsWithSteps(ctx, workspaceIds, page, { funnels: projection, steps });
};

const FunnelConnection = defineConnection(Funnel, funnel, { ...funnels, listMany });

builder.objectField(Workspace.ref, 'funnels', (t) =>
  FunnelConnection.field(t, 'The funnels of the workspace, archived ones included.'),
);
