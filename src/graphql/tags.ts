// Tags applied to contacts and funnels.
import { type TagOnObjectRow, tagOnObject } from '../resources/tags.ts';
import { builder } from './builder.ts';
import { resourceFields } from './resource-fields.ts';

export const AppliedTag = builder.objectRef<TagOnObjectRow>('AppliedTag').implement({
  description: 'A tag of a workspace as it stands on one contact or funnel.',
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'BigInt', description: 'The integer id of the tag.' }),
    ...resourceFields(t, tagOnObject),
  }),
});
