// What saved filters have besides their noun's fields: conditions.

import { contact } from '../resources/contacts.ts';
import { type Criterion, criterion, refineFilter } from '../resources/refine-filters.ts';
import { builder } from './builder.ts';
import { connectionOf, nodeOf } from './nouns.ts';
import { resourceFields } from './resource-fields.ts';

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

builder.objectField(nodeOf(refineFilter).ref, 'contacts', (t) =>
  connectionOf(contact).fieldOf(
    t,
    {
      description:
        'The contacts that the filter selects, or null where it selects other objects. Each filter is read by itself, so that many filters at once cost more than other lists.',
      columns: ['id', 'workspaceId', 'filterClass'],
    },
    ({ id, workspaceId, filterClass }) =>
      filterClass === contact.refinedBy ? { parentId: workspaceId, refineFilterId: String(id) } : null,
  ),
);
