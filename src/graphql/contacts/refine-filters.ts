// What saved filters have besides their noun's fields: conditions.

import { type Described, NOUNS } from '../../resources/nouns.ts';
import { type Criterion, criterion, refineFilter } from '../../resources/refine-filters.ts';
import type { Resource } from '../../resources/resource.ts';
import { builder } from '../builder.ts';
import { connectionOf, nodeOf } from '../nouns.ts';
import { resourceFields } from '../resource-fields.ts';

const RefineFilterCriterion = builder.objectRef<Criterion>('RefineFilterCriterion').implement({
  description: 'One condition of a saved filter.',
  fields: (t) => resourceFields(t, criterion),
});

builder.objectField(nodeOf(refineFilter).ref, 'criteria', (t) =>
  t.field({
    type: [RefineFilterCriterion],
    description: refineFilter.fields.criteria.description,
    columns: ['criteria'],
    resolve: ({ criteria }) => criteria,
  }),
);

for (const noun of NOUNS as readonly Resource[] as readonly Described[]) {
  const { plural, refinedBy } = noun;
  if (plural === undefined || refinedBy === undefined) continue;
  builder.objectField(nodeOf(refineFilter).ref, plural, (t) =>
    connectionOf(noun).fieldOf(
      t,
      {
        description: `The ${plural} that the filter selects, or null where it selects other objects. Each filter is read by itself, so that many filters at once cost more than other lists.`,
        columns: ['id', 'workspaceId', 'filterClass'],
      },
      ({ id, workspaceId, filterClass }) =>
        filterClass === refinedBy ? { parentId: workspaceId, refineFilterId: String(id) } : null,
    ),
  );
}
