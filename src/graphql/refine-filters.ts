// What saved filters have besides their noun's fields: conditions.
import { type Criterion, criterion, refineFilter } from '../resources/refine-filters.ts';
import { builder } from './builder.ts';
import { nodeOf } from './nouns.ts';
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
