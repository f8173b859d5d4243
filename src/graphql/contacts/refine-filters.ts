// Adds to saved filters their conditions.

import { type Described, NOUNS } from '../../resources/nouns.ts';
import { criterion, type RefineFilterRow, refineFilter } from '../../resources/refine-filters.ts';
import { graphqlTypeNameOf, type Resource } from '../../resources/resource.ts';
import { builder } from '../builder.ts';
import { encodeGlobalId } from '../global-ids.ts';
import { connectionOf, nodeOf } from '../nouns.ts';
import { objectFields, objectType } from '../resource-fields.ts';

const { itemType } = refineFilter.fields.criteria;
const SavedFilterCriterion = objectType(itemType, 'One condition of a saved filter.', criterion);

builder.objectFields(nodeOf(refineFilter).ref, (t) =>
  objectFields(t, refineFilter.fields, { criteria: SavedFilterCriterion }),
);

for (const noun of NOUNS as readonly Resource[] as readonly Described[]) {
  const { plural, refinedBy } = noun;
  if (plural === undefined || refinedBy === undefined) continue;
  builder.objectField(nodeOf(refineFilter).ref, plural, (t) =>
    connectionOf(noun).fieldOf(
      t,
      {
        description: `The ${plural} that the filter selects. Null if it selects other objects. The lists of several filters are read one by one, so they cost more than other lists.`,
        columns: ['id', 'workspaceId', 'filterClass'],
      },
      ({ id, workspaceId, filterClass }: RefineFilterRow) =>
        filterClass === refinedBy
          ? { parentId: workspaceId, savedFilterId: encodeGlobalId(graphqlTypeNameOf(refineFilter), id) }
          : null,
    ),
  );
}
