// What funnels have besides their noun's fields: tags. Their steps are in funnel-steps.ts.
import { funnel } from '../resources/funnels.ts';
import { builder } from './builder.ts';
import { nodeOf } from './nouns.ts';
import { AppliedTag, tagsOn } from './tags.ts';

builder.objectField(nodeOf(funnel).ref, 'tags', (t) =>
  t.field({
    type: [AppliedTag],
    description: funnel.fields.tags.description,
    columns: ['id', 'tags'],
    resolve: (row) => tagsOn(funnel.type, row),
  }),
);
