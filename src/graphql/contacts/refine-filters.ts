// Adds to saved filters their conditions.

import { graphqlTypeNameOf } from '../../resources/description/names.ts';
import type { Resource } from '../../resources/description/resource.ts';
import { type Described, NOUNS } from '../../resources/nouns.ts';
import { MAX_CRITERIA, type RefineFilterRow, refineFilter } from '../../resources/refine-filters.ts';
import { builder } from '../builder.ts';
import { FilterCriterion, FilterCriterionInput, shownCriterion, toCriterion } from '../criteria.ts';
import { assumedValues } from '../field-options.ts';
import { encodeGlobalId } from '../global-ids.ts';
import { setItemForm } from '../item-forms.ts';
import { connectionOf, nodeOf } from '../nouns.ts';

const { description, itemType } = refineFilter.fields.criteria;

setItemForm(itemType, { type: FilterCriterionInput, toItem: toCriterion });

builder.objectField(nodeOf(refineFilter).ref, 'criteria', (t) =>
  t.field({
    type: [FilterCriterion],
    description,
    columns: ['criteria', 'filterClass'],
    rows: assumedValues(MAX_CRITERIA),
    resolve: ({ criteria, filterClass }: RefineFilterRow) =>
      criteria.map((one) => shownCriterion(one, filterClass)),
  }),
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
