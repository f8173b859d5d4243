// Saved filters of a workspace: the "refine filters" registry.
import { type Criterion, criterion, refineFilter } from '../resources/refine-filters.ts';
import * as refineFilters from '../services/refine-filters.ts';
import { builder } from './builder.ts';
import { defineConnection } from './connection.ts';
import { defineNode } from './nodes.ts';
import { resourceFields } from './resource-fields.ts';
import { Workspace } from './workspaces.ts';

const RefineFilterCriterion = builder.objectRef<Criterion>('RefineFilterCriterion').implement({
  description: 'One condition of a saved filter.',
  fields: (t) => resourceFields(t, criterion),
});

export const RefineFilter = defineNode(refineFilter, {
  ...refineFilters,
  fields: (t) => ({
    criteria: t.field({
      type: [RefineFilterCriterion],
      description: refineFilter.fields.criteria.description,
      columns: ['criteria'],
      resolve: ({ criteria }) => criteria,
    }),
    workspace: Workspace.field(t, 'workspaceId', 'The workspace that the filter belongs to.'),
  }),
});

const RefineFilterConnection = defineConnection(RefineFilter, refineFilter, refineFilters);

builder.objectField(Workspace.ref, 'refineFilters', (t) =>
  RefineFilterConnection.field(
    t,
    'The saved filters of the workspace. Unlike the REST list, it is always paginated.',
  ),
);
